"""Chance-corrected agreement of any number of raters from tallies: Gwet's AC1 and AC2, Fleiss' kappa."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np

from evenhand.errors import InputError
from evenhand.stats.agreement.raters import (
    RESAMPLES,
    SEED,
    Coefficient,
    coded,
    coefficient,
    kept_of,
    likeness,
    tallies,
)

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from evenhand.stats.agreement.raters import Statistic

__all__ = ["fleiss_kappa", "fleiss_kappa_counts", "gwet_ac1", "gwet_ac2"]


def _columns(table: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """For each item: its agreement and 1 (with two labels or more), its shares and 1 (with one or more)."""
    r = table.sum(axis=1)
    two, one = r >= 2, r >= 1
    near = table @ weights
    agree = np.divide((table * (near - 1)).sum(axis=1), r * (r - 1), out=np.zeros(len(table)), where=two)
    shares = np.divide(table, r[:, None], out=np.zeros_like(table), where=one[:, None])
    return np.column_stack([agree, two, shares, one])


def _gwet(weights: NDArray[np.float64]) -> tuple[Statistic, Statistic]:
    """AC from the sums of `_columns`, and its chance agreement."""
    q = len(weights)
    scale = float(weights.sum()) / (q * (q - 1)) if q > 1 else 0.0

    def expected(sums: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        seen = sums[:, -1] > 0
        pi = np.divide(sums[:, 2:-1], sums[:, -1:], out=np.zeros_like(sums[:, 2:-1]), where=seen[:, None])
        return scale * (pi * (1 - pi)).sum(axis=1), seen & (q > 1)

    return _corrected(expected), expected


def _fleiss(sums: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    seen = sums[:, -1] > 0
    pi = np.divide(sums[:, 2:-1], sums[:, -1:], out=np.zeros_like(sums[:, 2:-1]), where=seen[:, None])
    # chance is certain only when one category holds every label; decided on sums, not on rounded shares
    several = (sums[:, 2:-1] > 0).sum(axis=1) > 1
    return (pi**2).sum(axis=1), seen & several


def _corrected(expected: Statistic) -> Statistic:
    def statistic(sums: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        chance, fine = expected(sums)
        defined = fine & (sums[:, 1] > 0) & (chance < 1)
        seen = np.divide(sums[:, 0], sums[:, 1], out=np.zeros(len(sums)), where=sums[:, 1] > 0)
        return np.divide(seen - chance, 1 - chance, out=np.zeros(len(sums)), where=defined), defined

    return statistic


def _from_tallies(
    table: NDArray[np.float64],
    weights: NDArray[np.float64],
    statistic: Statistic,
    chance: Statistic,
    *,
    clusters: Sequence[Hashable] | None,
    level: float,
    resamples: int,
    seed: int,
    dropped: int,
    reason: str,
) -> Coefficient:
    columns = _columns(table, weights)
    whole = columns.sum(axis=0, keepdims=True)
    used = int(whole[0, 1])
    by_chance, defined = chance(whole)
    return coefficient(
        columns,
        statistic,
        clusters=clusters,
        level=level,
        resamples=resamples,
        seed=seed,
        n=used,
        dropped=dropped,
        observed=float(whole[0, 0] / used) if used else None,
        expected=float(by_chance[0]) if defined[0] else None,
        degenerate=used > 0 and int((table.sum(axis=0) > 0).sum()) < 2,
        reason=reason if used else "no item has two labels",
    )


def gwet_ac1(
    ratings: Sequence[Sequence[Hashable | None]],
    *,
    categories: Sequence[Hashable] | None = None,
    clusters: Sequence[Hashable] | None = None,
    level: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> Coefficient:
    """Gwet's AC1 of *ratings* (one row an item, one entry a rater, None: no label).

    pa = mean over items with two labels or more of sum_k r_ik (r_ik - 1) / (r_i (r_i - 1)); pi_k = mean
    over items with a label of r_ik / r_i; pe = sum pi_k (1 - pi_k) / (q - 1); AC1 = (pa - pe) / (1 - pe).
    q is the number of *categories*: declare the scale, or only those seen count. Undefined with fewer
    than two categories or without an item of two labels; 1 and ``degenerate`` when all labels are one
    category of a declared scale: nothing was told apart. Does not fall when one category is rare, as
    kappa does: print both. Percentile interval over clusters, or over items when they are independent; in
    simulated studies those called 95% held the truth in 88% with 12 items, in 89% with 8 clusters of five.

    Source: Gwet 2008. Agrees with irrCAC ``CAC.gwet`` and R irrCAC.
    """
    return gwet_ac2(
        ratings,
        weights="identity",
        categories=categories,
        clusters=clusters,
        level=level,
        resamples=resamples,
        seed=seed,
    )


def gwet_ac2(
    ratings: Sequence[Sequence[Hashable | None]],
    *,
    weights: Literal["identity", "linear", "quadratic", "ordinal"] = "ordinal",
    categories: Sequence[Hashable] | None = None,
    clusters: Sequence[Hashable] | None = None,
    level: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> Coefficient:
    """Gwet's AC2: `gwet_ac1` with partial credit for near categories.

    pa uses r*_ik = sum_l w_kl r_il; pe = T_w / (q (q - 1)) sum pi_k (1 - pi_k), T_w the sum of all
    weights. Linear and quadratic weights use the categories' values when all are numbers, else their
    positions; ordinal w_kl = 1 - C(|k - l| + 1, 2) / C(q, 2). In simulated studies of four grades intervals
    called 95% held the truth in 81% with 12 items, in 93% with 40, in 87% with 8 clusters of five.
    Source: Gwet 2014. Agrees with irrCAC.
    """
    code, names = coded(ratings, categories)
    table, near = tallies(code, len(names)), likeness(names, weights)
    statistic, chance = _gwet(near)
    return _from_tallies(
        table,
        near,
        statistic,
        chance,
        clusters=clusters,
        level=level,
        resamples=resamples,
        seed=seed,
        dropped=int((table.sum(axis=1) < 2).sum()),
        reason="fewer than two categories: declare the scale",
    )


def fleiss_kappa(
    ratings: Sequence[Sequence[Hashable | None]],
    *,
    missing: Literal["complete", "available"] = "complete",
    clusters: Sequence[Hashable] | None = None,
    level: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> Coefficient:
    """Fleiss' kappa of *ratings* (one row an item, one entry a rater, None: no label).

    P_i = sum_c n_ic (n_ic - 1) / (m (m - 1)), p_c the share of all labels in c, kappa = (mean P_i -
    sum p_c^2) / (1 - sum p_c^2). Needs m labels on every item: ``complete`` leaves out the others and
    counts them as dropped; ``available`` uses what there is, as irrCAC does. Undefined when all labels
    are one category. Percentile interval over clusters, or over items when they are independent.

    Source: Fleiss 1971. Complete items agree with statsmodels ``fleiss_kappa``.
    """
    code, names = coded(ratings)
    table = tallies(code, len(names))
    if missing not in ("complete", "available"):
        raise InputError(f"missing is {missing!r}", mend="use complete or available")
    short = (code < 0).any(axis=1) if missing == "complete" else table.sum(axis=1) < 2
    if missing == "complete":
        table = table[~short]
        clusters = kept_of(clusters, ~short)
    return _fleiss_of(
        table, dropped=int(short.sum()), clusters=clusters, level=level, resamples=resamples, seed=seed
    )


def fleiss_kappa_counts(
    counts: ArrayLike,
    *,
    clusters: Sequence[Hashable] | None = None,
    level: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> Coefficient:
    """`fleiss_kappa` from *counts* (items x categories): how many raters chose each, the same m for all.

    Source: Fleiss 1971. Agrees with statsmodels ``fleiss_kappa``.
    """
    table = np.asarray(counts, dtype=np.float64)
    if table.ndim != 2 or not np.isfinite(table).all() or (table < 0).any():
        raise InputError("the counts are not a table", mend="give one row an item, one column a category")
    if len(table) and float(np.ptp(table.sum(axis=1))) > 0:
        raise InputError(
            "items have different numbers of labels", mend="leave incomplete items out, or give the ratings"
        )
    return _fleiss_of(table, dropped=0, clusters=clusters, level=level, resamples=resamples, seed=seed)


def _fleiss_of(
    table: NDArray[np.float64],
    *,
    dropped: int,
    clusters: Sequence[Hashable] | None,
    level: float,
    resamples: int,
    seed: int,
) -> Coefficient:
    return _from_tallies(
        table,
        np.eye(table.shape[1]),
        _corrected(_fleiss),
        _fleiss,
        clusters=clusters,
        level=level,
        resamples=resamples,
        seed=seed,
        dropped=dropped,
        reason="all labels are one and the same category",
    )
