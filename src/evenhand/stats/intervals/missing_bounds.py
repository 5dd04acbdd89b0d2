"""Means over what could be read, with what the rest could make of them; pairs on what both have."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from evenhand.errors import InputError

__all__ = ["Readable", "mean_readable", "paired_readable"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Readable:
    """``mean`` over the ``n`` values that could be read, of ``of``; its bounds as in `mean_readable`."""

    mean: float | None
    n: int
    of: int
    low: float | None
    high: float | None
    reason: str | None = None

    @property
    def missing(self) -> int:
        """How many could not be read."""
        return self.of - self.n


def mean_readable(values: Sequence[float | None], *, scale: tuple[float, float]) -> Readable:
    """The mean over the values that are there, and its bounds were all others at the ends of *scale*.

    A failed reading (None) is never the lowest value and never dropped in silence: ``low`` takes all of
    them as *scale*'s lower end, ``high`` as its upper end. Undefined when none could be read; the bounds
    are then the ends. Source: the definition; worst-case bounds, Manski 1989.
    """
    low, high = scale
    if not low < high:
        raise InputError(f"the scale is {scale!r}", mend="give its lower and its upper end")
    there = [value for value in values if value is not None]
    odd = next((one for one in there if not _on(one, low, high)), None)
    if odd is not None:
        raise InputError(f"{odd!r} is not on the scale {low:g} to {high:g}", mend="count it as not readable")
    total, n, of = math.fsum(there), len(there), len(values)
    if not of:
        return Readable(mean=None, n=0, of=0, low=None, high=None, reason="no items")
    return Readable(
        mean=total / n if n else None,
        n=n,
        of=of,
        low=(total + (of - n) * low) / of,
        high=(total + (of - n) * high) / of,
        reason=None if n else "nothing could be read",
    )


def _on(value: Any, low: float, high: float) -> bool:
    return not isinstance(value, str) and bool(low <= value <= high)


def paired_readable(
    first: Sequence[float | None], second: Sequence[float | None], *, scale: tuple[float, float]
) -> tuple[Readable, Readable]:
    """Both means over the items that both have; the bounds are those of these items alone.

    Source: the definition; two means over different items are no comparison.
    """
    if len(first) != len(second):
        raise InputError(f"{len(first)} values against {len(second)}", mend="give one of each an item")
    both = [(a, b) for a, b in zip(first, second, strict=True) if a is not None and b is not None]
    return (
        mean_readable([a for a, _ in both], scale=scale),
        mean_readable([b for _, b in both], scale=scale),
    )
