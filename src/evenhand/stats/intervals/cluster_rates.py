"""Many rates over sources at once: what is resampled for one is resampled for all of the same size."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from evenhand.stats.intervals.bootstrap import ClusterRates, _cluster_rates, _rates, percentile
from evenhand.stats.intervals.resample import resampled_means

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["cluster_rates"]

COLUMNS = 300  # of one product: what is held at once


def cluster_rates(
    pairs: Sequence[tuple[ArrayLike, ArrayLike]],
    *,
    level: float = 0.95,
    resamples: int = 10_000,
    seed: int = 20241009,
) -> list[ClusterRates]:
    """`evenhand.stats.intervals.bootstrap.cluster_rate` of each (events, sizes), to the same bits.

    Rates with equally many sources that hold items share one draw, which is what they would have drawn
    apart. Source: Davison & Hinkley 1997, ch. 3.8.
    """
    read = [_rates(events, sizes) for events, sizes in pairs]
    by_size: dict[int, list[int]] = {}
    for i, (_, n, *_) in enumerate(read):
        if len(n) >= 2:
            by_size.setdefault(len(n), []).append(i)
    bounds: dict[int, tuple[tuple[float, float], tuple[float, float]]] = {}
    for same in by_size.values():
        for first in range(0, len(same), COLUMNS // 3):
            part = same[first : first + COLUMNS // 3]
            bounds |= zip(
                part,
                _bounds([read[i][:2] for i in part], level=level, resamples=resamples, seed=seed),
                strict=True,
            )
    return [
        _cluster_rates(
            (len(n), empty), (macro, pooled), bounds.get(i), level=level, resamples=resamples, seed=seed
        )
        for i, (_, n, empty, macro, pooled) in enumerate(read)
    ]


def _bounds(
    found: Sequence[tuple[NDArray[np.float64], NDArray[np.float64]]],
    *,
    level: float,
    resamples: int,
    seed: int,
) -> list[tuple[tuple[float, float], tuple[float, float]]]:
    columns = np.column_stack([column for x, n in found for column in (x / n, x, n)])
    drawn = resampled_means(columns, resamples=resamples, seed=seed)
    return [
        (
            percentile(drawn[:, 3 * i], level=level),
            percentile(drawn[:, 3 * i + 1] / drawn[:, 3 * i + 2], level=level),
        )
        for i in range(len(found))
    ]
