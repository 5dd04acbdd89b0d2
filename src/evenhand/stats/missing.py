"""A mean of which some values are missing: what is known, and between what it must lie."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evenhand.errors import InputError
from evenhand.stats.bootstrap import mean
from evenhand.stats.checks import column

__all__ = ["Partial", "partial_mean"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Partial:
    """The mean of the values that are there; ``least`` and ``most`` if all others were at the ends."""

    value: float | None
    n: int  # values that are there
    missing: int
    least: float | None
    most: float | None
    reason: str | None = None


def partial_mean(values: Sequence[float | None], *, low: float, high: float) -> Partial:
    """The mean of what is given, and the two means if every missing value were *low*, or *high*.

    A failed call is never a 0: it is left out of the mean, counted, and bounded. Nothing given: no mean,
    and the bounds are the scale. Source: the worst-case bounds of Manski 1989.
    """
    given = column([value for value in values if value is not None])
    if not low <= high or (len(given) and not low <= given.min() <= given.max() <= high):
        raise InputError(
            f"values leave the scale {low:g} to {high:g}", mend="count a grade out of scale as missing"
        )
    if not len(values):
        return Partial(value=None, n=0, missing=0, least=None, most=None, reason="no values")
    lost = len(values) - len(given)
    known = (mean(given) or 0.0) * len(given)
    return Partial(
        value=mean(given),
        n=len(given),
        missing=lost,
        least=(known + lost * low) / len(values),
        most=(known + lost * high) / len(values),
        reason=None if len(given) else "every value is missing",
    )
