"""The sign-flip (paired randomisation) test of "no difference", for one column or for many at once."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from evenhand.errors import InputError
from evenhand.stats.argument_checks import TIE, column
from evenhand.stats.intervals.resample import CELLS, on_grid
from evenhand.stats.sampling.seeds import stream

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import ArrayLike, NDArray

    from evenhand.protocols import Engine

__all__ = ["EXACT", "SignFlip", "signflip", "signflips"]

EXACT = 16  # up to this many non-zero differences all sign patterns are listed


@dataclass(frozen=True, slots=True, kw_only=True)
class SignFlip:
    """Two-sided p: the share of sign patterns with a sum at least as far from 0 as the one observed."""

    p: float
    k: int  # non-zero differences
    count: int  # patterns at least as extreme
    total: int  # patterns looked at
    exact: bool
    floor: float  # the smallest p that k differences, or this many draws, could have given

    @property
    def method(self) -> str:
        """How reports name it."""
        return "sign-flip, exact" if self.exact else f"sign-flip, {self.total:,} random sign vectors"


def signflip(differences: ArrayLike, *, signs: int = 20_000, seed: int = 20241009) -> SignFlip:
    """The two-sided sign-flip test on paired *differences* (float64[n]); see `signflips`.

    Source: Fisher 1935; Phipson & Smyth 2010.
    """
    return signflips(column(differences, "differences")[:, None], signs=signs, seed=seed)[0]


def signflips(
    differences: NDArray[np.float64],
    *,
    signs: int = 20_000,
    seed: int = 20241009,
    cells: int = CELLS,
    engine: Engine | None = None,
) -> list[SignFlip]:
    """The two-sided sign-flip test on every column of *differences* (float64[n, c]).

    T = |sum d_i| over the k non-zero differences. Up to 16: p = #{s in {-1, 1}^k: |sum s_i d_i| >=
    T - 1e-12 sum|d|} / 2^k, the observed pattern included; k = 0 and k = 1 give 1. Beyond: *signs*
    random sign vectors, the same ones for every column, p = (1 + #{>=}) / (signs + 1), so never below
    1/(signs + 1). Tests that each difference is symmetric around 0; zero differences never change the
    exact p; for yes/no outcomes the exact p is McNemar's. With an *engine* its workers add up the blocks of
    random signs, where there are several: the very same signs.

    Source: Fisher 1935; Phipson & Smyth 2010. The exact case agrees with ``scipy.stats.permutation_test
    (permutation_type="samples")``, whose Monte Carlo p is another formula.
    """
    if signs < 1:
        raise InputError(f"signs is {signs}", mend="use 1 or more; 20,000 is the default")
    d = np.where(np.abs(differences) <= TIE, 0.0, differences)
    k = np.count_nonzero(d, axis=0)
    results: list[SignFlip | None] = [_exact(d[:, j]) if k[j] <= EXACT else None for j in range(d.shape[1])]
    many = np.flatnonzero(k > EXACT)
    if len(many):
        at_least = _random(d[:, many], signs=signs, seed=seed, cells=cells, engine=engine)
        for j, count in zip(many.tolist(), at_least.tolist(), strict=True):
            results[j] = SignFlip(
                p=(1 + count) / (signs + 1),
                k=int(k[j]),
                count=count,
                total=signs,
                exact=False,
                floor=1 / (signs + 1),
            )
    return [result for result in results if result is not None]


def _exact(d: NDArray[np.float64]) -> SignFlip:
    d = d[d != 0]
    k = len(d)
    if k == 0:
        return SignFlip(p=1.0, k=0, count=1, total=1, exact=True, floor=1.0)
    grid, _ = on_grid(d[:, None])
    observed, slack = abs(float(grid.sum())), TIE * float(np.abs(grid).sum())
    # half of the patterns are the other half with all signs turned: fix the first sign
    sums = np.array([grid[0, 0]])
    for value in grid[1:, 0]:
        sums = np.concatenate([sums + value, sums - value])
    count = 2 * int((np.abs(sums) >= observed - slack).sum())
    total = 2**k
    return SignFlip(p=count / total, k=k, count=count, total=total, exact=True, floor=2 / total)


def _random(
    d: NDArray[np.float64], *, signs: int, seed: int, cells: int, engine: Engine | None
) -> NDArray[np.int64]:
    n, c = d.shape
    grid, _ = on_grid(d)
    whole = grid.sum(axis=0)
    least = np.ceil(np.abs(whole) - TIE * np.abs(grid).sum(axis=0)).astype(np.int64)
    # with s = 2 bit - 1 the sum of s d is twice that of bit d less the whole: as whole numbers, its size is
    # at least *least* where the sum of bit d is not between these two
    high = (-(-(whole.astype(np.int64) + least) // 2)).astype(np.float64)
    low = ((whole.astype(np.int64) - least) // 2).astype(np.float64)
    low[least <= 0] = -np.inf  # every sum is that far from 0: count none of them twice
    high[least <= 0] = -np.inf
    by_column = np.ascontiguousarray(grid.T)
    rows = min(max(1, min(cells // n, cells // c)), signs)
    blocks = _words(n, rows=rows, signs=signs, seed=seed)
    at_least = np.zeros(c, dtype=np.int64)
    if engine is not None and signs > rows:
        for count in engine.map(_apart, blocks, shared=(by_column, high, low)):
            at_least += count
        return at_least
    room = np.empty((rows, n)), np.empty((c, rows))
    for words in blocks:
        at_least += _beyond(by_column, high, low, words, room)
    return at_least


def _words(n: int, *, rows: int, signs: int, seed: int) -> Iterator[NDArray[np.uint64]]:
    """Blocks of sign vectors as bits, uint64[rows, ceil(n / 64)]."""
    dice = stream(seed, "signs")
    for first in range(0, signs, rows):
        size = (min(rows, signs - first), math.ceil(n / 64))
        yield dice.integers(0, 2**64, size=size, dtype=np.uint64)


def _apart(
    by_column: NDArray[np.float64],
    high: NDArray[np.float64],
    low: NDArray[np.float64],
    words: NDArray[np.uint64],
) -> NDArray[np.int64]:
    """One block on a worker, in room of its own."""
    c, n = by_column.shape
    return _beyond(by_column, high, low, words, (np.empty((len(words), n)), np.empty((c, len(words)))))


def _beyond(
    by_column: NDArray[np.float64],
    high: NDArray[np.float64],
    low: NDArray[np.float64],
    words: NDArray[np.uint64],
    room: tuple[NDArray[np.float64], NDArray[np.float64]],
) -> NDArray[np.int64]:
    """int64[c]: in how many sign vectors of one block the sum of each column is far enough from 0."""
    (c, n), count = by_column.shape, len(words)
    bits, sums = room[0][:count], room[1] if count == room[1].shape[1] else room[1][:, :count]
    drawn = words.astype("<u8").view(np.uint8)
    np.copyto(bits, np.unpackbits(drawn, axis=1, count=n, bitorder="little"))
    np.matmul(by_column, bits.T, out=sums)
    found = [np.count_nonzero(sums[j] >= high[j]) + np.count_nonzero(sums[j] <= low[j]) for j in range(c)]
    return np.array(found, dtype=np.int64)
