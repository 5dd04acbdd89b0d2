"""One draw of indices shared by all columns: resampled means as counts times values.

The sums are exact. Each column is first put on a grid so coarse (about 1e-13 of its largest value for a
few hundred questions) that every sum of *n* of its values is a whole number of grid steps below 2^53.
Additions then cannot round, so their order, and with it the number of threads, the matrix library and
the processor, cannot change a bit of the result.
"""

from __future__ import annotations

import math
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from evenhand.errors import InputError
from evenhand.stats.sampling.seeds import stream

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from evenhand.protocols import Engine

__all__ = [
    "compositions",
    "count_blocks",
    "index_blocks",
    "on_grid",
    "resampled_means",
    "resampled_sums",
    "weighted_quantile",
]

CELLS = 1_500_000  # numbers in one block of one array: 12 MB


def index_blocks(
    n: int, *, resamples: int, seed: int, cells: int = CELLS
) -> Iterator[tuple[int, NDArray[np.int64]]]:
    """Blocks (first row, int64[rows, n]) of ``default_rng(seed).integers(0, n, size=(resamples, n))``.

    The stream does not depend on the size of the blocks. No block holds more than *cells* numbers,
    or one row.
    """
    dice = stream(seed)
    rows = max(1, cells // n)
    for first in range(0, resamples, rows):
        yield first, dice.integers(0, n, size=(min(rows, resamples - first), n))


def count_blocks(
    n: int, *, resamples: int, seed: int, cells: int = CELLS
) -> Iterator[tuple[int, NDArray[np.float64]]]:
    """Blocks (first row, float64[rows, n]) of how often each of *n* items is in each resample."""
    for first, index in index_blocks(n, resamples=resamples, seed=seed, cells=cells):
        yield first, _counts(index)


def _counts(index: NDArray[np.int64]) -> NDArray[np.float64]:
    """float64[rows, n]: how often each of n items is in each row of *index* (int64[rows, n])."""
    rows, n = index.shape
    flat = (index + np.arange(rows)[:, None] * n).ravel()
    return np.bincount(flat, minlength=rows * n).reshape(rows, n).astype(np.float64)


def on_grid(columns: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """*columns* (float64[n, c]) as whole numbers of a step, and the step of each column (float64[c]).

    The step is a power of two with n * max|column| / step <= 2^53: any sum of n entries, with any
    signs or repetitions, is exact in float64.
    """
    n, c = columns.shape
    if n == 0 or c == 0:
        return columns, np.ones(c)
    top = np.abs(columns).max(axis=0)
    _, exponent = np.frexp(top)
    bits = 52 - math.ceil(math.log2(n)) if n > 1 else 52
    step = np.ldexp(1.0, np.maximum(exponent - bits, -1000))
    return np.rint(columns / step), step


def resampled_means(
    columns: NDArray[np.float64],
    *,
    resamples: int,
    seed: int,
    cells: int = CELLS,
    engine: Engine | None = None,
) -> NDArray[np.float64]:
    """The mean of every column in every resample: float64[resamples, c] from float64[n, c].

    All columns see the same resamples, so differences of two columns are paired. Beside the result it
    holds about four blocks of *cells* numbers. With an *engine* its workers count and add the blocks, where
    there are several; each block goes on with the one stream where the one before it ends, so that the draw
    is the same. Needs n >= 1.
    """
    n, c = columns.shape
    if n == 0:
        raise InputError("there is nothing to resample", mend="check n before resampling")
    if resamples < 1:
        raise InputError(f"resamples is {resamples}", mend="use 1 or more; 10,000 is the default")
    values, step = on_grid(columns)
    means = np.empty((resamples, c))
    if engine is not None and resamples > max(1, cells // n):
        blocks = _states(n, resamples=resamples, seed=seed, cells=cells)
        first = 0
        for sums in engine.map(_sums, blocks, shared=(values,)):
            means[first : first + len(sums)] = sums
            first += len(sums)
    else:
        for first, counts in count_blocks(n, resamples=resamples, seed=seed, cells=cells):
            np.matmul(counts, values, out=means[first : first + len(counts)])
    means *= step / n
    return means


def _states(n: int, *, resamples: int, seed: int, cells: int) -> Iterator[tuple[dict[str, Any], int]]:
    """Of each block of `index_blocks`: the state of the generator before it, and its rows.

    How much of the stream a block takes is known once it is drawn (some draws are refused and drawn again),
    so all are drawn here, and none is kept: a seventh of the work of twenty columns.
    """
    dice = stream(seed)
    rows = max(1, cells // n)
    for first in range(0, resamples, rows):
        count = min(rows, resamples - first)
        yield dict(dice.bit_generator.state), count
        dice.integers(0, n, size=(count, n))


def _sums(values: NDArray[np.float64], block: tuple[dict[str, Any], int]) -> NDArray[np.float64]:
    """Sums of every column in the resamples of one block, on a worker: float64[rows, c]."""
    state, rows = block
    dice = stream(0)
    dice.bit_generator.state = state
    n = len(values)
    return _counts(dice.integers(0, n, size=(rows, n))) @ values


def resampled_sums(
    columns: NDArray[np.float64], *, resamples: int, seed: int, cells: int = CELLS
) -> Iterator[NDArray[np.float64]]:
    """Blocks float64[rows, c] of the sums of every column (float64[n, c]) in each resample of the n rows.

    Same draw as `resampled_means`. Equal rows are counted together, so that yes/no items cost no more
    memory than their few distinct patterns. Needs n >= 1.
    """
    n = len(columns)
    if n == 0:
        raise InputError("there is nothing to resample", mend="check n before resampling")
    if resamples < 1:
        raise InputError(f"resamples is {resamples}", mend="use 1 or more; 10,000 is the default")
    patterns, which = np.unique(columns, axis=0, return_inverse=True)
    _, step = on_grid(columns)
    grid, which, p = np.rint(patterns / step), which.reshape(n), len(patterns)
    for _, index in index_blocks(n, resamples=resamples, seed=seed, cells=cells):
        rows = len(index)
        flat = (which[index] + np.arange(rows)[:, None] * p).ravel()
        counts = np.bincount(flat, minlength=rows * p).reshape(rows, p)
        yield (counts.astype(np.float64) @ grid) * step


def compositions(n: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """All resamples of *n* items: how often each item occurs (float64[m, n]), and in how many of n^n draws.

    m = C(2n-1, n), so *n* is at most 10 (92,378 rows).
    """
    if not 1 <= n <= 10:
        raise InputError(f"all resamples of {n} items cannot be listed", mend="use the random bootstrap")
    chosen = list(combinations(range(2 * n - 1), n - 1))
    bars = np.array(chosen, dtype=np.int64).reshape(len(chosen), n - 1)
    edges = np.concatenate(
        [np.full((len(bars), 1), -1), bars, np.full((len(bars), 1), 2 * n - 1)], axis=1, dtype=np.int64
    )
    counts = np.diff(edges, axis=1) - 1
    factorial = np.array([math.factorial(i) for i in range(n + 1)], dtype=np.float64)
    return counts.astype(np.float64), np.rint(factorial[n] / factorial[counts].prod(axis=1))


def weighted_quantile(
    values: NDArray[np.float64], weights: NDArray[np.float64], shares: tuple[float, ...]
) -> list[float]:
    """Quantiles (linear, type 7) of *values* each repeated *weights* (whole numbers) times."""
    order = np.argsort(values, kind="stable")
    ordered, upto = values[order], np.cumsum(weights[order])
    last = upto[-1] - 1
    found = []
    for q in shares:
        place = last * q
        low, high = math.floor(place), math.ceil(place)
        at_low = float(ordered[np.searchsorted(upto, low, side="right")])
        at_high = float(ordered[np.searchsorted(upto, high, side="right")])
        found.append(float(at_low + (at_high - at_low) * (place - low)))
    return found
