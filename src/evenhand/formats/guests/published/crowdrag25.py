"""CrowdRAG-25 (Gienapp et al. 2025): which of two answers is better? Five workers a pair, and GPT-4o."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from evenhand.formats.guests.published.registry import Item, Published, aspect_of, read_lines

__all__ = ["ASPECTS", "read"]

ASPECTS = (
    "correctness_topical",
    "coherence_logical",
    "coherence_stylistic",
    "coverage_broad",
    "coverage_deep",
    "consistency_internal",
    "quality_overall",
)
CODE = {"a": -1.0, "n": 0.0, "b": 1.0}
FAMILY = "openai"


def read(folder: Path, aspect: str = "") -> Published:
    """-1 (the first is better), 0, 1 of five workers, of the published gold as a ruling, and of GPT-4o.

    GPT-4o is four judges: asked for all aspects at once or one by one (``combined``, ``individual``), on
    the pair as people saw it, and ``swapped``, its answer turned back. Where a pair was asked twice in one
    way the first answer counts.
    """
    name = aspect_of(aspect, ASPECTS, "quality_overall")
    asked: dict[tuple[str, str, str, str], Any] = {}
    again = 0
    for row in read_lines(folder / "llm_ratings.jsonl.gz"):
        key = (row["inference"], row["query_id"], row["response_a"], row["response_b"])
        again += key in asked
        asked.setdefault(key, row.get(name))
    labels = []
    votes = []
    for row in read_lines(folder / "ratings.jsonl.gz"):
        query, a, b = row["query_id"], row["response_a"], row["response_b"]
        item = Item(query, f"{a}|{b}", f"{a}|{b}")
        labels += [
            item.label(f"worker-{place}", CODE[vote.lower()])
            for place, vote in enumerate(row[f"{name}_vote"], start=1)
        ]
        labels.append(item.label("MACE", CODE[row[f"{name}_gold"].lower()], by="adjudicated"))
        for way in ("combined", "individual"):
            for judge, key, sign in (
                (f"gpt-4o {way}", (way, query, a, b), 1.0),
                (f"gpt-4o {way} swapped", (way, query, b, a), -1.0),
            ):
                if key in asked:
                    grade = CODE.get(str(asked[key]).lower())
                    turned = None if grade is None else sign * grade + 0.0
                    votes.append(item.vote(judge, turned, family=FAMILY))
    return Published(
        labels=tuple(labels),
        votes=tuple(votes),
        notes=(
            "grades: -1 the first answer is better, 0 neither, 1 the second",
            "workers are named by their place in a row: 420 people share the five names",
            "the published gold label stands as a ruling by MACE",
            f"left out: {again} answers of GPT-4o to a pair that it had been asked before in the same way",
            "the answers' texts are not in the set: their ids stand for them",
        ),
    )
