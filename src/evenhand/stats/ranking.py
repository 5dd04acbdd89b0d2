"""A score against a yes/no label: does the score say anything, and what lies above a threshold?"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from evenhand.errors import InputError
from evenhand.model.result import Interval
from evenhand.stats.bootstrap import Resampled, cluster_rate, mean
from evenhand.stats.checks import column, normal_quantile, share
from evenhand.stats.proportion import wilson
from evenhand.stats.resample import compositions, count_blocks, weighted_quantile

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = [
    "AUC",
    "Passed",
    "auc_by_source",
    "auc_by_source_exact",
    "auc_delong",
    "average_precision",
    "roc_auc",
    "threshold_table",
]

MOST_UNDEFINED = 0.2  # above this share of resamples without a value there is no interval


def labelled(scores: ArrayLike, labels: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Scores (float64[n]) and yes/no labels (bool[n]); anything but 0 and 1 is refused."""
    x, y = column(scores, "scores"), column(labels, "labels")
    if x.shape != y.shape or not np.isin(y, (0.0, 1.0)).all():
        raise InputError("scores and labels do not fit", mend="give one score and one label of 0 or 1 each")
    return x, y == 1.0


def roc_auc(scores: ArrayLike, labels: ArrayLike) -> float | None:
    """The chance that a positive scores above a negative, ties counting one half; None with one class only.

    Mann-Whitney by ranks, n log n. Source: Hanley & McNeil 1982. Agrees with sklearn ``roc_auc_score``.
    """
    x, y = labelled(scores, labels)
    positives, negatives = int(y.sum()), int((~y).sum())
    if not positives or not negatives:
        return None
    return float(_wins(x[y], np.sort(x[~y])).sum()) / (positives * negatives)


def _wins(values: NDArray[np.float64], ordered: NDArray[np.float64]) -> NDArray[np.float64]:
    """For each value, how many of *ordered* lie below it, ties one half."""
    below = np.searchsorted(ordered, values, side="left")
    upto = np.searchsorted(ordered, values, side="right")
    return np.asarray((below + upto) / 2, dtype=np.float64)


@dataclass(frozen=True, slots=True, kw_only=True)
class AUC:
    """An area with DeLong's variance and interval."""

    auc: float | None
    variance: float | None
    interval: Interval


def auc_delong(scores: ArrayLike, labels: ArrayLike, *, level: float = 0.95) -> AUC:
    """The AUC with DeLong's normal interval, clipped to [0, 1]; items must be independent.

    Variance = var(V10)/m + var(V01)/n over the placement values. Undefined with one class only; no
    interval with fewer than two items of a class. Source: DeLong, DeLong & Clarke-Pearson 1988. Agrees
    with R pROC; no Python library of ours has it.
    """
    x, y = labelled(scores, labels)
    share(level, "level")
    pos, neg, method = x[y], x[~y], "DeLong"

    def without(auc: float | None, reason: str) -> AUC:
        nothing = Interval(low=None, high=None, level=level, method=method, reason=reason)
        return AUC(auc=auc, variance=None, interval=nothing)

    if not len(pos) or not len(neg):
        return without(None, "only one class")
    placed = _wins(pos, np.sort(neg)) / len(neg)
    auc = float(placed.mean())
    if len(pos) < 2 or len(neg) < 2:
        return without(auc, "a class of one item")
    other = 1 - _wins(neg, np.sort(pos)) / len(pos)
    variance = float(placed.var(ddof=1) / len(pos) + other.var(ddof=1) / len(neg))
    reach = normal_quantile(1 - (1 - level) / 2) * math.sqrt(variance)
    flags = ("zero_width",) if variance == 0 else ()
    interval = Interval(
        low=max(0.0, auc - reach), high=min(1.0, auc + reach), level=level, method=method, flags=flags
    )
    return AUC(auc=auc, variance=variance, interval=interval)


