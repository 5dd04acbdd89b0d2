"""The AUC with sources resampled whole."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from evenhand.model.result import Interval
from evenhand.stats.agreement.raters import MOST_UNDEFINED, places
from evenhand.stats.argument_checks import share
from evenhand.stats.intervals.bootstrap import Resampled
from evenhand.stats.intervals.ranking import beaten, labelled, roc_auc
from evenhand.stats.intervals.resample import CELLS, compositions, count_blocks, weighted_quantile

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["auc_by_source", "auc_by_source_exact"]

FEW = 64  # up to this many sources the table of all pairs of sources is smaller than the items
Areas = Callable[["NDArray[np.float64]"], "tuple[NDArray[np.float64], NDArray[np.bool_]]"]


def _areas(scores: ArrayLike, labels: ArrayLike, source: Sequence[Hashable]) -> tuple[Areas, int, int]:
    """A function from counts of sources (float64[b, k]) to areas, how many sources, how many items.

    All sums are of whole numbers and halves, so they are exact, and both ways give the same bits.
    """
    x, y = labelled(scores, labels)
    at, k = places(source, len(x))
    return (_by_pairs(x, y, at, k) if k <= FEW else _by_items(x, y, at)), k, len(x)


def _by_pairs(x: NDArray[np.float64], y: NDArray[np.bool_], at: NDArray[np.int64], k: int) -> Areas:
    """A few sources: the wins of each over each are counted once."""
    positives = np.bincount(at[y], minlength=k).astype(np.float64)
    negatives = np.bincount(at[~y], minlength=k).astype(np.float64)
    wins = np.zeros((k, k))
    for t in np.flatnonzero(negatives).tolist():
        wins[:, t] = np.bincount(at[y], weights=beaten(x[y], np.sort(x[~y & (at == t)])), minlength=k)

    def areas(counts: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        pairs = (counts @ positives) * (counts @ negatives)
        top = ((counts @ wins) * counts).sum(axis=1)
        return np.divide(top, pairs, out=np.zeros_like(top), where=pairs > 0), pairs > 0

    return areas


def _by_items(x: NDArray[np.float64], y: NDArray[np.bool_], at: NDArray[np.int64]) -> Areas:
    """Many sources: items are sorted once, and weigh in a resample as often as their source was drawn."""
    order = np.argsort(x, kind="stable")
    at, yes, ordered = at[order], y[order], x[order]
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))

    def areas(counts: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        weights = counts[:, at]
        won = np.add.reduceat(weights * yes, starts, axis=1)
        lost = np.add.reduceat(weights * ~yes, starts, axis=1)
        below = np.cumsum(lost, axis=1)
        top = (won * (below - lost / 2)).sum(axis=1)
        pairs = won.sum(axis=1) * below[:, -1]
        return np.divide(top, pairs, out=np.zeros(len(top)), where=pairs > 0), pairs > 0

    return areas


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

    Resamples with one class only are dropped and counted; above 20% of them there is no interval. In
    simulated studies 95% intervals held the truth in 88% with 8 sources of five, in 93% with 20 and with 60.
    Linear in items times resamples. Source: Davison & Hinkley 1997.
    """
    areas, sources, items = _areas(scores, labels, source)
    drawn, fine = [], []
    if items:
        cells = max(1, CELLS // items) * sources  # so that no block of items is larger than CELLS
        for _, counts in count_blocks(sources, resamples=resamples, seed=seed, cells=cells):
            area, defined = areas(counts)
            drawn.append(area)
            fine.append(defined)
    values = np.concatenate(drawn) if drawn else np.zeros(0)
    defined = np.concatenate(fine) if fine else np.zeros(0, dtype=bool)
    found = values[defined]
    return _resampled(
        roc_auc(scores, labels),
        found,
        np.ones(len(found)),
        sources=sources,
        level=level,
        total=resamples,
        seed=seed,
    )


def auc_by_source_exact(
    scores: ArrayLike, labels: ArrayLike, source: Sequence[Hashable], *, level: float = 0.95
) -> Resampled:
    """`auc_by_source` over all resamples of at most ten sources: no random numbers. Source: as there."""
    areas, sources, items = _areas(scores, labels, source)
    if not items:
        return _resampled(None, np.zeros(0), np.zeros(0), sources=0, level=level, total=0, seed=None)
    counts, weights = compositions(sources)
    rows = max(1, CELLS // items)
    parts = [areas(counts[first : first + rows]) for first in range(0, len(counts), rows)]
    area, defined = (np.concatenate(column) for column in zip(*parts, strict=True))
    return _resampled(
        roc_auc(scores, labels),
        area[defined],
        weights[defined],
        sources=sources,
        level=level,
        total=int(weights.sum()),
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
