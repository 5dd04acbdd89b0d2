"""From scores to rankings: score descending, then the lower position, everywhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from evenhand.model.text import Units

__all__ = ["LEXICAL_DECIMALS", "Ranked", "collect", "ties", "top"]

LEXICAL_DECIMALS = 9  # sums of logarithms differ in the last bits between processors: ranked after rounding


@dataclass(frozen=True, eq=False)
class Ranked:
    """What a system hands back: rankings of all questions in columns, and what to say about them.

    ``offsets``: int64[q + 1]; ``unit``: int32[h], positions in ``table``; ``score``: float64[h];
    ``seconds``: float64[q], the time each question took. ``units`` and ``table`` are set by guests that
    are their own chunking. ``failed``: by position, why a question could not be asked.
    """

    offsets: NDArray[np.int64]
    unit: NDArray[np.int32]
    score: NDArray[np.float64]
    seconds: NDArray[np.float64]
    notes: Mapping[str, int] = field(default_factory=dict)
    provenance: Mapping[str, Any] = field(default_factory=dict)
    units: Units | None = None
    table: Sequence[str] | None = None
    failed: Mapping[int, str] = field(default_factory=dict)


def top(score: NDArray[np.float64], k: int, *, above: float | None = None) -> NDArray[np.int64]:
    """Positions of the *k* highest scores, ties by position; with *above*, only scores greater than it."""
    place = np.arange(len(score)) if above is None else np.flatnonzero(score > above)
    found = score[place]
    if len(found) > k:
        cut = np.partition(found, len(found) - k)[len(found) - k]
        keep = found >= cut
        place, found = place[keep], found[keep]
    order = np.argsort(-found, kind="stable")[:k]
    return np.asarray(place[order])


def collect(
    rows: Sequence[tuple[NDArray[Any], NDArray[np.float64]]], seconds: Sequence[float], **more: Any
) -> Ranked:
    """Put the rankings of single questions, (positions, scores) each, side by side."""
    offsets = np.zeros(len(rows) + 1, dtype=np.int64)
    if rows:
        np.cumsum([len(unit) for unit, _ in rows], out=offsets[1:])
    return Ranked(
        offsets=offsets,
        unit=np.concatenate([u for u, _ in rows] or [np.zeros(0)]).astype(np.int32),
        score=np.concatenate([s for _, s in rows] or [np.zeros(0)]).astype(np.float64),
        seconds=np.asarray(seconds, dtype=np.float64),
        **more,
    )


def ties(offsets: NDArray[np.int64], score: NDArray[np.float64]) -> int:
    """Questions in whose ranking two neighbours have the same score: their order is the tie rule's."""
    if len(score) < 2:
        return 0
    same = np.flatnonzero(score[1:] == score[:-1])
    of = np.searchsorted(offsets, same, side="right") - 1
    inside = same + 1 < offsets[of + 1]
    return len(np.unique(of[inside]))
