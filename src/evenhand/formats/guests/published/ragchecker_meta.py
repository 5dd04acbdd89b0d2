"""RAGChecker's meta-evaluation (Ru et al. 2024): which of two answers is better? Two people and its score."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from evenhand.errors import InputError
from evenhand.formats.guests.published.registry import Item, Published, aspect_of, read_json

__all__ = ["ASPECTS", "read"]

ASPECTS = ("correctness", "completeness", "overall")
REACH = 2.0  # people's scale is -2 to 2


def read(folder: Path, aspect: str = "") -> Published:
    """-2 to 2 (the second is better) of two people, and RAGChecker's difference stretched to that scale.

    The stretch is the published one: least to most of all differences becomes -2 to 2, so that only
    correlations with it mean something.
    """
    label = f"{aspect_of(aspect, ASPECTS, 'overall')}_label"
    people = read_json(folder / "human_labeled_data.json")
    machine = read_json(folder / "baseline_ragchecker.json")
    if len(people) != 2 * len(machine):
        raise InputError(
            f"{len(people)} labels of {len(machine)} pairs", mend="give both files as they were published"
        )
    gaps = [_score(row, "model2", label) - _score(row, "model1", label) for row in machine]
    least, most = min(gaps), max(gaps)
    if least == most:
        raise InputError("RAGChecker's scores do not differ", mend="give the file as it was published")
    labels = []
    votes = []
    for i, (row, gap) in enumerate(zip(machine, gaps, strict=True)):
        pair = people[2 * i : 2 * i + 2]
        if {one["instance_id"] for one in pair} != {row["instance_id"]}:
            raise InputError(
                f"pair {i} is {row['instance_id']!r} in one file and {pair[0]['instance_id']!r} in the other",
                mend="give both files as they were published",
            )
        words = "\n\n".join([row["query"], row["model1"]["response"], row["model2"]["response"]])
        item = Item(f"{row['dataset']}/{row['query_id']}", f"pair-{row['instance_id']}", words)
        labels += [item.label(f"annotator-{k}", one[label]) for k, one in enumerate(pair, start=1)]
        votes.append(item.vote("RAGChecker", 2 * REACH * (gap - least) / (most - least) - REACH))
    return Published(
        labels=tuple(labels),
        votes=tuple(votes),
        notes=(
            "grades: -2 the first answer is much better, 2 the second",
            "RAGChecker: its difference, least to most stretched to -2 to 2, as published",
            "annotators are named by their place in the file",
        ),
    )


def _score(row: dict[str, Any], model: str, label: str) -> float:
    return float(row[model]["ragchecker"][label])
