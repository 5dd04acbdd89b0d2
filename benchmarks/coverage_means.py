"""Coverage of intervals of means, of their differences, and of correlations."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from benchmarks.coverage_lines import SEED, Line, Size, held, lines, repeated
from benchmarks.coverage_values import MEANS, hit, resampled, ties, true_mean
from evenhand.stats.intervals.clusters import cluster_mean, cluster_mean_bootstrap
from evenhand.stats.intervals.correlation import pearson, phi_interval, spearman
from evenhand.stats.power.audit import means_apart

__all__ = ["apart", "clustered_means", "correlations", "means", "phis"]


def means(ns: Sequence[int], size: Size) -> list[Line]:
    found: dict[tuple[str, str, str], dict[int, float]] = {}
    settings = [("means", name, truth, draw) for name, truth, draw in MEANS]
    settings.append(("paired differences", "six in ten tied", true_mean(ties), ties))
    for part, name, truth, draw in settings:
        for n in ns:
            x = draw(np.random.default_rng([SEED, n]), (size.studies, n))
            intervals, varies = resampled(x, size)
            for interval, (low, high) in intervals.items():
                found.setdefault((part, interval, name), {})[n] = hit(low, high, truth, varies)
    return [Line(*key, at) for key, at in found.items()]


def clustered_means(ns: Sequence[int], size: Size) -> list[Line]:
    """Clusters shift a value up and down: correlation 0.3 on a scale of 0 to 1."""
    found: dict[str, dict[int, float]] = {}
    truth = 0.5
    for n in ns:
        dice = np.random.default_rng([SEED, n, 7])
        k = max(3, round(n / 5))
        names = np.repeat(np.arange(k), 5)[:n] if 5 * k >= n else np.arange(n) % k
        centre = dice.beta(3.0, 3.0, size=(size.studies, k))  # with the noise below the correlation is 0.3
        x = np.clip(0.5 + (centre[:, names] - 0.5) + dice.uniform(-0.5, 0.5, (size.studies, n)), -0.5, 1.5)
        intervals, varies = resampled(x, size)
        plain = intervals["percentile bootstrap"]
        found.setdefault("percentile bootstrap, clusters ignored", {})[n] = hit(*plain, truth, varies)
        where = names.tolist()
        kept = [held(cluster_mean(row, where).interval, truth) for row in x[: size.slow]]
        found.setdefault("linearised over clusters, t", {})[n] = float(
            np.mean([x for x in kept if x is not None])
        )
        drawn = [
            held(cluster_mean_bootstrap(row, where, resamples=size.draws, seed=SEED).interval, truth)
            for row in x[: size.few]
        ]
        found.setdefault("bootstrap over clusters", {})[n] = float(
            np.mean([x for x in drawn if x is not None])
        )
    setting = "clusters of 5, correlation about 0.3"
    return [Line("means in clusters", name, setting, at) for name, at in found.items()]


def apart(ns: Sequence[int], size: Size) -> list[Line]:
    """Two means over different questions, n each: those of two populations."""
    (name, first, draw), (_, second, other) = MEANS[0], MEANS[2]

    def one(dice: np.random.Generator, n: int) -> dict[str, bool | None]:
        x, y = draw(dice, (n,)), other(dice, (n,))
        told = [(float(z.mean()), float(z.std(ddof=1)), n) for z in (x, y)]
        return {"Welch's t": held(means_apart(told[0], told[1]).interval, first - second)}

    setting = f"{name}, against recall of a strong one"
    return lines("different questions", setting, repeated(one, 31, ns, size.slow))


def correlations(ns: Sequence[int], size: Size) -> list[Line]:
    """Normal pairs, and the same pairs skewed: ranks do not see the difference."""
    r = 0.5
    ranks = 6 / math.pi * math.asin(r / 2)
    made = []
    for name, skewed, true, key in (
        ("normal, r 0.5", False, r, 32),
        ("skewed (lognormal), r 0.38", True, math.expm1(r) / math.expm1(1), 33),
    ):

        def one(
            dice: np.random.Generator, n: int, skewed: bool = skewed, true: float = true
        ) -> dict[str, bool | None]:
            x = dice.normal(size=n)
            y = r * x + math.sqrt(1 - r * r) * dice.normal(size=n)
            pair = (np.exp(x), np.exp(y)) if skewed else (x, y)
            return {
                "Pearson, Fisher z": held(pearson(*pair).interval, true),
                "Spearman, Bonett & Wright": held(spearman(*pair).interval, ranks),
            }

        made += lines("correlation", name, repeated(one, key, ns, size.slow))
    return [*made, *phis(ns, size)]


def phis(ns: Sequence[int], size: Size) -> list[Line]:
    """People say yes to 30%, a judge is right in 85%."""
    yes, judge = 0.3, 0.3 * 0.85 + 0.7 * 0.15
    phi = (0.3 * 0.85 - yes * judge) / math.sqrt(yes * (1 - yes) * judge * (1 - judge))

    def one(dice: np.random.Generator, n: int) -> dict[str, bool | None]:
        x = dice.random(n) < yes
        y = np.where(dice.random(n) < 0.85, x, ~x)
        r = pearson(x.astype(float), y.astype(float)).r
        if r is None:
            return {}
        found = phi_interval(r, float(x.mean()), float(y.mean()), n)
        return {"phi, large sample on Fisher's scale": held(found, phi)}

    return lines("correlation", f"yes and no, phi {phi:.2f}", repeated(one, 36, ns, size.slow))
