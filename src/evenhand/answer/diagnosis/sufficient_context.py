"""Was the context sufficient × what was done: answered rightly, answered wrongly, abstained, failed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from operator import attrgetter

from evenhand.answer.diagnosis.diagnose import Case, Rate, rate

__all__ = ["COLUMNS", "ROWS", "Row", "sufficient_table"]

ROWS: Mapping[str, str] = {
    "sufficient": "the passages held all that the answer needs",
    "insufficient": "they did not",
    "unknown": "it is not known what the passages held",
    "no answer expected": "the gold set expects abstaining or asking back",
}
COLUMNS = ("right", "wrong", "abstained", "failed", "cannot be said")


@dataclass(frozen=True, kw_only=True)
class Row:
    """One row: counts by column; ``right`` of those that can be said; ``wrong`` the same.

    In the last row ``right`` is to abstain from or to ask back what should be, and ``wrong`` to answer it or
    to do the other of the two.
    """

    name: str
    says: str
    n: int
    counts: Mapping[str, int]
    right: Rate
    again: int


def sufficient_table(cases: Iterable[Case], *, level: float = 0.95) -> list[Row]:
    """The table over questions (Joren et al. 2025, "Sufficient Context", with the evidence for a rater).

    Questions that were not reached are counted apart as ``again``, and are in no column.
    """
    every = list(cases)
    made = []
    for name, says in ROWS.items():
        own = [one for one in every if _row(one) == name]
        asked = [one for one in own if one.did != "fault"]
        counts = Counter(_column(one) for one in asked)
        made.append(
            Row(
                name=name,
                says=says,
                n=len(asked),
                counts={column: counts[column] for column in COLUMNS},
                right=rate(asked, attrgetter("answer"), level=level),
                again=len(own) - len(asked),
            )
        )
    return made


def _row(one: Case) -> str:
    if one.expect not in ("", "answer"):
        return "no answer expected"
    return "unknown" if one.retrieval is None else "sufficient" if one.retrieval else "insufficient"


def _column(one: Case) -> str:
    if one.did == "failed":
        return "failed"
    if one.expect in ("", "answer") and one.did in ("abstained", "asked-back"):
        return "abstained"
    return "cannot be said" if one.answer is None else "right" if one.answer else "wrong"
