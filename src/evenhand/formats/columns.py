"""TREC run files read for their judged rows: never sort the run, never code every id.

A metric needs the ranks of judged units only. Questions are streamed: repeats are found by hash, judged rows
by hash and then by id, their rank is their place where scores fall already, and only ties are repaired. Where
questions do not stand together all rows are held, at about 40 bytes each.
"""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from evenhand.formats.held import Held
from evenhand.formats.pieces import NotPlain, Piece, Reader
from evenhand.formats.places import Places, placed
from evenhand.formats.repeats import Repeats, repeated
from evenhand.formats.tokens import BLOCK
from evenhand.formats.wanted import Wanted
from evenhand.formats.words import differ
from evenhand.metrics.view import View

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from evenhand.formats.words import Ids

__all__ = ["view"]


class _Interleaved(Exception):
    """A question comes back after others."""


class _Found:
    """Judged rows, gathered piece by piece."""

    def __init__(self, wanted: Wanted, ties: str) -> None:
        self.wanted = wanted
        self.ties = ties
        self.parts: list[tuple[NDArray[np.int64], ...]] = []
        self.depth = np.zeros(wanted.judged.n, dtype=np.int64)
        self.unasked = 0
        self.asked: list[str] = []
        self.shown: list[str] = []
        self.notes: Counter[str] = Counter()

    def add(
        self,
        key: NDArray[np.uint64],
        code: Callable[[NDArray[np.int64]], NDArray[np.int64]],
        places: Places,
        units: Callable[[NDArray[np.int64]], Ids],
    ) -> None:
        """The judged among some rows: the key of each; *code*: position in the qrels of its question."""
        rows, judged = self.wanted.find(key, code, units)
        if len(rows):
            repair = None if self.ties == "file" else units
            self.parts.append((code(rows), judged, *places.ranks(rows, repair)))
        self.notes["ties"] += places.ties
        self.notes["contradictions"] += places.contradictions

    def met(self, names: list[bytes], size: NDArray[np.int64]) -> NDArray[np.int64]:
        """Position in the qrels (-1: nowhere) of questions, of which there are *size* rows."""
        place = self.wanted.place
        code = np.fromiter((place.get(name, -1) for name in names), np.int64, len(names))
        known = code >= 0
        self.depth[code[known]] = size[known]
        self.unasked += int(np.count_nonzero(~known))
        if len(self.asked) < 3:
            self.asked += [name.decode() for name in names[:3]]
        return code

    def view(self, system: str, reader: Reader, repeats: Repeats, depth: int | None) -> View:
        """What was found, by question and rank."""
        none = (np.zeros(0, dtype=np.int64),) * 5
        question, row, rank, low, high = (
            np.concatenate(column) for column in zip(*(self.parts or [none]), strict=True)
        )
        order = np.lexsort((rank, question))
        said = reader.notes + self.notes
        said["duplicates"] += repeats.count
        if not reader.ranked:
            said["contradictions"] = 0
            said["no_ranks"] = 1
        notes = {name: n for name, n in sorted(said.items()) if n}
        if self.unasked:
            notes["unasked"] = self.unasked
        return View(
            system=system,
            judged=self.wanted.judged,
            question=question[order],
            rank=rank[order],
            row=row[order],
            low=low[order],
            high=high[order],
            depth=self.depth,
            missing=self.depth == 0,
            notes=notes,
            asked=tuple(self.asked[:3]),
            shown=tuple(self.shown[:3]),
        ).cut(depth)


def view(
    opened: Callable[[Callable[[BinaryIO], Any]], Any],
    whole: Callable[[], NDArray[np.uint8]],
    wanted: Wanted,
    *,
    file: str,
    system: str,
    lenient: bool = False,
    ties: str = "trec",
    depth: int | None = None,
    size: int = BLOCK,
) -> tuple[View, str]:
    """The judged units of a TREC run with their ranks, and the tag of its first row.

    *opened* does some work with its unpacked stream; *whole* gives all its bytes at once, and is asked only
    where questions do not stand together. Raises NotPlain for a file that needs the careful reader.
    """
    if wanted.clash:
        raise NotPlain

    def read(stream: BinaryIO) -> tuple[View, str] | None:
        try:
            return _streamed(Reader(stream, file, lenient=lenient, size=size), wanted, system, ties, depth)
        except _Interleaved:
            return None

    def again(stream: BinaryIO) -> tuple[View, str]:
        return _held(Reader(stream, file, lenient=lenient, size=size), whole(), wanted, system, ties, depth)

    found: tuple[View, str] = opened(read) or opened(again)
    return found


def _streamed(reader: Reader, wanted: Wanted, system: str, ties: str, depth: int | None) -> tuple[View, str]:
    found, repeats = _Found(wanted, ties), Repeats(reader.file)
    known: set[bytes] = set()
    for piece in reader.pieces(complete=True):
        names = piece.names()
        before = len(known)
        known.update(names)
        if len(known) < before + len(names):
            raise _Interleaved
        _once(piece, repeats, lenient=reader.lenient)
        code = found.met(names, np.diff(piece.begin))
        if not found.shown:
            found.shown = [piece.unit.bytes_of(i).decode() for i in range(min(3, len(piece.key)))]
        places = placed(
            piece.score,
            piece.rank if reader.ranked else None,
            piece.begin,
            as_float32=ties == "trec9",
            by_file=ties == "file",
        )
        found.add(piece.key, partial(_within, piece.begin, code), places, piece.unit.__getitem__)
    if repeats.count and not reader.lenient:
        raise repeats.error()
    return found.view(system, reader, repeats, depth), reader.tag


def _within(begin: NDArray[np.int64], code: NDArray[np.int64], rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """The code of the stretch in which each row stands."""
    return code[np.searchsorted(begin, rows, side="right") - 1]


def _once(piece: Piece, repeats: Repeats, *, lenient: bool) -> None:
    """Count repeats, and (lenient) keep only the first of each unit."""
    unit = piece.unit
    found = repeated(piece.key, lambda a, b: not differ(unit[a], unit[b]).any())
    if found is None:
        return
    rows, second, first = found
    if not len(rows):
        raise NotPlain
    stretch = int(np.searchsorted(piece.begin, second, side="right")) - 1
    repeats.add(
        len(rows),
        first=int(piece.line[first]),
        second=int(piece.line[second]),
        unit=unit.bytes_of(second),
        question=piece.question.bytes_of(stretch),
    )
    if lenient:
        keep = np.ones(len(piece.key), dtype=bool)
        keep[rows] = False
        piece.keep(keep)


def _held(  # noqa: PLR0917
    reader: Reader, data: NDArray[np.uint8], wanted: Wanted, system: str, ties: str, depth: int | None
) -> tuple[View, str]:
    found, repeats = _Found(wanted, ties), Repeats(reader.file)
    held = Held(reader, data)
    held.once(repeats)
    if repeats.count and not reader.lenient:
        raise repeats.error()
    count = np.bincount(held.code, minlength=len(held.names))
    asked = found.met(held.names, count)
    found.shown = [held.units(np.array([i])).bytes_of(0).decode() for i in range(min(3, len(held.code)))]
    begin = np.concatenate([[0], np.cumsum(count)])
    places = placed(
        held.score,
        held.rank if reader.ranked else None,
        begin,
        held.code,
        as_float32=ties == "trec9",
        by_file=ties == "file",
    )
    held.free()
    found.add(held.key, lambda rows: asked[held.code[rows]], places, held.units)
    return found.view(system, reader, repeats, depth), reader.tag
