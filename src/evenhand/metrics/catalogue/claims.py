"""Rates of claims: what an answer says, needs and was given, taken apart claim by claim.

The definitions are those of RAGChecker (Ru et al. 2024, NeurIPS, arXiv 2408.08067). A claim of the answer is
*correct* when the reference bears it out; a passage *holds* a claim when it bears it out; a passage is
*relevant* when it holds a claim of the reference.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evenhand.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["CLAIM_RATES", "Claimed", "claim_rates"]

Said = bool | None  # None: nobody decided it

CLAIM_RATES: Mapping[str, str] = {
    "claim_precision": "of the claims of the answer, those that the reference bears out",
    "claim_recall": "of the claims of the reference, those that the answer makes",
    "retrieved_recall": "of the claims of the reference, those that a passage holds",
    "context_precision": "of the passages, those that hold a claim of the reference",
    "context_utilization": "of the claims of the reference that a passage holds, those that the answer makes",
    "faithfulness": "of the claims of the answer, those that a passage holds",
    "noise_sensitivity_relevant": "of the claims of the answer, those wrong and in a relevant passage",
    "noise_sensitivity_irrelevant": "of the claims of the answer, those wrong and only in other passages",
    "hallucination": "of the claims of the answer, those wrong and in no passage",
    "self_knowledge": "of the claims of the answer, those correct and in no passage",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Claimed:
    """The claims of one question, as somebody decided them.

    ``correct``: for each claim of the answer, does the reference bear it out? ``held``: for each of them and
    each passage, does the passage? ``made``: for each claim of the reference, does the answer make it?
    ``there``: for each of them and each passage, does the passage hold it?
    """

    correct: tuple[Said, ...]
    held: tuple[tuple[Said, ...], ...]
    made: tuple[Said, ...]
    there: tuple[tuple[Said, ...], ...]

    def __post_init__(self) -> None:
        if len(self.correct) != len(self.held) or len(self.made) != len(self.there):
            raise InputError(
                "claims and their passages do not match", mend="give one row of passages a claim"
            )
        if len({len(row) for row in (*self.held, *self.there)}) > 1:
            raise InputError("claims are held against different passages", mend="one column a passage")

    @property
    def undecided(self) -> int:
        """How many decisions are missing."""
        rows = (self.correct, self.made, *self.held, *self.there)
        return sum(said is None for row in rows for said in row)


def claim_rates(one: Claimed) -> dict[str, float | None]:
    """The rates of one question, named as in `CLAIM_RATES`; None where nothing can be counted.

    A rate is over the claims for which everything that it looks at was decided; one without such a claim is
    undefined, and so is one over no claims (an answer that makes none has neither precision nor noise).
    """
    passages = range(max((len(row) for row in (*one.held, *one.there)), default=0))
    relevant = [_any([row[i] for row in one.there]) for i in passages]
    in_any = [_any(row) for row in one.held]
    in_relevant = [_any([_both(said, relevant[i]) for i, said in enumerate(row)]) for row in one.held]
    wrong = [_not(said) for said in one.correct]
    there = [_any(row) for row in one.there]
    return {
        "claim_precision": _share(one.correct),
        "claim_recall": _share(one.made),
        "retrieved_recall": _share(there),
        "context_precision": _share(relevant),
        "context_utilization": _share([made for made, held in zip(one.made, there, strict=True) if held]),
        "faithfulness": _share(in_any),
        "noise_sensitivity_relevant": _share(map(_both, wrong, in_relevant)),
        "noise_sensitivity_irrelevant": _share(
            _both(w, _both(held, _not(rel))) for w, held, rel in zip(wrong, in_any, in_relevant, strict=True)
        ),
        "hallucination": _share(_both(w, _not(held)) for w, held in zip(wrong, in_any, strict=True)),
        "self_knowledge": _share(
            _both(right, _not(held)) for right, held in zip(one.correct, in_any, strict=True)
        ),
    }


def _share(said: object) -> float | None:
    decided = [one for one in said if one is not None]  # type: ignore[attr-defined]
    return sum(decided) / len(decided) if decided else None


def _any(said: Sequence[Said]) -> Said:
    """Three-valued or: False only where all were decided."""
    return True if any(said) else None if None in said else False


def _both(a: Said, b: Said) -> Said:
    """Three-valued and."""
    if a is False or b is False:
        return False
    return None if a is None or b is None else True


def _not(a: Said) -> Said:
    return None if a is None else not a
