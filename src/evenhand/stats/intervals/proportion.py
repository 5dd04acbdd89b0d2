"""Shares of yes/no items: intervals, clusters of items, and how many items a study needs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from evenhand.errors import InputError
from evenhand.model.result import Interval
from evenhand.stats.argument_checks import column, normal_quantile, share

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = [
    "ICC",
    "DesignEffect",
    "clopper_pearson",
    "icc_anova_binary",
    "min_n_zero_errors",
    "n_for_wilson_halfwidth",
    "wilson",
    "wilson_design_effect",
]

Side = Literal["two", "lower", "upper"]


def _counts(k: float, n: float, side: str) -> None:
    if not (math.isfinite(k) and math.isfinite(n) and 0 <= k <= n):
        raise InputError(f"{k} of {n} is not a share", mend="give counts with 0 <= k <= n")
    if side not in ("two", "lower", "upper"):
        raise InputError(f"side is {side!r}", mend="use two, lower or upper")


def wilson(k: float, n: float, *, level: float = 0.95, side: Side = "two") -> Interval:
    """Wilson's score interval for *k* successes of *n* independent items, without continuity correction.

    z = Phi^-1(1 - a/2); centre = (p + z^2/2n) / (1 + z^2/n);
    half = z/(1 + z^2/n) * sqrt(p(1-p)/n + z^2/4n^2). One-sided bounds use z of *level* itself and leave
    the other end at 0 or 1. *k* and *n* may be fractional (effective sizes). The ends at k = 0 and k = n
    are exactly 0 and 1. Undefined for n = 0.

    Source: Wilson 1927; Newcombe 1998 (Statistics in Medicine 17:857). Agrees with statsmodels
    ``proportion_confint(k, n, alpha, "wilson")``.
    """
    _counts(k, n, side)
    share(level, "level")
    method = "Wilson" if side == "two" else f"Wilson, one-sided {side}"
    if n == 0:
        return Interval(low=None, high=None, level=level, method=method, reason="no items")
    z = normal_quantile(1 - (1 - level) / 2 if side == "two" else level)
    p = k / n
    shrink = 1 + z * z / n
    centre = (p + z * z / (2 * n)) / shrink
    half = z / shrink * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    low = 0.0 if side == "upper" or k == 0 else max(0.0, centre - half)
    high = 1.0 if side == "lower" or k == n else min(1.0, centre + half)
    return Interval(low=low, high=high, level=level, method=method)


def clopper_pearson(k: int, n: int, *, level: float = 0.95, side: Side = "two") -> Interval:
    """The exact (conservative) interval for *k* successes of *n* independent items.

    Beta quantiles: L = Beta^-1(a/2; k, n-k+1), U = Beta^-1(1-a/2; k+1, n-k); one-sided with a in place
    of a/2. L = 0 at k = 0, U = 1 at k = n. Undefined for n = 0. *k* and *n* are whole numbers.

    Source: Clopper & Pearson 1934. Agrees with ``scipy.stats.binomtest(...).proportion_ci("exact")``.
    """
    _counts(k, n, side)
    share(level, "level")
    if k != int(k) or n != int(n):
        raise InputError(f"{k} of {n} is not a count", mend="the exact interval needs whole numbers")
    method = "Clopper-Pearson" if side == "two" else f"Clopper-Pearson, one-sided {side}"
    if n == 0:
        return Interval(low=None, high=None, level=level, method=method, reason="no items")
    from scipy.special import betaincinv

    tail = (1 - level) / 2 if side == "two" else 1 - level
    low = 0.0 if side == "upper" or k == 0 else float(betaincinv(k, n - k + 1, tail))
    high = 1.0 if side == "lower" or k == n else float(betaincinv(k + 1, n - k, 1 - tail))
    return Interval(low=low, high=high, level=level, method=method)


def min_n_zero_errors(alpha: float, delta: float) -> int:
    """The fewest items that, all without error, show an error rate below *alpha* at confidence 1 - *delta*.

    The smallest n with (1 - alpha)^n <= delta: n >= ln(delta) / ln(1 - alpha); 29 for 10% at 5%.
    Source: Clopper & Pearson 1934 at k = 0; the "rule of three" made exact.
    """
    share(alpha, "alpha")
    share(delta, "delta")
    n = max(1, math.ceil(math.log(delta) / math.log1p(-alpha) - 1e-9))
    while n * math.log1p(-alpha) > math.log(delta) + 1e-12:
        n += 1
    return n


def n_for_wilson_halfwidth(p: float, half_width: float, *, level: float = 0.95) -> int:
    """The smallest n at which Wilson's interval around a share of *p* is no wider than ± *half_width*.

    The half-width falls with n, so the search is by halving. Source: Wilson 1927.
    """
    if not 0 <= p <= 1:
        raise InputError(f"p is {p!r}", mend="give a share between 0 and 1")
    share(half_width, "half_width")
    z = normal_quantile(1 - (1 - share(level, "level")) / 2)

    def half(n: int) -> float:
        return z / (1 + z * z / n) * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))

    high = 1
    while half(high) > half_width:
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if half(middle) <= half_width else (middle, high)
    return high


@dataclass(frozen=True, slots=True, kw_only=True)
class ICC:
    """How alike yes/no items of one cluster are; ``clipped`` to [0, 1] is for use, ``icc`` for print."""

    icc: float | None
    clipped: float | None
    msb: float | None = None
    msw: float | None = None
    n0: float | None = None
    reason: str | None = None


def icc_anova_binary(successes: ArrayLike, sizes: ArrayLike) -> ICC:
    """The intraclass correlation of yes/no items in clusters of unequal size, by analysis of variance.

    Clusters i = 1..k with n_i items and x_i successes, N = sum n_i, p = sum x / N:
    MSB = sum n_i (p_i - p)^2 / (k-1); MSW = sum n_i p_i (1-p_i) / (N-k);
    n0 = (N - sum n_i^2 / N) / (k-1); ICC = (MSB - MSW) / (MSB + (n0-1) MSW).

    Undefined for one cluster, for clusters that all hold one item, and when every item passed or failed.
    Clusters without items are left out. Source: Donner 1986; Ridout, Demetrio & Firth 1999 (Biometrics
    55:137). No library has it for unequal binary clusters.
    """
    x, n = _clusters(successes, sizes)
    k, total = len(n), float(n.sum())
    if k < 2:
        return ICC(icc=None, clipped=None, reason="fewer than two clusters")
    if total == k:
        return ICC(icc=None, clipped=None, reason="every cluster holds one item")
    share_of = x / n
    overall = float(x.sum()) / total
    msb = float((n * (share_of - overall) ** 2).sum() / (k - 1))
    msw = float((n * share_of * (1 - share_of)).sum() / (total - k))
    n0 = (total - float((n * n).sum()) / total) / (k - 1)
    below = msb + (n0 - 1) * msw
    if below == 0 or x.sum() in (0, total):
        reason = "every item passed, or every item failed"
        return ICC(icc=None, clipped=None, msb=msb, msw=msw, n0=n0, reason=reason)
    icc = (msb - msw) / below
    return ICC(icc=icc, clipped=min(1.0, max(0.0, icc)), msb=msb, msw=msw, n0=n0)


def _clusters(successes: ArrayLike, sizes: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    x, n = column(successes, "successes"), column(sizes, "sizes")
    if x.shape != n.shape or (x < 0).any() or (x > n).any():
        raise InputError(
            "successes and sizes do not fit", mend="give 0 <= successes <= sizes, one pair a cluster"
        )
    return x[n > 0], n[n > 0]


@dataclass(frozen=True, slots=True, kw_only=True)
class DesignEffect:
    """A share of clustered items, with n divided by the design effect before the interval is taken."""

    point: float | None
    n: int
    clusters: int
    m: float | None
    icc: float | None
    icc_undefined: bool
    deff: float | None
    n_eff: float | None
    interval: Interval


def wilson_design_effect(
    successes: ArrayLike,
    sizes: ArrayLike,
    *,
    level: float = 0.95,
    m: Literal["mean", "size_weighted"] = "mean",
    on_undefined_icc: Literal["one", "zero"] = "one",
) -> DesignEffect:
    """Wilson's interval on the effective n of clustered yes/no items: N / (1 + (m - 1) ICC+).

    *m* is the mean cluster size N/k, or sum n_i^2 / N (``size_weighted``: larger, more conservative).
    When the ICC is undefined (see `icc_anova_binary`) it is taken as 1, so that n_eff falls to the number
    of clusters, or as 0 (``zero``); which of the two is flagged ``icc_undefined``. With few clusters the
    normal quantile is optimistic (Korn & Graubard 1998): below 20 the flag ``few_clusters`` is set.

    Source: Kish 1965; Donner 1986.
    """
    if m not in ("mean", "size_weighted") or on_undefined_icc not in ("one", "zero"):
        raise InputError(
            f"m is {m!r}, on_undefined_icc is {on_undefined_icc!r}",
            mend="use m = mean or size_weighted, on_undefined_icc = one or zero",
        )
    x, n = _clusters(successes, sizes)
    k, total = len(n), float(n.sum())
    method = "Wilson with design effect"
    if k == 0:
        nothing = Interval(low=None, high=None, level=level, method=method, reason="no items")
        return DesignEffect(
            point=None,
            n=0,
            clusters=0,
            m=None,
            icc=None,
            icc_undefined=True,
            deff=None,
            n_eff=None,
            interval=nothing,
        )
    found = icc_anova_binary(x, n)
    undefined = found.clipped is None
    icc = found.clipped if found.clipped is not None else float(on_undefined_icc == "one")
    size = total / k if m == "mean" else float((n * n).sum()) / total
    deff = 1 + (size - 1) * icc
    n_eff = total / deff
    p = float(x.sum()) / total
    # k_eff = n_eff exactly at p = 1, so that the end is exactly 1
    plain = wilson(n_eff if p == 1 else p * n_eff, n_eff, level=level)
    flags = (("icc_undefined", f"icc_taken_as_{on_undefined_icc}") if undefined else ()) + (
        ("few_clusters",) if k < 20 else ()
    )
    interval = Interval(low=plain.low, high=plain.high, level=level, method=method, flags=flags)
    return DesignEffect(
        point=p,
        n=int(total),
        clusters=k,
        m=size,
        icc=icc,
        icc_undefined=undefined,
        deff=deff,
        n_eff=n_eff,
        interval=interval,
    )
