"""What a guest answers: hits in any of four forms, read once into one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from evenhand.errors import InputError

__all__ = ["Found", "directed", "read", "scores"]

FORMS = '{"unit"}, {"doc", "start", "end"}, {"text", "doc"?} or (unit id, score)'
PLACES = ("unit", "doc", "start", "end", "text")


@dataclass(frozen=True, slots=True)
class Found:
    """One hit: where it says it lies, in plain JSON, and its ``score`` (None when there was none)."""

    what: Mapping[str, Any]
    score: float | None


def read(hits: Any, *, who: str, question: int) -> list[Found]:
    """The hits of one answer, in its order; *question* counts from 0. InputError for any other form."""
    if hits is None or isinstance(hits, (str, bytes, Mapping)) or not hasattr(hits, "__iter__"):
        raise InputError(
            f"retriever {who!r} answered question {question + 1} with {type(hits).__name__}",
            mend="return a list of hits, best first",
        )
    return [_hit(hit, f"retriever {who!r} answered question {question + 1}") for hit in hits]


def _hit(hit: Any, told: str) -> Found:
    what, score = hit, None
    if isinstance(hit, Mapping):
        score = hit.get("score")
    elif hasattr(hit, "unit") and hasattr(hit, "score"):  # our own Hit
        what, score = {"unit": hit.unit}, hit.score
    elif isinstance(hit, (tuple, list)) and len(hit) == 2:
        what, score = hit
    if isinstance(what, str):
        what = {"unit": what}
    elif not isinstance(what, Mapping) and hasattr(what, "id"):  # our own Unit
        what = {"unit": what.id}
    if not isinstance(what, Mapping) or not (
        "unit" in what or "text" in what or {"doc", "start", "end"} <= what.keys()
    ):
        raise InputError(f"{told} with a hit {str(hit)[:60]!r}", mend=f"a hit is {FORMS}")
    plain = {key: _plain(what[key]) for key in PLACES if key in what}
    if score is None:
        return Found(plain, None)
    try:
        value = float(score)
    except (TypeError, ValueError):
        value = float("nan")
    if not np.isfinite(value):
        raise InputError(
            f"{told} with a score {score!r}",
            mend="a score is a finite number; leave it out when there is none",
        )
    return Found(plain, value)


def _plain(value: Any) -> str | int | list[str] | None:
    """An id, a text or an offset as JSON has it; whatever else it is will be found nowhere.

    A list is of names that a document may go by.
    """
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, list):
        return [str(one) for one in value]
    try:
        return int(value) if value == int(value) else str(value)
    except (TypeError, ValueError, OverflowError):
        return str(value)


def scores(hits: list[Found], notes: dict[str, int]) -> list[float]:
    """The scores of one answer; 1 / rank where some have none, or where they rise (said in *notes*)."""
    given = [hit.score for hit in hits]
    if any(score is None for score in given):
        return [1.0 / rank for rank in range(1, len(hits) + 1)]
    found = [float(score) for score in given if score is not None]
    if any(later > earlier for earlier, later in pairwise(found)):
        # best first is the contract; distances, where less is better, arrive in this form
        notes["scores_against_order"] = notes.get("scores_against_order", 0) + 1
        return [1.0 / rank for rank in range(1, len(hits) + 1)]
    return found


def directed(lists: list[list[Found]], notes: dict[str, int]) -> list[list[Found]]:
    """Lists of a guest that may give distances: where no score falls and some rise, all are turned round.

    *notes* counts the lists that rise as ``distances``. One list that falls, and they are scores.
    """
    rises = 0
    for hits in lists:
        given = [hit.score for hit in hits]
        found = [score for score in given if score is not None]
        if len(found) < len(given) or any(later < earlier for earlier, later in pairwise(found)):
            return lists
        rises += bool(found) and found[-1] > found[0]
    if not rises:
        return lists
    notes["distances"] = rises
    return [[Found(hit.what, -float(hit.score or 0.0)) for hit in hits] for hits in lists]
