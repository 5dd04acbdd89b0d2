"""Labels that somebody published as bare qrels: question, document, grade. No texts, no pool, no store."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from evenhand.errors import InputError, nearest
from evenhand.formats.guests.published.registry import Item
from evenhand.formats.labels.judgements import read_labels
from evenhand.formats.labels.votes import read_votes
from evenhand.formats.raw_bytes import open_bytes
from evenhand.formats.runs.trec import read_qrels, stem
from evenhand.model.label import Label
from evenhand.model.vote import Vote

__all__ = ["BEYOND", "Scaled", "is_bare", "labels_in", "labels_of_qrels", "on_scale", "votes_in"]

BEYOND = ("refuse", "clamp", "missing")  # what becomes of labels outside the scale
Given = TypeVar("Given", Label, Vote)


def is_bare(path: str | os.PathLike[str]) -> bool:
    """Whether a file is qrels, and not JSON lines of evenhand's own."""
    head = open_bytes(path, lambda stream: stream.read(1 << 12)).removeprefix(b"\xef\xbb\xbf").lstrip()
    return not (head.startswith(b"{") and b'"judge"' in head)


def labels_of_qrels(path: str | os.PathLike[str], judge: str = "") -> list[Label]:
    """Grades of a qrels file as labels of *judge*, by default the file's name. Ids stand for the texts."""
    return [item.label(judge or stem(path), grade) for item, grade in _graded(path)]


def labels_in(path: str | os.PathLike[str]) -> list[Label]:
    """People's labels of a ``judgements.jsonl``, or of qrels."""
    return labels_of_qrels(path) if is_bare(path) else read_labels(path)


def votes_in(path: str | os.PathLike[str]) -> list[Vote]:
    """A machine's votes of a ``votes.jsonl``, or of qrels."""
    if not is_bare(path):
        return list(read_votes(path))
    return [item.vote(stem(path), grade) for item, grade in _graded(path)]


def _graded(path: str | os.PathLike[str]) -> Iterator[tuple[Item, float]]:
    qrels = read_qrels(path)
    for question in qrels.questions:
        for doc, grade in qrels.judged(question).items():
            yield Item(question=question, doc=doc, text=f"{question}\n{doc}"), grade


@dataclass(frozen=True, slots=True, kw_only=True)
class Scaled:
    """How many labels lay outside the scale, by value, and what became of them."""

    outside: dict[str, int]
    became: str

    @property
    def n(self) -> int:
        """All of them."""
        return sum(self.outside.values())

    def __str__(self) -> str:
        return ", ".join(f"{value} ({n})" for value, n in self.outside.items())


def on_scale(
    given: Sequence[Given], scale: tuple[float, float], beyond: str, file: str
) -> tuple[list[Given], Scaled]:
    """*given* with every grade between the ends of *scale*.

    Those outside are refused, or as *beyond* says: ``clamp`` takes the nearest end, ``missing`` leaves them
    without a grade (a label goes, a vote becomes out-of-scale).
    """
    if beyond not in BEYOND:
        raise InputError(f"--out-of-scale is {beyond!r}", mend=nearest(beyond, BEYOND))
    low, high = scale
    odd = [one for one in given if one.grade is not None and not low <= one.grade <= high]
    found = Scaled(
        outside={f"{g:g}": n for g, n in sorted(Counter(one.grade or 0.0 for one in odd).items())},
        became=beyond,
    )
    if odd and beyond == "refuse":
        raise InputError(
            f"{Path(file).name}: {found.n} of {len(given)} grades lie outside the scale {low:g} to {high:g}: "
            f"{found}",
            mend="--out-of-scale clamp takes the nearest end, --out-of-scale missing counts none of them; or "
            "--scale LOW HIGH",
        )
    made = []
    for one in given:
        if one.grade is None or low <= one.grade <= high:
            made.append(one)
        elif beyond == "clamp":
            made.append(replace(one, grade=min(high, max(low, one.grade))))
        elif isinstance(one, Vote):
            made.append(replace(one, grade=None, outcome="out-of-scale"))
    return made, found
