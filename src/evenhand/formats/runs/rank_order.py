"""Where the rows of a run stand: by score, by rank column, within ties. Never sorts what falls already."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from evenhand.formats.runs.id_hash import Ids, above

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

__all__ = ["Places", "placed", "single"]

PAIRS = 1 << 18  # rows or comparisons looked at at once
MOST = float(np.finfo(np.float32).max)


def single(score: NDArray[np.float64]) -> NDArray[np.float32]:
    """Scores as trec_eval 9 compares them, as float32; beyond it all are one tie."""
    if len(score) and (score.max() > MOST or score.min() < -MOST):
        score = np.clip(score, -MOST, MOST)
    return score.astype(np.float32)


@dataclass
class Places:
    """The order of rows by question, then falling score.

    ``begin``: int64[q + 1], where each question begins; ``at``: int64[n], the position of each row, None
    where rows stand in order; ``score``: float64[n], in order. ``contradictions``: rows whose rank says
    another place than their score; ``ties``: rows that share their score with another of their question.
    """

    begin: NDArray[np.int64]
    at: NDArray[np.int64] | None
    score: NDArray[np.floating[Any]]
    contradictions: int
    ties: int

    def ranks(
        self, rows: NDArray[np.int64], ids: Callable[[NDArray[np.int64]], Ids] | None
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Rank of some rows, and the first and last rank of their tie; *ids* gives the units of rows.

        Within a tie ids fall; without *ids* rows stay as they stand.
        """
        position = rows if self.at is None else self.at[rows]
        first = self.begin[np.searchsorted(self.begin, position, side="right") - 1]
        rank = position - first + 1
        if not self.ties or not len(rows):
            return rank, rank, rank
        low, high = self._tie(position)
        if ids is not None:
            tied = np.flatnonzero(high > low + 1)
            if len(tied):
                rank[tied] = low[tied] - first[tied] + 1
                rank[tied] += self._before(rows[tied], low[tied], high[tied], ids)
        return rank, low - first + 1, high - first

    def ordered(self, unit: NDArray[np.int64], *, falling: bool) -> NDArray[np.int64]:
        """The *unit* of each row, in order; within ties they fall, unless rows are to stay as they stand."""
        made = unit
        if self.at is not None:
            made = np.empty_like(unit)
            made[self.at] = unit
        if falling and self.ties:
            fresh = self._fresh()
            tied = ~fresh
            tied[:-1] |= tied[1:]
            some = np.flatnonzero(tied)
            part = made[some]
            made = made.copy() if made is unit else made
            made[some] = part[np.lexsort((-part, np.cumsum(fresh)[some]))]
        return made

    def _fresh(self) -> NDArray[np.bool_]:
        """Positions that do not share the score of the one before."""
        fresh = np.ones(len(self.score), dtype=bool)
        fresh[1:] = self.score[1:] != self.score[:-1]
        fresh[self.begin[:-1]] = True
        return fresh

    def _tie(self, position: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Where the tie of each position begins, and the position behind it."""
        again = np.flatnonzero(~self._fresh())  # those with the score of the one before
        new = np.ones(len(again), dtype=bool)
        new[1:] = again[1:] != again[:-1] + 1
        begin = again[new] - 1
        end = again[np.append(new[1:], True)] + 1
        group = np.searchsorted(begin, position, side="right") - 1
        inside = (group >= 0) & (position < end[group])
        return np.where(inside, begin[group], position), np.where(inside, end[group], position + 1)

    def _before(
        self,
        rows: NDArray[np.int64],
        low: NDArray[np.int64],
        high: NDArray[np.int64],
        ids: Callable[[NDArray[np.int64]], Ids],
    ) -> NDArray[np.int64]:
        """How many of the rows at positions low to high have an id behind that of each row."""
        at = self._rows_at(low, high)
        found = np.zeros(len(rows), dtype=np.int64)
        size = high - low
        upto = np.cumsum(size)
        start = 0
        while start < len(rows):
            done = upto[start - 1] if start else 0
            stop = max(int(np.searchsorted(upto, done + PAIRS, side="right")), start + 1)
            count = size[start:stop]
            mine = np.repeat(np.arange(start, stop), count)
            other = np.arange(len(mine)) - np.repeat(np.cumsum(count) - count - low[start:stop], count)
            behind = above(ids(at(other)), ids(rows[mine]))
            found += np.bincount(mine[behind], minlength=len(rows))
            start = stop
        return found

    def _rows_at(
        self, low: NDArray[np.int64], high: NDArray[np.int64]
    ) -> Callable[[NDArray[np.int64]], NDArray[np.int64]]:
        """The way back from positions to rows, for positions from a low to its high."""
        if self.at is None:
            return lambda position: position
        edge = np.zeros(len(self.at) + 1, dtype=np.int32)
        np.add.at(edge, low, 1)
        np.subtract.at(edge, high, 1)
        inside = np.cumsum(edge[:-1], dtype=np.int32) > 0
        rows = np.flatnonzero(inside[self.at])
        position = self.at[rows]
        order = np.argsort(position)
        rows, position = rows[order], position[order]
        return lambda wanted: rows[np.searchsorted(position, wanted)]


def placed(
    score: NDArray[np.float64],
    rank: NDArray[np.integer[Any]] | None,
    begin: NDArray[np.int64],
    code: NDArray[np.integer[Any]] | None = None,
    *,
    as_float32: bool = False,
    by_file: bool = False,
) -> Places:
    """The places of rows with these scores and, if known, ranks.

    ``begin``: where each question begins once rows are grouped; ``code``: the question of each row, None
    where they stand together. *as_float32* compares scores so; *by_file* leaves rows as they stand.
    """
    stands = code is None
    at: NDArray[np.int64] | None = None
    ordered = score
    contradictions = 0
    if not (code is None and _fall(score, begin) and (rank is None or by_file or _rise(rank, begin))):
        if code is None:
            code = np.repeat(np.arange(len(begin) - 1), np.diff(begin))
        found_ = None if by_file else _by_rank(score, rank, begin, code)
        if found_ is not None:
            at, ordered = found_
        else:
            at, contradictions = _sorted(score, rank, code, stands=stands, by_file=by_file)
            if at is not None:
                ordered = np.empty_like(score)
                ordered[at] = score
    found = Places(begin, at, single(ordered) if as_float32 else ordered, contradictions, 0)
    same = ~found._fresh()[1:]  # noqa: SLF001 - of this module
    if same.any():
        found.ties = int(np.count_nonzero(same)) + int(np.count_nonzero(same[1:] & ~same[:-1]) + same[0])
    return found


def _fall(score: NDArray[np.float64], begin: NDArray[np.int64]) -> bool:
    rises = score[1:] > score[:-1]
    rises[begin[1:-1] - 1] = False
    return not rises.any()


def _rise(rank: NDArray[np.integer[Any]], begin: NDArray[np.int64]) -> bool:
    rises = rank[1:] > rank[:-1]
    rises[begin[1:-1] - 1] = True
    return bool(rises.all())


def _by_rank(
    score: NDArray[np.float64],
    rank: NDArray[np.integer[Any]] | None,
    begin: NDArray[np.int64],
    code: NDArray[np.integer[Any]],
) -> tuple[NDArray[np.int64], NDArray[np.float64]] | None:
    """Positions and scores as the rank column says, when each place is taken once and scores fall so."""
    if rank is None or not len(rank):
        return None
    base = min(max(int(rank.min()), 0), 1)
    size = np.diff(begin)
    least = int(size.min())
    at = np.empty(len(score), dtype=np.int64)
    ordered = np.full(len(score), np.nan)
    for first in range(0, len(score), PAIRS):  # a part at a time: what comes between stays in the cache
        part = slice(first, first + PAIRS)
        asked = code[part].astype(np.int64)
        place = rank[part].astype(np.int64) - base
        if place.min() < 0 or (place.max() >= least and (place >= size.take(asked)).any()):
            return None
        place += begin.take(asked)
        at[part] = place
        ordered[place] = score[part]
    if np.isnan(ordered).any() or not _fall(ordered, begin):
        return None
    return at, ordered


def _sorted(
    score: NDArray[np.float64],
    rank: NDArray[np.integer[Any]] | None,
    code: NDArray[np.integer[Any]],
    *,
    stands: bool,
    by_file: bool,
) -> tuple[NDArray[np.int64] | None, int]:
    """Positions by falling score (or as the rows stand), and how many ranks say otherwise."""
    order: NDArray[np.int64] | None = None
    contradictions = 0
    if by_file:
        order = None if stands else np.argsort(code, kind="stable")
    elif rank is None:
        order = np.lexsort((-score, code))
    else:
        order = np.lexsort((rank, -score, code))
        contradictions = int(np.sum(order != np.lexsort((-score, rank, code))))
    if order is None:
        return None, 0
    at = np.empty(len(order), dtype=np.int64)
    at[order] = np.arange(len(order))
    return at, contradictions
