"""Metrics that go in steps: whether a printed mean of *n* questions can be one at all."""

from __future__ import annotations

from math import ceil, floor, lcm
from typing import TYPE_CHECKING

from evenhand.text.plural import many

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evenhand.metrics.catalogue.metric_type import Metric

__all__ = ["attainable", "impossible", "step_of"]

BITS = 500_000  # sums of reciprocal ranks that are looked at one by one, at most
SLACK = 1e-9


def step_of(metric: Metric, relevant: int | None = None) -> int | None:
    """Into how many equal steps one question's value falls; None where it has none.

    Precision and the judged share at k go in steps of 1/k, recall in steps of 1/R where all questions have
    R = *relevant* units, as average of which every sum is possible.
    """
    if metric.budget is not None:
        return None
    if metric.name in ("P", "Judged"):
        return metric.cutoff
    return relevant if metric.name in ("R", "RPrec") and not dict(metric.params).get("mult") else None


def attainable(metric: Metric, n: int) -> tuple[int, int] | None:
    """Which sums of *n* reciprocal ranks at k there are: a set of bits, and what one bit is a part of."""
    if metric.name != "RR" or metric.cutoff is None:
        return None
    part = 1
    for rank in range(2, metric.cutoff + 1):
        part = lcm(part, rank)
        if n * part > BITS:
            return None
    found = 1
    for _ in range(n):
        more = found
        for rank in range(1, metric.cutoff + 1):
            more |= found << (part // rank)
        found = more
    return found, part


def impossible(
    metric: Metric, text: str, value: float, *, half: float, n: int, relevant: int | None
) -> tuple[str, bool]:
    """Why no *n* questions have the mean *value*, printed as *text*; and whether its digits were cut off.

    *half*: half of the last printed digit. A half may have been rounded up, down or to even.
    """
    windows = ((value - half, value + half, False), (value, value + 2 * half, True))
    if step := step_of(metric, relevant):
        size = n * step
        for low, high, cut in windows:
            if _first(low, size) <= _last(high, size, below=cut):
                return "", cut
        near = _shown((j / size for j in (floor(value * size), ceil(value * size))), half)
        return f"{metric} over {many(n, 'question')} goes in steps of 1/{size}: the nearest are {near}", False
    if n == 1 and metric.name == "RR" and metric.cutoff is None:
        ranks = [0.0] + ([1 / floor(1 / value), 1 / ceil(1 / value)] if value else [])
        for low, high, cut in windows:
            if any(low - SLACK <= one < high + (-SLACK if cut else SLACK) for one in ranks):
                return "", cut
        return f"one question has the reciprocal rank 0 or 1/rank: {text} is neither", False
    sums = attainable(metric, n)
    if sums is None:
        return "", False
    found, part = sums
    size = n * part
    for low, high, cut in windows:
        first, last = _first(low, size), _last(high, size, below=cut)
        if first <= last and (found >> first) & ((1 << (last - first + 1)) - 1):
            return "", cut
    below = (found & ((1 << (floor(value * size) + 1)) - 1)).bit_length() - 1
    above = found >> ceil(value * size)
    ends = [below, *([ceil(value * size) + (above & -above).bit_length() - 1] if above else [])]
    near = _shown((j / size for j in ends), half)
    whole = f"no {n} values of 0, 1, 1/2 … 1/{metric.cutoff} have this mean"
    return f"{whole}: the nearest are {near}", False


def _first(low: float, size: int) -> int:
    return max(0, ceil(low * size - SLACK))


def _last(high: float, size: int, *, below: bool) -> int:
    return min(size, ceil(high * size - SLACK) - 1 if below else floor(high * size + SLACK))


def _shown(values: Iterator[float], half: float) -> str:
    digits = 1
    while half < 0.5 * 10.0**-digits and digits < 12:
        digits += 1
    return " and ".join(f"{one:.{digits + 1}f}" for one in values)
