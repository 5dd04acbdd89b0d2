"""The range a number can have, and the limits that can be set on it. Plain Python: used in production."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any

from evenhand.errors import InputError, nearest

__all__ = ["SCALES", "Scale", "limit", "number", "scale_of"]

ROOM = 1e-6  # a cosine computed in float32 may be 1.0000001


@dataclass(frozen=True, slots=True)
class Scale:
    """From *low* to *high* (None: no end). ``higher``: more is surer; False for distances."""

    name: str
    low: float | None = None
    high: float | None = None
    higher: bool = True

    def holds(self, value: float, room: float = 0.0) -> bool:
        """Whether a finite number lies on the scale, the ends included."""
        return (self.low is None or value >= self.low - room) and (
            self.high is None or value <= self.high + room
        )

    def passes(self, value: float, threshold: float) -> bool:
        """Whether *value* is as sure as *threshold* or surer."""
        return value >= threshold if self.higher else value <= threshold

    def __str__(self) -> str:
        low = "−∞" if self.low is None else f"{self.low:g}".replace("-", "−")
        return f"{low}..{'∞' if self.high is None else f'{self.high:g}'}"


SCALES: Mapping[str, Scale] = {
    scale.name: scale
    for scale in (
        Scale("cosine", -1.0, 1.0),
        Scale("bm25", 0.0, None),
        Scale("share", 0.0, 1.0),  # agreement, probabilities, reciprocal ranks, tf-idf cosines
        Scale("distance", 0.0, None, higher=False),
        Scale("any", None, None),
    )
}


def scale_of(provenance: Mapping[str, Any]) -> Scale:
    """The scale of a run's scores, by what made it; ``any`` for what is not known (a guest, a file)."""
    retriever = provenance.get("retriever")
    if retriever == "dense":
        return SCALES["cosine"]
    if retriever == "bm25":
        return SCALES["bm25"]
    ranks = provenance.get("fuse") == "rrf" or provenance.get("rerank") == "status"
    return SCALES["share"] if retriever == "tfidf" or ranks else SCALES["any"]


def named(scale: Scale | str) -> Scale:
    """A scale, or the known one of this name."""
    if isinstance(scale, Scale):
        return scale
    if scale not in SCALES:
        raise InputError(f"no scale {scale!r}", mend=nearest(scale, SCALES))
    return SCALES[scale]


def number(value: object) -> tuple[float | None, str]:
    """A finite float, or None and what is wrong: missing, not a number, NaN, infinite. Text is no number."""
    if type(value) is float:  # the common case first
        made = value
    elif value is None:
        return None, "is missing"
    elif isinstance(value, bool) or not isinstance(value, Real):
        return None, "is not a number"
    else:
        try:
            made = float(value)
        except OverflowError:
            return None, "is infinite"
    if made - made == 0.0:
        return made, ""
    return None, "is not a number (NaN)" if math.isnan(made) else "is infinite"


def limit(value: object, scale: Scale, name: str = "threshold") -> float:
    """*value* as a threshold on *scale*; anything else is refused by name, and nothing is guessed."""
    made, wrong = number(value)
    lies = f"{name} is {value!r}"
    room = f"give a finite number within {scale}, with a point: the scale of {scale.name}"
    if made is None:
        raise InputError(f"{lies}, which {wrong}", mend=room)
    if not scale.holds(made):
        raise InputError(f"{lies}, outside the scale {scale}", mend=room)
    return made
