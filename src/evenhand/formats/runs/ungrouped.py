"""All rows of a run file whose questions do not stand together, as columns."""

from __future__ import annotations

import io
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from evenhand.formats.runs.duplicates import Repeats, repeated
from evenhand.formats.runs.id_hash import PAD, Ids, differ, unlike
from evenhand.formats.runs.stream import NotPlain, Reader

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Codes", "Held", "HeldFile"]

SLOTS = 1 << 20


class Codes:
    """Ids numbered in order of appearance, many at once: most are found by the head of their hash."""

    def __init__(self) -> None:
        self.names: list[bytes] = []
        self._place: dict[int, int] = {}  # by hash
        self._shift = np.uint64(64 - (SLOTS.bit_length() - 1))
        self._key = np.zeros(SLOTS, dtype=np.uint64)
        self._code = np.full(SLOTS, -1, dtype=np.int32)
        self._known = Ids(
            np.zeros(1 << 16, dtype=np.uint8), np.zeros(1 << 10, np.int64), np.zeros(1 << 10, np.int64)
        )
        self._used = 0

    def of(self, ids: Ids, key: NDArray[np.uint64]) -> NDArray[np.int32]:
        """The number of each id, of which *key* are the hashes (`keys`)."""
        slot = (key >> self._shift).view(np.int64)
        code = self._code[slot]
        miss = np.flatnonzero((self._key[slot] != key) | (code < 0))
        if len(miss):
            one, first, back = np.unique(key[miss], return_index=True, return_inverse=True)
            place = self._place
            new = [i for i in np.argsort(first).tolist() if int(one[i]) not in place]
            if new:
                self._add(ids[miss[first[new]]], one[new])
            code[miss] = np.fromiter((place[k] for k in one.tolist()), np.int32, len(one))[back]
        if unlike(ids, self._known[code.astype(np.int64)]):
            raise NotPlain
        return code

    def _add(self, ids: Ids, key: NDArray[np.uint64]) -> None:
        number = np.arange(len(self.names), len(self.names) + len(ids))
        packed = Ids.copied(ids.data, ids.start, ids.length)
        raw = packed.data.tobytes()
        stop = packed.start + packed.length
        self.names += [raw[a:b] for a, b in zip(packed.start.tolist(), stop.tolist(), strict=True)]
        self._place.update(zip(key.tolist(), number.tolist(), strict=True))
        slot = (key >> self._shift).view(np.int64)
        free = np.flatnonzero(self._code[slot] < 0)
        self._code[slot[free]] = number[free]
        self._key[slot[free]] = key[free]
        size, used = int(stop[-1]), self._used
        known = self._known
        data, start, length = known.data, known.start, known.length
        if used + size + PAD > len(data):
            data = np.concatenate([data, np.zeros(len(data) + size, dtype=np.uint8)])
        if number[-1] >= len(start):
            more = np.zeros(len(start) + len(ids), dtype=np.int64)
            start, length = np.concatenate([start, more]), np.concatenate([length, more])
        data[used : used + size] = packed.data[:size]
        start[number], length[number] = packed.start + used, packed.length
        self._used += size
        self._known = Ids(data, start, length)


def _joined(parts: list[NDArray[Any]]) -> NDArray[Any]:
    """One column; its parts are given up, so that nothing is held twice for long."""
    whole = np.concatenate(parts) if parts else np.zeros(0, dtype=np.int64)
    parts.clear()
    return whole


@dataclass
class Held:
    """All rows of a run. ``names``: questions as they appear; ``code``: that of each row.

    ``key``: uint64[n], a hash of question and unit; ``rank``: None where rows say none.
    """

    file: str
    names: list[bytes]
    code: NDArray[np.integer[Any]]
    key: NDArray[np.uint64]
    score: NDArray[np.float64]
    rank: NDArray[np.integer[Any]] | None
    notes: Counter[str]
    lenient: bool = False
    tag: str = ""
    ranked: bool = True

    def units(self, rows: NDArray[np.int64]) -> Ids:
        """The ids of some rows."""
        raise NotImplementedError

    def place(self, row: int) -> str:
        """Where a row stands, for a message."""
        raise NotImplementedError

    def keep(self, rows: NDArray[np.bool_]) -> None:
        """Leave all other rows out."""
        self.code, self.key, self.score = self.code[rows], self.key[rows], self.score[rows]
        self.rank = None if self.rank is None else self.rank[rows]

    def once(self) -> None:
        """Rows whose unit its question has already are an error, or (lenient) are left out and counted."""
        repeats, found = Repeats(self.file), repeated(self.key, self._same)
        if found is None:
            return
        rows, second, first = found
        if not len(rows):
            raise NotPlain
        repeats.add(
            len(rows),
            first=self.place(first),
            second=self.place(second),
            unit=self.units(np.array([second])).bytes_of(0),
            question=self.names[self.code[second]],
        )
        if not self.lenient:
            raise repeats.error()
        self.notes["duplicates"] += len(rows)
        keep = np.ones(len(self.key), dtype=bool)
        keep[rows] = False
        self.keep(keep)

    def _same(self, a: NDArray[np.int64], b: NDArray[np.int64]) -> bool:
        return bool((self.code[a] == self.code[b]).all()) and not differ(self.units(a), self.units(b)).any()


class HeldFile(Held):
    """The rows of a TREC run file; its ids are read again from *data*, all its bytes."""

    def __init__(self, reader: Reader, data: NDArray[np.uint8]) -> None:
        codes = Codes()
        parts: tuple[list[NDArray[Any]], ...] = ([], [], [], [], [], [])
        for piece in reader.pieces(complete=False):
            code = codes.of(piece.question, piece.code)
            if len(code) < len(piece.key):
                code = np.repeat(code, np.diff(piece.begin))
            unit = cast("Ids", piece.unit)
            start = unit.start + piece.offset
            length = unit.length.astype(np.uint32)
            rank = cast("NDArray[Any]", piece.rank)
            if np.abs(rank).max(initial=0) < 1 << 31:
                rank = rank.astype(np.int32)
            row: tuple[NDArray[Any], ...] = (code, piece.key, piece.score, rank, start, length)
            for column, part in zip(parts, row, strict=True):
                column.append(part)
        code, key, score, rank, self._start, self._length = map(_joined, parts)
        super().__init__(
            reader.file,
            codes.names,
            code,
            key,
            score,
            rank if reader.ranked else None,
            reader.notes,
            reader.lenient,
            reader.tag,
            reader.ranked,
        )
        self._data = data

    def units(self, rows: NDArray[np.int64]) -> Ids:
        """The ids of some rows."""
        return Ids.copied(self._data, self._start[rows], self._length[rows].astype(np.int64))

    def keep(self, rows: NDArray[np.bool_]) -> None:
        """Leave all other rows out."""
        super().keep(rows)
        self._start, self._length = self._start[rows], self._length[rows]

    def place(self, row: int) -> str:
        """The line in which a row stands: counted by reading once more."""
        again = Reader(io.BytesIO(self._data.tobytes()), self.file, lenient=self.lenient)
        for piece in again.pieces(complete=False):
            if row < len(piece.line):
                return f"line {piece.line[row]}"
            row -= len(piece.line)
        raise NotPlain
