"""Coverage of intervals of shares: alone, in pairs, apart, in clusters."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from benchmarks.coverage_lines import SEED, Array, Line, Size
from evenhand.model.result import Interval
from evenhand.stats.intervals.bootstrap import cluster_rate
from evenhand.stats.intervals.clusters import cluster_mean
from evenhand.stats.intervals.proportion import clopper_pearson, wilson, wilson_design_effect
from evenhand.stats.paired.paired import newcombe
from evenhand.stats.power.audit import shares_apart

__all__ = ["apart", "clusters", "pairs", "shares"]

CELLS = {
    "0.70 against 0.60, alike": (0.55, 0.15, 0.05, 0.25),
    "0.95 against 0.90, alike": (0.88, 0.07, 0.02, 0.03),
}


def shares(ns: Sequence[int]) -> list[Line]:
    """Exactly, by adding up the binomial."""
    from scipy.stats import binom

    made = []
    for name, interval in (("Wilson", wilson), ("Clopper-Pearson", clopper_pearson)):
        for words, side in (("", "two"), (", one-sided lower", "lower"), (", one-sided upper", "upper")):
            for p in (0.5, 0.8, 0.95):
                at = {}
                for n in ns:
                    inside = 0.0
                    for k in range(n + 1):
                        one = interval(k, n, side=side)
                        if (one.low is None or one.low <= p) and (one.high is None or p <= one.high):
                            inside += float(binom.pmf(k, n, p))
                    at[n] = inside
                made.append(Line("hit rates", name + words, f"rate {p:g}", at))
    return made


def pairs(ns: Sequence[int], size: Size) -> list[Line]:
    """The same questions for both systems."""
    made = []
    for method in (10, 8, 9):
        for name, chances in CELLS.items():
            at, truth = {}, chances[1] - chances[2]
            for n in ns:
                drawn = np.random.default_rng([SEED, n]).multinomial(n, chances, size=size.studies)
                at[n] = _share(drawn, lambda t, m=method: newcombe(*t, method=m).interval, truth)
            made.append(Line("paired hit rates", f"Newcombe method {method}", name, at))
    return made


def apart(ns: Sequence[int], size: Size) -> list[Line]:
    """Different questions for each system, n each."""
    made = []
    for first, second in ((0.7, 0.6), (0.95, 0.9)):
        at = {}
        for n in ns:
            drawn = np.random.default_rng([SEED, n, 34]).binomial(n, (first, second), (size.studies, 2))
            at[n] = _share(drawn, lambda t, n=n: shares_apart(t[0], n, t[1], n).interval, first - second)
        setting = f"hit rates {first:.2f} against {second:.2f}"
        made.append(Line("different questions", "Newcombe, independent shares", setting, at))
    return made


def _share(drawn: NDArray[np.int64], interval: Callable[..., Interval], truth: float) -> float:
    """Of many tables of counts, a row each: the share whose interval holds the truth."""
    tables, times = np.unique(drawn, axis=0, return_counts=True)
    inside = 0
    for table, many in zip(tables.tolist(), times.tolist(), strict=True):
        one = interval(table)
        inside += many * (one.low is not None and one.high is not None and one.low <= truth <= one.high)
    return inside / len(drawn)


def _clustered(n: int, studies: int, icc: float, p: float) -> tuple[list[NDArray[np.int64]], Array]:
    """Sizes 1 to 9 of n/5 or more clusters, and each cluster's own rate (beta, mean p, correlation icc)."""
    dice = np.random.default_rng([SEED, n, 5])
    k = max(3, round(n / 5))
    sizes = dice.integers(1, 10, size=(studies, k))
    a = p * (1 - icc) / icc
    rates = dice.beta(a, (1 - p) * (1 - icc) / icc, size=(studies, k))
    return [dice.binomial(sizes, rates), sizes], rates


def clusters(ns: Sequence[int], size: Size) -> list[Line]:
    icc, p = 0.3, 0.8
    setting = f"rate {p:g}, clusters of 5 on average, correlation {icc:g}"
    found: dict[str, dict[int, float]] = {}
    for n in ns:
        (hits, sizes), _ = _clustered(n, size.slow, icc, p)
        kept: dict[str, list[bool]] = {}
        for x, m in zip(hits, sizes, strict=True):
            total, k = int(m.sum()), int(x.sum())
            rate = cluster_rate(x, m, resamples=size.resamples, seed=SEED)
            values = np.concatenate([np.repeat([1.0, 0.0], [a, b - a]) for a, b in zip(x, m, strict=True)])
            names = np.repeat(np.arange(len(m)), m).tolist()
            intervals = {
                "Wilson, clusters ignored": wilson(k, total),
                "Wilson with design effect, mean size": wilson_design_effect(x, m).interval,
                "Wilson with design effect, weighted size": wilson_design_effect(
                    x, m, m="size_weighted"
                ).interval,
                "cluster bootstrap, macro": rate.macro.interval,
                "cluster bootstrap, pooled": rate.pooled.interval,
                "linearised over clusters, t": cluster_mean(values, names).interval,
            }
            for name, one in intervals.items():
                held = one.low is not None and one.high is not None and one.low <= p <= one.high
                if one.low != one.high:
                    kept.setdefault(name, []).append(held)
        for name, every in kept.items():
            found.setdefault(name, {})[n] = float(np.mean(every))
    return [Line("hit rates in clusters", name, setting, at) for name, at in found.items()]
