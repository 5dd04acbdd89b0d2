"""WiCE (Kamoi et al. 2023): is a claim supported by its evidence? People, and models' scores beside them."""

from __future__ import annotations

from pathlib import Path

from evenhand.errors import InputError
from evenhand.formats.guests.published.registry import Item, Published, aspect_of, read_json, read_lines

__all__ = ["read"]

GRADES = {"supported": 1.0, "partially_supported": 0.5, "not_supported": 0.0}
FILE = "claim_test.jsonl"


def read(folder: Path, aspect: str = "") -> Published:
    """Labels 0, 0.5, 1 of ``claim_test.jsonl``, and a judge for each ``claim.MODEL.score.json``."""
    aspect_of(aspect, ("support",), "support")
    items: dict[str, Item] = {}
    labels = []
    for number, row in enumerate(read_lines(folder / FILE), start=1):
        name, word = row["meta"]["id"], row["label"]
        if word not in GRADES:
            raise InputError(f"{FILE}:{number}: label is {word!r}", mend=f"one of {', '.join(GRADES)}")
        items[name] = Item(name, name, "\n".join([row["claim"], *row["evidence"]]))
        labels.append(items[name].label("annotators", GRADES[word]))
    votes = []
    notes = []
    for path in sorted(folder.glob("claim.*.score.json")):
        model = path.name.removeprefix("claim.").removesuffix(".score.json")
        stray = 0
        for name, score in read_json(path).items():
            if name in items:
                votes.append(items[name].vote(model, float(score)))
            else:
                stray += 1
        if stray:
            notes.append(f"left out: {stray} scores of {model}, of claims that are not in {FILE}")
    notes.append("people: supported 1, partially_supported 0.5, not_supported 0")
    return Published(labels=tuple(labels), votes=tuple(votes), notes=tuple(notes))
