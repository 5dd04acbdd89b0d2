"""Prediction-powered means when labels do not come one by one at random: whole clusters, known chances."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np

from evenhand.errors import InputError
from evenhand.stats.agreement.raters import by_cluster, places
from evenhand.stats.argument_checks import TIE, column, within
from evenhand.stats.intervals.bootstrap import mean
from evenhand.stats.prediction_powered.core import Convention, Powered, packed, powered, rules, spread, tuned
from evenhand.stats.prediction_powered.designs import labels_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["ppi_clustered", "ppi_inclusion"]


def ppi_clustered(
    human: Sequence[float | None],
    judge: ArrayLike,
    cluster: Sequence[Hashable],
    *,
    form: Literal["means", "ratio"] = "means",
    lam: float | None = None,
    convention: Convention = "ppi_py",
    level: float = 0.95,
    bounds: tuple[float, float] | None = None,
) -> Powered:
    """The mean when whole clusters (queries) were labelled or not: each is wholly labelled or not at all.

    ``means``: `ppi_mean` on the means of clusters, so that each counts the same. ``ratio``: the mean over
    items, l sum_N f / sum_N size + sum_n (Y - l f) / sum_n size, with the linearised error of clusters.
    A cluster labelled in part is refused, by name. In simulated studies 95% intervals held the truth in 87%
    with 8 labelled clusters of five, in 92% with 20, in 94% with 60.

    Source: glide ``ClusteredPPIMeanEstimator`` (means); Cochran 1977 for the ratio.
    """
    f = column(judge, "judge")
    y, given = labels_of(human, len(f), bounds)
    within(f, bounds, "judge")
    at, k = places(cluster, len(f))
    sums = by_cluster(np.column_stack([y, f, np.ones(len(f)), given]), at, k)
    mixed = np.flatnonzero((sums[:, 3] > 0) & (sums[:, 3] < sums[:, 2]))
    if len(mixed):
        name = list(dict.fromkeys(cluster))[int(mixed[0])]
        raise InputError(
            f"cluster {name!r} is labelled in part", mend="label whole clusters, or use ppi_inclusion"
        )
    ddof, clip = rules(convention)
    done = sums[:, 3] > 0
    if form == "ratio":
        a, b = _influence(sums[done, 0], sums[done, 2]), _influence(sums[done, 1], sums[done, 2])
        rest = _influence(sums[~done, 1], sums[~done, 2])
    elif form == "means":
        shares = sums[:, :2] / sums[:, 2:3]
        a, b, rest = shares[done, 0], shares[done, 1], shares[~done, 1]
    else:
        raise InputError(f"form is {form!r}", mend="use means or ratio")
    if lam is not None:
        chosen = float(lam) if len(rest) else 0.0
    elif form == "means":
        chosen = tuned(a, b, rest, ddof=ddof, clip=clip)
    else:
        chosen = _tuned_ratio(a, b, rest, clip=clip)
    return powered(
        a,
        b,
        rest,
        lam=chosen,
        ddof=1 if form == "ratio" else ddof,
        level=level,
        side="two",
        bounds=bounds,
        items=(int(given.sum()), int((~given).sum())),
        method=f"PPI++ over clusters, {form}" if lam is None else f"PPI over clusters, {form}, l = {lam:g}",
    )


def _influence(top: NDArray[np.float64], size: NDArray[np.float64]) -> NDArray[np.float64]:
    """Numbers, one a cluster, whose mean is the ratio and whose variance / K is its linearised SE^2."""
    if not len(size):
        return top
    ratio = float(top.sum() / size.sum())
    return np.asarray(ratio + (top - ratio * size) / size.mean(), dtype=np.float64)


def _tuned_ratio(
    a: NDArray[np.float64], b: NDArray[np.float64], rest: NDArray[np.float64], *, clip: bool
) -> float:
    if len(a) < 2 or len(rest) < 2:
        return 0.0
    below = spread(b, 1) / len(b) + spread(rest, 1) / len(rest)
    if below <= TIE**2:
        return 0.0
    together = math.fsum(((a - a.mean()) * (b - b.mean())).tolist()) / (len(a) - 1) / len(a)
    lam = together / below
    return min(1.0, max(0.0, lam)) if clip else lam


def ppi_inclusion(
    human: Sequence[float | None],
    judge: ArrayLike,
    probability: ArrayLike,
    *,
    lam: float | None = None,
    convention: Convention = "ppi_py",
    level: float = 0.95,
    bounds: tuple[float, float] | None = None,
) -> Powered:
    """The mean when each item had its own known chance *probability* of being labelled by people.

    z_i = l f_i + xi_i (Y_i - l f_i) / pi_i, xi_i = 1 when labelled; theta = mean z, SE^2 = Var(z)/n, ddof
    1. Tuned l = Cov(f (xi/pi - 1), Y xi/pi) / Var(f (xi/pi - 1)), clipped by ``ppi_py`` alone. Every
    chance must be above 0: items that could never be labelled say nothing about themselves. In simulated
    studies 95% intervals held the truth in 82% with about 12 labels and in 93% with 40.

    Source: Zrnic & Candès 2024; Horvitz & Thompson 1952. Agrees with glide ``ASIMeanEstimator``.
    """
    f, pi = column(judge, "judge"), column(probability, "probability")
    y, given = labels_of(human, len(f), bounds)
    within(f, bounds, "judge")
    if pi.shape != f.shape or (pi <= 0).any() or (pi > 1).any():
        raise InputError(
            "the chances leave 0..1, or one is 0", mend="give the chance of a label, above 0, an item"
        )
    if (pi[~given] == 1).any():
        raise InputError("an item sure to be labelled has no label", mend="correct its chance, or label it")
    _, clip = rules(convention)
    up = given / pi
    a, b = f * (up - 1), y * up
    if lam is None:
        below = spread(a, 1)
        together = math.fsum(((a - a.mean()) * (b - b.mean())).tolist()) / (len(a) - 1) if len(a) > 1 else 0.0
        lam = together / below if below > TIE**2 else 0.0
        lam = min(1.0, max(0.0, lam)) if clip else lam
    n, z = int(given.sum()), b - lam * a
    enough = n > 1
    return packed(
        mean(z) if n else None,
        math.sqrt(spread(z, 1) / len(z)) if enough else None,
        mean(b) if n else None,
        math.sqrt(spread(b, 1) / len(b)) if enough else None,
        mean(f),
        lam=float(lam),
        n=n,
        rest=len(f) - n,
        level=level,
        bounds=bounds,
        method="PPI++ with known chances",
    )
