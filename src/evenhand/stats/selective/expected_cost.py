"""Several rules' costs on the same items of two kinds: means at any mixture, and which rule is cheapest."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from evenhand.errors import InputError
from evenhand.model.result import Interval
from evenhand.stats.agreement.raters import FEW_CLUSTERS, MOST_UNDEFINED, by_cluster, places, totals
from evenhand.stats.argument_checks import TIE, share, yes_no
from evenhand.stats.intervals.bootstrap import Resampled, percentile
from evenhand.stats.intervals.resample import resampled_means

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["Cheapest", "cheapest", "cheapest_between"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cheapest:
    """For each rule its mean cost with interval, and in which share of common resamples it is cheapest."""

    costs: tuple[Resampled, ...]
    best: tuple[float | None, ...]  # ties split; sums to 1; None without resamples
    undefined: int  # resamples that hold one kind only


def cheapest(
    costs: ArrayLike,
    second: ArrayLike,
    *,
    prevalence: float | None = None,
    clusters: Sequence[Hashable] | None = None,
    level: float = 0.95,
    resamples: int = 10_000,
    seed: int = 20241009,
) -> Cheapest:
    """Mean costs of rules on the same items, with one draw of the items (or whole *clusters*) for all rules.

    *costs*: float64[rules, n]. *second*: bool[n], items of the second kind. With *prevalence* q the mean is
    (1 - q) mean(costs of the first kind) + q mean(costs of the second), as if the second kind were that
    frequent; a resample without one of the kinds has none and is counted. Without it the items count as they
    are. The *prevalence* is taken as known. Source: Efron 1979; Chow 1970 for costs of deferral.
    """
    table, kind = np.asarray(costs, dtype=np.float64), yes_no(second, "second")
    if table.ndim != 2 or kind.shape != (table.shape[1],) or not np.isfinite(table).all():
        raise InputError("costs do not fit the items", mend="give a row a rule, a finite number an item")
    if prevalence is not None and not 0 <= prevalence <= 1:
        raise InputError(f"prevalence is {prevalence!r}", mend="give a share between 0 and 1")
    share(level, "level")
    rules, n = table.shape
    at, k = places(clusters, n)
    columns = np.concatenate([table * ~kind, table * kind, [~kind, kind]]).T
    sums = by_cluster(columns, at, k)
    of = "items" if clusters is None else "clusters"
    method = f"percentile bootstrap over {of}"
    point = _means(totals(sums), rules, prevalence)[0] if k else np.full(rules, np.nan)
    drawn = np.zeros((0, rules))
    if k >= 2 and not np.isnan(point).any():
        drawn = _means(resampled_means(sums, resamples=resamples, seed=seed), rules, prevalence)
    fine = ~np.isnan(drawn).any(axis=1)
    undefined, drawn = int((~fine).sum()), drawn[fine]
    reason = None
    if np.isnan(point).any():
        reason = "one kind of item only" if n else "no items"
    elif k < 2:
        reason = f"only one of the {of}"
    elif undefined > MOST_UNDEFINED * resamples:
        reason = f"{undefined} of {resamples} resamples hold one kind only"
    made, best = [], [None] * rules if reason else _leads(drawn)
    for i in range(rules):
        low, high = (None, None) if reason else percentile(drawn[:, i], level=level)
        flags = () if reason or k >= FEW_CLUSTERS else (f"few_{of}",)
        flat = low is not None and high is not None and high - low <= TIE
        interval = Interval(
            low=low, high=high, level=level, method=method, reason=reason,
            flags=flags + (("zero_width",) if flat else ()),
        )  # fmt: skip
        value = None if np.isnan(point[i]) else float(point[i])
        made.append(
            Resampled(
                point=value, interval=interval, n=k, resamples=resamples, seed=seed, undefined=undefined
            )
        )
    return Cheapest(costs=tuple(made), best=tuple(best), undefined=undefined)


def _means(sums: NDArray[np.float64], rules: int, prevalence: float | None) -> NDArray[np.float64]:
    """float64[b, rules] of sums (or means) over items; NaN where a kind that counts is not there."""
    one, two, n1, n2 = sums[:, :rules], sums[:, rules:-2], sums[:, -2:-1], sums[:, -1:]
    if prevalence is None:
        both = np.divide(one + two, n1 + n2, out=np.full(one.shape, np.nan), where=n1 + n2 > 0)
        return np.asarray(both, dtype=np.float64)
    made = np.zeros(one.shape)
    for weight, cost, n in ((1 - prevalence, one, n1), (prevalence, two, n2)):
        if weight > 0:
            made += weight * np.divide(cost, n, out=np.full(cost.shape, np.nan), where=n > 0)
    return made


def _leads(drawn: NDArray[np.float64]) -> list[float | None]:
    first = drawn <= drawn.min(axis=1, keepdims=True) + TIE
    return [float(one) for one in (first / first.sum(axis=1, keepdims=True)).mean(axis=0)]


def cheapest_between(
    starts: Sequence[float], slopes: Sequence[float], rule: int, *, low: float = 0.0, high: float | None = 1.0
) -> tuple[float, float | None] | None:
    """Where the line of one rule, start + slope x, is lowest of all, within *low*..*high* (None: no end).

    None where it is nowhere lowest. Ties count. Source: the lower envelope of lines.
    """
    begin, end = low, high
    for start, slope in zip(starts, slopes, strict=True):
        # lowest where (own start - start) + (own slope - slope) x <= 0
        gap, steep = starts[rule] - start, slopes[rule] - slope
        if abs(steep) <= TIE:
            if gap > TIE:
                return None
            continue
        cross = -gap / steep
        if steep > 0:
            end = cross if end is None else min(end, cross)
        else:
            begin = max(begin, cross)
    if end is not None and begin > end + TIE:
        return None
    return begin + 0.0, end if end is None else max(begin, end) + 0.0
