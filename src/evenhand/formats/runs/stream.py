"""TREC run files, streamed: the rows of whole questions at a time, as columns.

Ids stay where they are read (see `evenhand.formats.runs.id_hash`); numbers are parsed a block at once. Lines
that are not plain are judged one by one by the careful reader, so that both say the same of every file.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO, Protocol

import numpy as np

from evenhand.errors import InputError
from evenhand.formats.runs.float_parser import floats, wholes
from evenhand.formats.runs.id_hash import Ids, changes, keys
from evenhand.formats.runs.judged_index import mixed
from evenhand.formats.runs.row_tokens import BLOCK, Block, Scanner
from evenhand.formats.runs.trec_lines import number, run_line, whole

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["NotPlain", "Piece", "Reader", "Source", "utf8"]

QUESTION, UNIT, RANK, SCORE, TAG = 0, 2, 3, 4, 5
FAR = 1 << 62


class NotPlain(Exception):
    """The file needs the careful reader."""


class Units(Protocol):
    """Ids of rows, of which some can be taken: `Ids`, or a column of a frame."""

    def __getitem__(self, rows: NDArray[np.int64]) -> Ids:
        """The ids of some rows."""

    def keep(self, rows: NDArray[np.bool_]) -> Units:
        """The column without all other rows."""


class Source(Protocol):
    """What gives pieces: the rows of a file or of a frame."""

    file: str
    lenient: bool
    notes: Counter[str]
    ranked: bool
    tag: str

    def pieces(self, *, complete: bool) -> Iterator[Piece]:
        """All rows. With *complete* no stretch is cut in two where one piece ends."""


@dataclass
class Piece:
    """Rows that stand together by question. ``begin``: int64[s + 1], where each stretch begins.

    ``key``: uint64[n], of question and unit; ``unit``: ids in a buffer that the next piece overwrites;
    ``score``: float64[n]; ``rank``: int64[n] or None; ``line``: int64[n]; ``question``: ids, one a
    stretch; ``code``: uint64[s], their hash; ``offset``: where the buffer stands in the file.
    """

    question: Ids
    code: NDArray[np.uint64]
    begin: NDArray[np.int64]
    key: NDArray[np.uint64]
    unit: Units
    score: NDArray[np.float64]
    rank: NDArray[np.int64] | None
    line: NDArray[np.int64]
    offset: int = 0
    place: str = "line"

    def names(self) -> list[bytes]:
        """The question of each stretch."""
        start = self.question.start
        raw = self.question.data.data
        return [
            bytes(raw[a:b])
            for a, b in zip(start.tolist(), (start + self.question.length).tolist(), strict=True)
        ]

    def keep(self, rows: NDArray[np.bool_]) -> None:
        """Leave all other rows out; no stretch may lose all of its rows."""
        self.begin = np.concatenate([[0], np.cumsum(np.add.reduceat(rows.astype(np.int64), self.begin[:-1]))])
        self.unit = self.unit.keep(rows)
        self.key, self.score = self.key[rows], self.score[rows]
        self.rank = None if self.rank is None else self.rank[rows]
        self.line = self.line[rows]


class Reader:
    """Pieces of the run file *file*, from its unpacked *stream*.

    Afterwards ``notes`` counts comments, columns too many and (with *lenient*) broken lines; ``ranked`` says
    whether every row had a rank; ``tag`` is the first.
    """

    def __init__(self, stream: BinaryIO, file: str, *, lenient: bool, size: int = BLOCK) -> None:
        self.scanner = Scanner(stream, 6, size=size)
        self.file = file
        self.lenient = lenient
        self.notes: Counter[str] = Counter()
        self.ranked = True
        self.tag = ""
        self._aside: list[tuple[int, str]] = []
        self._faults: list[tuple[int, InputError]] = []

    def pieces(self, *, complete: bool) -> Iterator[Piece]:
        """All rows. With *complete* no stretch is cut in two where one piece ends."""
        while True:
            self._aside.clear()
            block = self.scanner.read(self._judge)
            if block is None:
                return
            if not block.ascii:
                utf8(block)
            score, rank = self._numbers(block)
            if self._faults:
                raise min(self._faults, key=lambda fault: fault[0])[1]
            size = len(block)
            if size and not self.tag:
                self.tag = block.ids(TAG).bytes_of(0).decode("utf-8", "replace")
            begin = np.flatnonzero(changes(block.ids(QUESTION)))
            if complete and size and not block.last:
                size = int(begin[-1])
                begin = begin[:-1]
            if size:
                yield _piece(block, begin, size, score, rank)
            self.scanner.done(block, size)
            for line, note in self._aside:
                if line < self.scanner.line:
                    self.notes[note] += 1

    def _judge(self, at: int, line: bytes) -> bool:
        """What the careful reader says of a line: is it a row? Faults are kept, the first is raised."""
        try:
            found = run_line(self.file, at, line, lenient=self.lenient)
        except InputError as error:
            self._faults.append((at, error))
            return False
        if found.note:
            self._aside.append((at, found.note))
        return bool(found.part)

    def _numbers(self, block: Block) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Scores and ranks; rows whose line is none after all are taken out of the block."""
        score, odd = floats(block.ids(SCORE))
        rank, unranked = wholes(block.ids(RANK))
        if not odd.any() and not unranked.any():
            return score, rank
        scores, ranks, question = block.ids(SCORE), block.ids(RANK), block.start[QUESTION]
        out = set()
        for row in np.flatnonzero(odd).tolist():
            value = number(scores.bytes_of(row))
            if value is None or not np.isfinite(value):
                if not self._judge(int(block.line[row]), block.text(row)):
                    out.add(row)
                value = 0.0
            score[row] = value
        unranked &= self.ranked | (block.data[question] == ord("#"))
        for row in np.flatnonzero(unranked).tolist():
            place = whole(ranks.bytes_of(row)) if row not in out else 0
            if place is None:
                if block.data[question[row]] == ord("#"):
                    out.add(row)
                    self._judge(int(block.line[row]), block.text(row))
                else:
                    self.ranked = False
                place = 0
            if abs(place) > FAR:
                raise NotPlain
            rank[row] = place
        if out:
            keep = np.ones(len(block), dtype=bool)
            keep[list(out)] = False
            block.keep(keep)
            score, rank = score[keep], rank[keep]
        return score, rank


def utf8(block: Block) -> None:
    """Raise NotPlain where a block is not UTF-8."""
    try:
        block.held[block.begin : block.end].decode()
    except UnicodeDecodeError as error:
        raise NotPlain from error


def _piece(
    block: Block, begin: NDArray[np.int64], size: int, score: NDArray[np.float64], rank: NDArray[np.int64]
) -> Piece:
    question, unit = block.ids(QUESTION)[begin], block.ids(UNIT)[slice(size)]
    begin = np.append(begin, size)
    code = keys(question)
    return Piece(
        question=question,
        code=code,
        begin=begin,
        key=keys(unit) ^ np.repeat(mixed(code), np.diff(begin)),
        unit=unit,
        score=score[:size],
        rank=rank[:size],
        line=block.line[:size],
        offset=block.offset,
    )
