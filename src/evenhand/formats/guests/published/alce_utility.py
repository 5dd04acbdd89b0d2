"""ALCE's human evaluation (Gao et al. 2023): how useful is an answer, beside automatic correctness."""

from __future__ import annotations

from pathlib import Path

from evenhand.formats.guests.published.registry import Item, Published, aspect_of, read_json

__all__ = ["read"]

ASPECTS = ("asqa", "eli5")


def read(folder: Path, aspect: str = "") -> Published:
    """Utility 1 to 5, and the share of correct points as a judge; *aspect* is the set, asqa or eli5."""
    part = aspect_of(aspect, ASPECTS, "asqa")
    labels = []
    votes = []
    averages = 0
    for system, rows in read_json(folder / "human_eval_utility_completed.json")[part].items():
        name = system.removesuffix(".json")
        for row in rows.values():
            if "utility_score" not in row:
                averages += 1
                continue
            item = Item(str(row["id"]), name, "\n\n".join([row["question"], row["output"]]))
            labels.append(item.label("annotators", row["utility_score"]))
            scores = [float(one) for one in row["automatic_correctness_scores"]]
            votes.append(item.vote("correctness", sum(scores) / len(scores) if scores else None))
    return Published(
        labels=tuple(labels),
        votes=tuple(votes),
        notes=(
            "grades: 1 to 5; the machine's is the share of points that were found, 0 to 1",
            f"left out: {averages} rows that hold a system's averages",
        ),
    )
