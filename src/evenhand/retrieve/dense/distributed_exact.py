"""Exact search on the workers of an engine: stretches of units apart, the best of all of them together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from evenhand.protocols import Progress, quiet
from evenhand.retrieve.dense.exact import DECIMALS, Held, Rows, cosine_top

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from evenhand.protocols import Engine

__all__ = ["SPAN", "nearest"]

SPAN = 16_384  # units a worker searches at once: 24 MB of 384 dimensions
GATHER = 8  # answers that are merged at once


@dataclass(frozen=True, slots=True)
class _Stretch:
    """The best units of every question in one stretch, in flat columns by question."""

    question: NDArray[np.int64]
    unit: NDArray[np.int64]
    cosine: NDArray[np.float64]
    blank_units: int
    blank_questions: int


def nearest(
    asked: NDArray[Any] | Rows,
    held: NDArray[Any] | Rows,
    k: int,
    *,
    engine: Engine | None,
    decimals: int = DECIMALS,
    progress: Progress = quiet,
) -> tuple[list[tuple[NDArray[np.int64], NDArray[np.float64]]], int, int]:
    """`evenhand.retrieve.dense.exact.cosine_top`, on the workers of *engine*: the very same comes out.

    Each stretch of units is sent once, the questions once to each worker. A worker gives the *k* best of its
    stretch by the rounded cosine of float64, ties by position; so the *k* best of all are among them.
    Without an engine the search is done here.
    """
    if engine is None:
        return cosine_top(asked, held, k, decimals=decimals, progress=progress)
    units: Rows = Held(held) if isinstance(held, np.ndarray) else held
    questions: Rows = Held(asked) if isinstance(asked, np.ndarray) else asked
    n, many = units.shape[0], questions.shape[0]
    wide = questions.block(0, many)
    stretches = range(0, n, SPAN)

    def sent() -> Iterator[tuple[int, NDArray[Any]]]:
        for first in stretches:
            yield first, _narrow(units.block(first, SPAN))

    best = _Stretch(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0), 0, 0)
    waiting: list[_Stretch] = []
    shared = (_narrow(wide), k, decimals)
    for done, part in enumerate(engine.map(_search, sent(), shared=shared), start=1):
        waiting.append(part)
        if len(waiting) == GATHER or done == len(stretches):
            best, waiting = _merged([best, *waiting], k), []
        progress("search", min(done * SPAN, n), n)
    edges = np.searchsorted(best.question, np.arange(1, many))
    rows = list(zip(np.split(best.unit, edges), np.split(best.cosine, edges), strict=True)) if many else []
    return rows, best.blank_units, best.blank_questions


def _narrow(wide: NDArray[np.float64]) -> NDArray[Any]:
    """The same numbers in half the bytes, where float32 holds them."""
    narrow = wide.astype(np.float32)
    return narrow if np.array_equal(narrow, wide, equal_nan=True) else wide


def _search(asked: NDArray[Any], k: int, decimals: int, item: tuple[int, NDArray[Any]]) -> _Stretch:
    """One stretch of units, on a worker."""
    first, held = item
    rows, blank_units, blank_questions = cosine_top(asked, held, k, decimals=decimals)
    size = [len(unit) for unit, _ in rows]
    return _Stretch(
        np.repeat(np.arange(len(rows)), size),
        np.concatenate([np.zeros(0, np.int64), *(unit for unit, _ in rows)]) + first,
        np.concatenate([np.zeros(0), *(cosine for _, cosine in rows)]),
        blank_units,
        blank_questions,
    )


def _merged(parts: list[_Stretch], k: int) -> _Stretch:
    question, unit, cosine = (
        np.concatenate([getattr(part, name) for part in parts]) for name in ("question", "unit", "cosine")
    )
    order = np.lexsort((unit, -cosine, question))
    ordered = question[order]
    rank = np.arange(len(order)) - np.searchsorted(ordered, ordered)
    order = order[rank < k]
    return _Stretch(
        question[order],
        unit[order],
        cosine[order],
        sum(part.blank_units for part in parts),
        parts[-1].blank_questions,
    )
