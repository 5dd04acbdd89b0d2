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

from evenhand.formats.runs.duplicates import Repeats, repeated
from evenhand.formats.runs.id_hash import differ
from evenhand.formats.runs.judged_index import Wanted
from evenhand.formats.runs.rank_order import Places, placed
from evenhand.formats.runs.row_tokens import BLOCK
from evenhand.formats.runs.stream import NotPlain, Piece, Reader, Source
from evenhand.formats.runs.ungrouped import Held, HeldFile
from evenhand.metrics.measure.view import View

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from evenhand.formats.runs.id_hash import Ids

__all__ = ["Interleaved", "held_view", "streamed_view", "view"]


class Interleaved(Exception):
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

    def view(self, system: str, notes: Counter[str], depth: int | None, *, ranked: bool) -> View:
        """What was found, by question and rank."""
        none = (np.zeros(0, dtype=np.int64),) * 5
        question, row, rank, low, high = (
            np.concatenate(column) for column in zip(*(self.parts or [none]), strict=True)
        )
        order = np.lexsort((rank, question))
        said = notes + self.notes
        if not ranked:
            said["contradictions"] = 0
            said["no_ranks"] = 1
        noted = {name: n for name, n in sorted(said.items()) if n}
        if self.unasked:
            noted["unasked"] = self.unasked
        seen = View(
            system=system,
            judged=self.wanted.judged,
            question=question[order],
            rank=rank[order],
            row=row[order],
            low=low[order],
            high=high[order],
            depth=self.depth,
            missing=self.depth == 0,
            notes=noted,
            asked=tuple(self.asked[:3]),
            shown=tuple(self.shown[:3]),
        )
        return seen.spared().cut(depth)


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
            return streamed_view(
                Reader(stream, file, lenient=lenient, size=size), wanted, system, ties, depth
            )
        except Interleaved:
            return None

    def again(stream: BinaryIO) -> tuple[View, str]:
        held = HeldFile(Reader(stream, file, lenient=lenient, size=size), whole())
        return held_view(held, wanted, system=system, ties=ties, depth=depth), held.tag

    found: tuple[View, str] = opened(read) or opened(again)
    return found


def streamed_view(
    reader: Source, wanted: Wanted, system: str, ties: str, depth: int | None
) -> tuple[View, str]:
    """The judged units of a run whose questions stand together, and its tag; else raises Interleaved."""
    found, repeats = _Found(wanted, ties), Repeats(reader.file)
    known: set[bytes] = set()
    for piece in reader.pieces(complete=True):
        names = piece.names()
        before = len(known)
        known.update(names)
        if len(known) < before + len(names):
            raise Interleaved
        _once(piece, repeats, lenient=reader.lenient)
        code = found.met(names, np.diff(piece.begin))
        if not found.shown:
            few = piece.unit[np.arange(min(3, len(piece.key)))]
            found.shown = [few.bytes_of(i).decode() for i in range(len(few))]
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
    reader.notes["duplicates"] += repeats.count
    return found.view(system, reader.notes, depth, ranked=reader.ranked), reader.tag


def _within(begin: NDArray[np.int64], code: NDArray[np.int64], rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """The code of the stretch in which each row stands."""
    return code[np.searchsorted(begin, rows, side="right") - 1]


def _once(piece: Piece, repeats: Repeats, *, lenient: bool) -> None:
    """Count repeats, and (lenient) keep only the first of each unit."""
    unit, begin = piece.unit, piece.begin

    def same(a: NDArray[np.int64], b: NDArray[np.int64]) -> bool:
        one, two = (np.searchsorted(begin, rows, side="right") for rows in (a, b))
        return bool((one == two).all()) and not differ(unit[a], unit[b]).any()

    found = repeated(piece.key, same)
    if found is None:
        return
    rows, second, first = found
    if not len(rows):
        raise NotPlain
    stretch = int(np.searchsorted(piece.begin, second, side="right")) - 1
    repeats.add(
        len(rows),
        first=f"{piece.place} {piece.line[first]}",
        second=f"{piece.place} {piece.line[second]}",
        unit=unit[np.array([second])].bytes_of(0),
        question=piece.question.bytes_of(stretch),
    )
    if lenient:
        keep = np.ones(len(piece.key), dtype=bool)
        keep[rows] = False
        piece.keep(keep)


def held_view(held: Held, wanted: Wanted, *, system: str, ties: str, depth: int | None) -> View:
    """The judged units of a run that is held whole."""
    held.once()
    found = _Found(wanted, ties)
    count = np.bincount(held.code, minlength=len(held.names))
    asked = found.met(held.names, count)
    few = held.units(np.arange(min(3, len(held.code))))
    found.shown = [few.bytes_of(i).decode() for i in range(len(few))]
    code = held.code
    places = placed(
        held.score,
        held.rank,
        np.concatenate([[0], np.cumsum(count)]),
        None if np.all(code[1:] >= code[:-1]) else code,
        as_float32=ties == "trec9",
        by_file=ties == "file",
    )
    held.score, held.rank = held.score[:0], None  # not needed any more
    found.add(held.key, lambda rows: asked[code[rows]], places, held.units)
    return found.view(system, held.notes, depth, ranked=held.ranked)