def _by_source(
    scores: ArrayLike, labels: ArrayLike, source: Sequence[Hashable]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Wins of source s's positives over source t's negatives ([s, t]), and both class sizes by source."""
    x, y = labelled(scores, labels)
    if len(source) != len(x):
        raise InputError(f"{len(source)} sources for {len(x)} scores", mend="give one source a score")
    names = {name: i for i, name in enumerate(dict.fromkeys(source))}
    at = np.array([names[name] for name in source], dtype=np.int64)
    k = len(names)
    positives = np.bincount(at[y], minlength=k).astype(np.float64)
    negatives = np.bincount(at[~y], minlength=k).astype(np.float64)
    wins = np.zeros((k, k))
    for t in np.flatnonzero(negatives).tolist():
        won = _wins(x[y], np.sort(x[~y & (at == t)]))
        wins[:, t] = np.bincount(at[y], weights=won, minlength=k)
    return wins, positives, negatives


def _areas(
    counts: NDArray[np.float64],
    wins: NDArray[np.float64],
    positives: NDArray[np.float64],
    negatives: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    pairs = (counts @ positives) * (counts @ negatives)
    top = ((counts @ wins) * counts).sum(axis=1)
    return np.divide(top, pairs, out=np.zeros_like(top), where=pairs > 0), pairs > 0


def auc_by_source(
    scores: ArrayLike,
    labels: ArrayLike,
    source: Sequence[Hashable],
    *,
    level: float = 0.95,
    resamples: int = 10_000,
    seed: int = 20241009,
) -> Resampled:
    """The AUC over all items, sources being resampled whole and their items pooled.

    Resamples with one class only are dropped and counted; above 20% of them there is no interval.
    Source: Davison & Hinkley 1997.
    """
    wins, positives, negatives = _by_source(scores, labels, source)
    drawn, fine = [], []
    if len(positives):
        for _, counts in count_blocks(len(positives), resamples=resamples, seed=seed):
            area, defined = _areas(counts, wins, positives, negatives)
            drawn.append(area)
            fine.append(defined)
    values = np.concatenate(drawn) if drawn else np.zeros(0)
    defined = np.concatenate(fine) if fine else np.zeros(0, dtype=bool)
    found = values[defined]
    return _resampled(
        roc_auc(scores, labels),
        found,
        np.ones(len(found)),
        sources=len(positives),
        level=level,
        total=resamples,
        seed=seed,
    )


def auc_by_source_exact(
    scores: ArrayLike, labels: ArrayLike, source: Sequence[Hashable], *, level: float = 0.95
) -> Resampled:
    """`auc_by_source` over all resamples of at most ten sources: no random numbers. Source: as there."""
    wins, positives, negatives = _by_source(scores, labels, source)
    if not len(positives):
        return _resampled(None, np.zeros(0), np.zeros(0), sources=0, level=level, total=0, seed=None)
    counts, weights = compositions(len(positives))
    area, defined = _areas(counts, wins, positives, negatives)
    total = int(weights.sum())
    return _resampled(
        roc_auc(scores, labels),
        area[defined],
        weights[defined],
        sources=len(positives),
        level=level,
        total=total,
        seed=None,
    )


def _resampled(
    point: float | None,
    values: NDArray[np.float64],
    weights: NDArray[np.float64],
    *,
    sources: int,
    level: float,
    total: int,
    seed: int | None,
) -> Resampled:
    share(level, "level")
    undefined, tail = total - int(weights.sum()), (1 - level) / 2
    low, high, reason = None, None, None
    if point is None:
        reason = "only one class" if sources else "no items"
    elif sources < 2:
        reason = "only one source"
    elif undefined > MOST_UNDEFINED * total:
        reason = f"{undefined} of {total} resamples hold one class only"
    else:
        low, high = weighted_quantile(values, weights, (tail, 1 - tail))
    method = "bootstrap over sources"
    interval = Interval(low=low, high=high, level=level, method=method, reason=reason)
    return Resampled(
        point=point, interval=interval, n=sources, resamples=total, seed=seed, undefined=undefined
    )


def average_precision(scores: ArrayLike, labels: ArrayLike) -> float | None:
    """Average precision of a score over distinct thresholds: sum (R_i - R_{i-1}) P_i; None without positives.

    Source: the definition.
    Agrees with sklearn ``average_precision_score`` (which gives 0.0 with a warning where we give None).
    """
    x, y = labelled(scores, labels)
    if not y.any():
        return None
    order = np.argsort(-x, kind="stable")
    last = np.append(np.flatnonzero(np.diff(x[order])), len(x) - 1)  # the end of each group of ties
    hits = np.cumsum(y[order])[last]
    return float((np.diff(hits, prepend=0) / y.sum()) @ (hits / (last + 1)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Passed:
    """What passes one threshold, and the share of it that is wrong (a false discovery rate, not FP/N)."""

    threshold: float
    n: int
    wrong: int
    sources: int
    pooled: float | None
    macro: float | None  # mean of the per-source rates
    interval: Interval  # Wilson, of the pooled rate
    sparse: bool  # n or sources below what was planned
    macro_interval: Interval | None = None  # sources resampled, when asked for


def threshold_table(
    scores: ArrayLike,
    labels: ArrayLike,
    source: Sequence[Hashable],
    grid: Sequence[float],
    *,
    min_n: int = 30,
    min_sources: int = 10,
    level: float = 0.95,
    resamples: int = 0,
    seed: int = 20241009,
) -> list[Passed]:
    """For each threshold of *grid*, the items with score >= threshold and the share labelled 0 among them.

    With *resamples* above 0 the macro rate has a percentile interval over sources (`cluster_rate`).
    Compared in float64: a score stored as float32 can fall below the printed threshold. The share is a
    false discovery rate, not FP/N. Source: the definition.
    """
    x, y = labelled(scores, labels)
    if len(source) != len(x):
        raise InputError(f"{len(source)} sources for {len(x)} scores", mend="give one source a score")
    names = {name: i for i, name in enumerate(dict.fromkeys(source))}
    at = np.array([names[name] for name in source], dtype=np.int64)
    rows = []
    for threshold in column(grid, "grid").tolist():
        passed = x >= threshold
        n, wrong = int(passed.sum()), int((passed & ~y).sum())
        of = np.bincount(at[passed], minlength=len(names))
        bad = np.bincount(at[passed & ~y], minlength=len(names))
        sources = int((of > 0).sum())
        rows.append(
            Passed(
                threshold=threshold,
                n=n,
                wrong=wrong,
                sources=sources,
                pooled=wrong / n if n else None,
                macro=mean(bad[of > 0] / of[of > 0]),
                interval=wilson(wrong, n, level=level),
                sparse=n < min_n or sources < min_sources,
                macro_interval=cluster_rate(
                    bad, of, level=level, resamples=resamples, seed=seed
                ).macro.interval
                if resamples
                else None,
            )
        )
    return rows
