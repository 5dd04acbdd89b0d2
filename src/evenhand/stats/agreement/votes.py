"""One label from several votes, without inventing any: failed calls stay failed, ties go to people."""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from evenhand.errors import InputError

__all__ = [
    "Decided",
    "Majority",
    "Middle",
    "decided",
    "majority_accuracy",
    "majority_of_three",
    "median_of_three",
    "plurality",
]

Status = Literal["unanimous", "split", "two_agree", "tie", "insufficient"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Majority:
    """A decision (None: to the human queue), how it came about, and the votes that could not be used."""

    decision: Hashable | None
    status: Status
    valid: int
    out_of_scale: int = 0


def given_of(votes: Sequence[Any]) -> list[Any]:
    """The votes that are there. NaN is no vote and no failed call, and words are no grades: refused."""
    given = [vote for vote in votes if vote is not None]
    if any(isinstance(vote, float) and not math.isfinite(vote) for vote in given):
        raise InputError("a vote is NaN or infinite", mend="give None for a failed call or an abstention")
    if len({isinstance(vote, str) for vote in given}) > 1:
        raise InputError(f"votes are words and numbers: {given!r}", mend="give all votes in one form")
    return given


def _valid(
    votes: Sequence[Hashable | None], scale: Collection[Hashable] | None
) -> tuple[list[Hashable], int]:
    if len(votes) != 3:
        raise InputError(f"{len(votes)} votes", mend="give three, None for a failed call or an abstention")
    given = given_of(votes)
    valid = [vote for vote in given if scale is None or vote in scale]
    return valid, len(given) - len(valid)


def majority_of_three(
    votes: Sequence[Hashable | None], *, scale: Collection[Hashable] | None = None
) -> Majority:
    """The majority of three votes; None where there is none to be had.

    Three valid: the majority, ``unanimous`` or ``split`` (``tie`` when all three differ). Two valid and
    equal: that label, ``two_agree``. Two that differ, ``tie``, or fewer, ``insufficient``: no decision.
    A vote outside *scale* is as good as none, and counted. A failed call is never a 0.
    Source: this product's own rule.
    """
    valid, out = _valid(votes, scale)
    top = max(valid, key=valid.count) if valid else None
    most = valid.count(top) if valid else 0
    if len(valid) < 2:
        return Majority(decision=None, status="insufficient", valid=len(valid), out_of_scale=out)
    if most == 1:
        return Majority(decision=None, status="tie", valid=len(valid), out_of_scale=out)
    status: Status = "two_agree" if len(valid) == 2 else "unanimous" if most == 3 else "split"
    return Majority(decision=top, status=status, valid=len(valid), out_of_scale=out)


@dataclass(frozen=True, slots=True, kw_only=True)
class Middle:
    """The middle of three grades, and the one named most often (None: none was)."""

    median: float | None
    mode: float | None
    valid: int
    out_of_scale: int = 0


def median_of_three(votes: Sequence[float | None], *, scale: Collection[float] | None = None) -> Middle:
    """Median and mode of three ordinal grades; the mode is None when all differ.

    With two valid grades both are that grade when they are equal, else None; with fewer, None.
    Source: the definitions.
    """
    valid, out = _valid(votes, scale)
    found = majority_of_three(votes, scale=scale)
    mode = found.decision
    median = sorted(valid)[1] if len(valid) == 3 else mode  # type: ignore[type-var]
    return Middle(median=median, mode=mode, valid=len(valid), out_of_scale=out)  # type: ignore[arg-type]


def plurality(votes: Sequence[Hashable | None], *, otherwise: Hashable = "mixed") -> Hashable | None:
    """The label named most often, *otherwise* when two or more are, None without a vote.

    For labels without an order, such as a failure mode. Source: the definition.
    """
    valid = given_of(votes)
    if not valid:
        return None
    most = max(valid.count(vote) for vote in valid)
    first = {vote for vote in valid if valid.count(vote) == most}
    return first.pop() if len(first) == 1 else otherwise


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """One grade of any number of votes (None: to people), and how it came about."""

    grade: float | None
    status: Literal["unanimous", "split", "two_agree", "single", "undecided"]
    valid: int
    out_of_scale: int = 0


def decided(
    votes: Sequence[float | None],
    *,
    by: str = "majority",
    scale: Collection[float] | None = None,
) -> Decided:
    """One grade of the votes of one, two, three or more judges; None stands for a failed call.

    Three judges: `majority_of_three` and `median_of_three`. In general more than half of the judges must
    have a valid vote, and two at least. ``majority`` needs more than half of the valid votes; ``median``
    the middle one, of an even number both middle ones equal; ``plurality`` one that is named most often,
    twice or more. ``unanimous``: all judges say the same; ``two_agree``: all valid votes do, and some are
    missing; ``split``: a grade with dissent; ``single``: there is but one judge. A vote outside *scale*
    is as good as none, and counted. Source: this product's own rule.
    """
    given = given_of(votes)
    valid = sorted(vote for vote in given if scale is None or vote in scale)
    out = len(given) - len(valid)
    if len(votes) == 1 and valid:
        return Decided(grade=valid[0], status="single", valid=1, out_of_scale=out)
    grade: float | None = None
    if len(valid) >= 2 and 2 * len(valid) > len(votes):
        middle, above = valid[(len(valid) - 1) // 2], valid[len(valid) // 2]
        if by == "median":
            grade = middle if middle == above else None
        elif by == "majority":
            grade = middle if 2 * valid.count(middle) > len(valid) else None
        elif by == "plurality":
            found = plurality(valid, otherwise=None)
            grade = found if isinstance(found, int | float) and valid.count(found) > 1 else None
        else:
            raise InputError(f"votes are put together by {by!r}", mend="use majority, median or plurality")
    if grade is None:
        return Decided(grade=None, status="undecided", valid=len(valid), out_of_scale=out)
    same = valid[0] == valid[-1]
    status: Literal["unanimous", "split", "two_agree"] = (
        "split" if not same else "unanimous" if len(valid) == len(votes) else "two_agree"
    )
    return Decided(grade=grade, status=status, valid=len(valid), out_of_scale=out)


def majority_accuracy(p: float) -> float:
    """Condorcet's p^3 + 3 p^2 (1 - p): the accuracy of a majority of three judges who err independently.

    Source: Condorcet 1785.

    An upper reference only: real judges err together, and the majority is often worse than the best one.
    """
    if not 0 <= p <= 1:
        raise InputError(f"the accuracy is {p!r}", mend="give a share between 0 and 1")
    return p**3 + 3 * p**2 * (1 - p)
