"""Judgements: one judge, one question, one piece of text, one grade."""

from __future__ import annotations

from dataclasses import dataclass

from evenhand.errors import InputError, nearest

__all__ = ["KINDS", "Conflict", "Judgement"]

KINDS = ("human", "panel")


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """A grade for the characters ``[start, end)`` of a document, whose text had this hash when judged.

    It counts only for a unit of exactly that span and that text. ``grade`` is 0 (irrelevant), 1 (related)
    or 2 (sufficient) on the house scale; other scales keep their numbers, negative is "not relevant".
    Judgements are appended, never edited: a judge's later one supersedes the earlier.
    """

    question: str
    doc: str
    start: int
    end: int
    text_sha256: str
    grade: float
    judge: str
    kind: str = "human"

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise InputError(f"judgement of kind {self.kind!r}", mend=nearest(self.kind, KINDS))
        if not 0 <= self.start < self.end:
            raise InputError(
                f"judgement of {self.question!r} on an empty span {self.start}:{self.end} of {self.doc!r}",
                mend="offsets are 0 <= start < end",
            )
        if self.grade != self.grade or abs(self.grade) == float("inf"):
            raise InputError(
                f"judgement of {self.question!r} has grade {self.grade!r}", mend="a grade is a finite number"
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """Two sources that grade one question × unit differently, and the grade that stands."""

    question: str
    unit: str
    human: float | None
    aligned: float | None
    panel: float | None
    grade: float
