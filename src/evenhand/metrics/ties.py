"""What ties do to a number: equal scores stand in an order that the system did not choose."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from evenhand.metrics.names import kind
from evenhand.metrics.ranked import gains

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from evenhand.metrics.kinds import Metric
    from evenhand.metrics.view import View

__all__ = ["audit"]


def audit(view: View, metric: Metric) -> dict[str, Any] | None:
    """How far the order within ties moves *metric*; None where no tie touches a relevant unit above its cut.

    ``questions``: how many such a tie touches; for RR and nDCG also ``low``, ``expected`` and ``high``, the
    mean over questions in the worst order of ties, over all orders, and in the best. Questions without a
    relevant unit are left out, missing ones count 0.
    """
    entry = kind(metric)
    if metric.budget is not None or entry.needs != "grades" or entry.total != "mean":
        return None
    options = entry.full(metric)
    rel = float(options.get("rel", 1))
    k = metric.cutoff or np.iinfo(np.int64).max
    good = view.grade >= rel if "rel" in options else view.grade > 0
    touched = good & (view.high > view.low) & (view.low <= k)
    if not touched.any():
        return None
    found: dict[str, Any] = {"questions": len(np.unique(view.question[touched]))}
    if metric.name == "RR":
        bounds = _rr(view, rel, k)
        defined = view.judged.relevant(rel) > 0
    elif metric.name == "nDCG":
        bounds, defined = _ndcg(view, str(options["gain"]), k)
    else:
        return found
    names = ("low", "expected", "high")
    return found | {name: float(x[defined].mean()) for name, x in zip(names, bounds, strict=True)}


def _rr(view: View, rel: float, k: int) -> tuple[NDArray[np.float64], ...]:
    hits, place = view.nth(view.grade >= rel)
    first = hits[place == 1]  # ranks never cross tie groups, so the first hit lies in the first group
    question, low, high = view.question[first], view.low[first], view.high[first]
    group_of = np.full(view.n, -1, dtype=np.int64)
    group_of[question] = low
    inside = hits[view.low[hits] == group_of[view.question[hits]]]
    count = np.bincount(view.question[inside], minlength=view.n)[question]
    worst, best, mean = np.zeros(view.n), np.zeros(view.n), np.zeros(view.n)
    last = high - count + 1
    best[question] = np.where(low <= k, 1.0 / low, 0.0)
    worst[question] = np.where(last <= k, 1.0 / last, 0.0)
    mean[question] = best[question]
    for i in np.flatnonzero(high > low):
        size, r = int(high[i] - low[i] + 1), int(count[i])
        j = np.arange(1, size - r + 1)
        # chance that the first of r relevant ones among n stands at place j: C(n - j, r - 1) / C(n, r)
        chance = np.concatenate([[r / size], r / size * np.cumprod((size - j - r + 1) / (size - j))])
        rank = low[i] + np.arange(len(chance))
        mean[question[i]] = float(np.sum(chance * np.where(rank <= k, 1.0 / rank, 0.0)))
    return worst, mean, best


def _ndcg(view: View, gain: str, k: int) -> tuple[tuple[NDArray[np.float64], ...], NDArray[np.bool_]]:
    _, grade, place = view.judged.best_first
    worth = gains(grade, gain) / np.log2(place + 1.0)
    ideal = view.judged.sums(("ideal", gain), k if k < 2**62 else None, worth)
    value = gains(view.grade, gain)
    order = np.lexsort((-value, view.low, view.question))
    question, low, high, value = view.question[order], view.low[order], view.high[order], value[order]
    start = np.ones(len(order), dtype=bool)
    start[1:] = (question[1:] != question[:-1]) | (low[1:] != low[:-1])
    begin = np.flatnonzero(start)
    nth = np.arange(len(order)) - begin[np.cumsum(start) - 1]

    depth = int(min(k, high.max(initial=1)))
    discount = np.concatenate([[0.0], np.cumsum(1.0 / np.log2(np.arange(2.0, depth + 2.0)))])
    mean = (discount[np.minimum(high, depth)] - discount[np.minimum(low - 1, depth)]) / (high - low + 1)

    def total(rank: NDArray[np.int64]) -> NDArray[np.float64]:
        part = np.where(rank <= k, value / np.log2(rank + 1.0), 0.0)
        return np.bincount(question, part, minlength=view.n).astype(float)

    sums = total(high - nth), np.bincount(question, value * mean, minlength=view.n), total(low + nth)
    defined = ideal > 0
    return tuple(np.minimum(x / np.where(defined, ideal, 1.0), 1.0) for x in sums), defined
