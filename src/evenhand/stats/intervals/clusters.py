"""Items in clusters (labels by query, chunks by page): the mean over items, with an honest error."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from evenhand.errors import InputError
from evenhand.model.result import Interval
from evenhand.stats.agreement.raters import (
    FEW_CLUSTERS,
    RESAMPLES,
    SEED,
    by_cluster,
    interval_over,
    places,
    totals,
)
from evenhand.stats.argument_checks import TIE, column, p_value, share
from evenhand.stats.intervals.bootstrap import Resampled
from evenhand.stats.intervals.proportion import ICC
from evenhand.stats.intervals.resample import compositions, weighted_quantile
from evenhand.stats.paired.paired import mcnemar
from evenhand.stats.paired.signflip import SignFlip, signflip

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = [
    "ClusterMean",
    "Direction",
    "Distribution",
    "cluster_mean",
    "cluster_mean_bootstrap",
    "cluster_mean_exact",
    "cluster_means_of_draws",
    "direction",
    "direction_by_cluster",
    "icc_anova",
]

LINEARISED = "linearised over clusters, t"


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterMean:
    """The mean over items and three errors: as if independent, and by cluster without and with correction."""

    mean: float | None
    n: int
    clusters: int
    se_independent: float | None
    se_uncorrected: float | None
    se: float | None  # to be used
    design_effect: float | None  # (se_uncorrected / se_independent)^2
    interval: Interval
    reason: str | None = None


def cluster_mean(values: ArrayLike, cluster: Sequence[Hashable], *, level: float = 0.95) -> ClusterMean:
    """The mean of clustered *values* (a ratio of sums) with the linearised, cluster-robust error.

    u_k = sum over cluster k of (y - mean); SE = sqrt(K/(K-1) sum u_k^2) / n, without the factor in
    ``se_uncorrected``. The interval is mean +- t_{K-1} SE; it is clipped to [0, 1] when all values lie
    there. Undefined for no values; no error or interval with one cluster; flagged ``few_clusters`` below 20.

    Source: Liang & Zeger 1986; Cochran 1977. Agrees with statsmodels OLS ``cov_type="cluster"``.
    """
    y = column(values)
    at, k = places(cluster, len(y))
    n = len(y)
    if not n:
        return _no_mean(None, 0, 0, level=level, reason="no items")
    mean = math.fsum(y.tolist()) / n
    if k < 2:
        return _no_mean(mean, n, k, level=level, reason="only one cluster")
    u = by_cluster((y - mean)[:, None], at, k)[:, 0]
    squares = math.fsum((u**2).tolist())
    plain = math.sqrt(squares) / n
    se = math.sqrt(k / (k - 1) * squares) / n
    independent = math.sqrt(math.fsum(((y - mean) ** 2).tolist())) / n
    from scipy.special import stdtrit

    reach = float(stdtrit(k - 1, 1 - (1 - share(level, "level")) / 2)) * se
    low, high = mean - reach, mean + reach
    if y.min() >= 0 and y.max() <= 1:
        low, high = max(0.0, low), min(1.0, high)
    flags = (("few_clusters",) if k < FEW_CLUSTERS else ()) + (("zero_width",) if reach <= TIE else ())
    return ClusterMean(
        mean=mean,
        n=n,
        clusters=k,
        se_independent=independent,
        se_uncorrected=plain,
        se=se,
        design_effect=(plain / independent) ** 2 if independent > TIE else None,
        interval=Interval(low=low, high=high, level=level, method=LINEARISED, flags=flags),
        reason=None if independent > TIE else "no variation seen",
    )


def _no_mean(mean: float | None, n: int, k: int, *, level: float, reason: str) -> ClusterMean:
    return ClusterMean(
        mean=mean,
        n=n,
        clusters=k,
        se_independent=None,
        se_uncorrected=None,
        se=None,
        design_effect=None,
        interval=Interval(low=None, high=None, level=share(level, "level"), method=LINEARISED, reason=reason),
        reason=reason,
    )


def icc_anova(values: ArrayLike, cluster: Sequence[Hashable]) -> ICC:
    """The intraclass correlation of any numbers in clusters of unequal size, by analysis of variance.

    `icc_anova_binary` for values that are not yes or no, with the same formula: MSB = sum n_i (mean_i -
    mean)^2 / (k-1); MSW = sum (y - mean_i)^2 / (N-k); n0 = (N - sum n_i^2 / N) / (k-1);
    ICC = (MSB - MSW) / (MSB + (n0-1) MSW). Undefined for one cluster, for clusters that all hold one
    item, and for values that do not vary. Source: Donner 1986; Ridout, Demetrio & Firth 1999.
    """
    y = column(values)
    at, k = places(cluster, len(y))
    if k < 2:
        return ICC(icc=None, clipped=None, reason="fewer than two clusters")
    if len(y) == k:
        return ICC(icc=None, clipped=None, reason="every cluster holds one item")
    y = y - y.mean()
    sums = by_cluster(np.column_stack([y, y * y, np.ones(len(y))]), at, k)
    size = sums[:, 2]
    between = math.fsum((sums[:, 0] ** 2 / size).tolist())
    whole = math.fsum(sums[:, 1].tolist())
    msb, msw = between / (k - 1), max(0.0, whole - between) / (len(y) - k)
    n0 = (len(y) - float((size * size).sum()) / len(y)) / (k - 1)
    if whole <= TIE**2 * len(y):
        return ICC(icc=None, clipped=None, msb=msb, msw=msw, n0=n0, reason="the values do not vary")
    icc = (msb - msw) / (msb + (n0 - 1) * msw)
    return ICC(icc=icc, clipped=min(1.0, max(0.0, icc)), msb=msb, msw=msw, n0=n0)


def _sums(values: ArrayLike, cluster: Sequence[Hashable]) -> NDArray[np.float64]:
    """Sum of values and number of items by cluster: float64[clusters, 2]."""
    y = column(values)
    at, k = places(cluster, len(y))
    return by_cluster(np.column_stack([y, np.ones(len(y))]), at, k)


def _ratio(sums: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    defined = sums[:, 1] > 0
    return np.divide(sums[:, 0], sums[:, 1], out=np.zeros(len(sums)), where=defined), defined


def cluster_mean_bootstrap(
    values: ArrayLike,
    cluster: Sequence[Hashable],
    *,
    level: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> Resampled:
    """The mean over items with whole clusters resampled: sum of values / number of items in each resample.

    All items of a drawn cluster come together, so large clusters weigh more; the mean of resamples is
    not quite the mean (a ratio's bias). Percentile interval; none with fewer than two clusters.
    Source: Davison & Hinkley 1997, ch. 3.8.
    """
    sums = _sums(values, cluster)
    point = float(_ratio(totals(sums))[0][0]) if len(sums) else None
    interval, undefined = interval_over(
        sums, _ratio, of="clusters", level=level, resamples=resamples, seed=seed
    )
    return Resampled(
        point=point, interval=interval, n=len(sums), resamples=resamples, seed=seed, undefined=undefined
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Distribution:
    """All resamples of a few clusters: the statistic, how often each value occurs, and its moments."""

    point: float
    resamples: int
    mean: float
    sd: float  # over all resamples, ddof 0
    interval: Interval
    values: tuple[float, ...]  # distinct, rising; closer than 1e-12 is the same
    weights: tuple[float, ...]


def cluster_mean_exact(
    values: ArrayLike, cluster: Sequence[Hashable], *, level: float = 0.95
) -> Distribution | None:
    """`cluster_mean_bootstrap` over all resamples of at most ten clusters, nothing random; None without any.

    A yardstick for the random bootstrap, and a test that the unit drawn is the cluster.
    Source: Davison & Hinkley 1997.
    """
    sums = _sums(values, cluster)
    if not len(sums):
        return None
    counts, weights = compositions(len(sums))
    ratio, _ = _ratio(counts @ sums)
    order = np.argsort(ratio, kind="stable")
    ordered, heavy = ratio[order], weights[order]
    group = np.concatenate([[0], np.cumsum(np.diff(ordered) > TIE)]).astype(np.int64)
    first = np.flatnonzero(np.diff(group, prepend=-1))
    total = float(weights.sum())
    mean = float((ratio * weights).sum() / total)
    tail = (1 - share(level, "level")) / 2
    low, high = weighted_quantile(ratio, weights, (tail, 1 - tail))
    return Distribution(
        point=float(_ratio(totals(sums))[0][0]),
        resamples=int(total),
        mean=mean,
        sd=math.sqrt(float((weights * (ratio - mean) ** 2).sum()) / total),
        interval=Interval(low=low, high=high, level=level, method="percentile bootstrap, all resamples"),
        values=tuple(ordered[first].tolist()),
        weights=tuple(np.bincount(group, weights=heavy).tolist()),
    )


def cluster_means_of_draws(
    values: ArrayLike, cluster: Sequence[Hashable], draws: ArrayLike
) -> list[float | None]:
    """The mean over items in each of *draws* (int[b, any]): positions of clusters in order of appearance.

    For whoever draws the clusters otherwise. Source: the definition, sum of values / number of items.
    """
    sums, drawn = _sums(values, cluster), np.asarray(draws, dtype=np.int64)
    if drawn.ndim != 2 or (drawn.size and not 0 <= drawn.min() <= drawn.max() < len(sums)):
        raise InputError(
            "a draw names a cluster that is not there", mend="give positions from 0 on, a row a draw"
        )
    ratio, defined = _ratio(sums[drawn].sum(axis=1))
    return [float(x) if fine else None for x, fine in zip(ratio, defined, strict=True)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Direction:
    """On which side a judge differs from people: is it lenient or strict?"""

    lenient: int  # judge yes, human no
    strict: int  # judge no, human yes
    n: int
    net: float | None  # (lenient - strict) / (lenient + strict)
    bias: float | None  # (lenient - strict) / n: the judge's rate less the human rate
    p: float  # exact, two-sided
    p_lenient: float  # exact, one-sided: the judge says yes too often
    reason: str | None = None  # why net is missing


def direction(lenient: int, strict: int, n: int) -> Direction:
    """The exact test of one-sided disagreement (McNemar's), over *n* independent items.

    p = min(1, 2 P(Bin(b + c, 1/2) <= min(b, c))); one-sided P(Bin >= b). No disagreement: both p are 1
    and the net direction is undefined. Source: McNemar 1947. Agrees with ``scipy.stats.binomtest``.
    """
    b, c = lenient, strict
    if b < 0 or c < 0 or b + c > n:
        raise InputError(f"{b} and {c} disagreements of {n}", mend="give whole numbers that sum to n at most")
    from scipy.special import bdtrc

    return Direction(
        lenient=b,
        strict=c,
        n=n,
        net=(b - c) / (b + c) if b + c else None,
        bias=(b - c) / n if n else None,
        p=mcnemar(b, c).p_exact,
        p_lenient=p_value(bdtrc(b - 1, b + c, 0.5)) if b else 1.0,
        reason=None if b + c else "no disagreement",
    )


def direction_by_cluster(
    lenient: ArrayLike, strict: ArrayLike, *, signs: int = 20_000, seed: int = SEED
) -> SignFlip:
    """The sign-flip test on whole clusters: is lenient - strict centred on 0 over queries?

    *lenient*, *strict*: counts, one a cluster. Keeps its size when items of a query lean the same way,
    where `direction` does not. Source: Fisher 1935, with the cluster as the unit.
    """
    b, c = column(lenient, "lenient"), column(strict, "strict")
    if b.shape != c.shape:
        raise InputError(f"{len(b)} counts against {len(c)}", mend="give two counts a cluster")
    return signflip(b - c, signs=signs, seed=seed)
