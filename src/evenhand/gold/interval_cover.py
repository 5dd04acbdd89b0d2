"""Which intervals hold which spans whole, without looking at every pair."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["holders"]


def holders(
    low: NDArray[np.int64], high: NDArray[np.int64], ends: NDArray[np.int64], need: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """All pairs (s, u) with ``low[s] <= u < high[s]`` and ``ends[u] >= need[s]``, sorted by (s, u).

    *low*, *high*, *need*: int64[spans]; *ends*: int64[units]. A tree of range maxima over *ends* is
    walked for all spans at once, level by level: O((spans + pairs) log units) whether units overlap,
    nest or neither.
    """
    n = len(ends)
    empty = np.zeros(0, dtype=np.int64)
    if n == 0 or len(low) == 0:
        return empty, empty
    levels = [ends]
    while len(levels[-1]) > 1:
        below = levels[-1]
        if len(below) % 2:
            below = np.append(below, np.iinfo(np.int64).min)
        levels.append(np.maximum(below[0::2], below[1::2]))
    span = np.arange(len(low), dtype=np.int64)
    node = np.zeros(len(low), dtype=np.int64)
    for height in range(len(levels) - 1, -1, -1):
        tops = levels[height]
        first = node << height
        alive = (tops[node] >= need[span]) & (first < high[span]) & (first + (1 << height) > low[span])
        span, node = span[alive], node[alive]
        if height:
            width = len(levels[height - 1])
            span = np.repeat(span, 2)
            node = np.repeat(node * 2, 2)
            node[1::2] += 1
            inside = node < width
            span, node = span[inside], node[inside]
    order = np.lexsort((node, span))
    return span[order], node[order]
