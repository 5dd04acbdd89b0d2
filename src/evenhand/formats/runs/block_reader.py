"""Large plain TREC files in columns: every id numbered, none made text before it is looked at.

Whatever is not plain is left to the careful reader, by raising `NotPlain`.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, BinaryIO, cast

import numpy as np

from evenhand.formats.runs.float_parser import floats
from evenhand.formats.runs.id_hash import PAD, Ids, keys
from evenhand.formats.runs.id_table import Names, numbered
from evenhand.formats.runs.judged_index import mixed
from evenhand.formats.runs.row_tokens import Scanner
from evenhand.formats.runs.rows import Coded
from evenhand.formats.runs.stream import NotPlain, Reader, utf8
from evenhand.formats.runs.ungrouped import Codes

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["coded_qrels", "coded_run"]


class _Columns:
    """Columns that grow block by block."""

    def __init__(self) -> None:
        self.questions = Codes()
        self.parts: dict[str, list[NDArray[Any]]] = {}
        self.used = 0

    def add(self, unit: Ids, **more: NDArray[Any]) -> None:
        """Rows with these columns: question, key (of the unit), value, line and others."""
        packed = unit.packed()
        text = packed.data[:-PAD]
        columns: dict[str, NDArray[Any]] = {
            "text": text,
            "start": packed.start + self.used,
            "length": packed.length,
            **more,
        }
        for name, column in columns.items():
            self.parts.setdefault(name, []).append(column)
        self.used += len(text)

    def coded(self, file: str, *, lazily: bool, notes: Counter[str]) -> Coded:
        """All of them; with *lazily* ids are made text when they are looked at."""
        if not self.parts:
            raise NotPlain  # there is nothing: the careful reader says so
        self.parts["text"].append(np.zeros(PAD, dtype=np.uint8))
        ids = Ids(self._taken("text"), self._taken("start"), self._taken("length"))
        found = numbered(ids, key=self._taken("key"))
        del ids
        if found is None:
            raise NotPlain
        names = Names(found[0])
        return Coded(
            file,
            tuple(name.decode() for name in self.questions.names),
            self._taken("question").astype(np.int64),
            names if lazily else tuple(names),
            found[1].astype(np.int64),
            self._taken("value"),
            rank=self._taken("rank") if "rank" in self.parts else None,
            topic=self._taken("topic") if "topic" in self.parts else None,
            line=self._taken("line"),
            notes=notes,
        )

    def _taken(self, name: str) -> NDArray[Any]:
        return np.concatenate(self.parts.pop(name))


def coded_run(stream: BinaryIO, file: str, *, lenient: bool) -> tuple[Coded, str]:
    """The rows of a run file, and its tag; ids are decoded when they are asked for."""
    reader = Reader(stream, file, lenient=lenient)
    columns = _Columns()
    for piece in reader.pieces(complete=False):
        count = np.diff(piece.begin)
        code = columns.questions.of(piece.question, piece.code)
        columns.add(
            cast("Ids", piece.unit),
            question=np.repeat(code, count),
            key=piece.key ^ np.repeat(mixed(piece.code), count),
            value=piece.score,
            rank=cast("NDArray[np.int64]", piece.rank),
            line=piece.line,
        )
    coded = columns.coded(file, lazily=True, notes=reader.notes)
    if not reader.ranked:
        coded.rank = None
        coded.notes["no_ranks"] = 1
    return coded, reader.tag


def coded_qrels(stream: BinaryIO, file: str) -> Coded:
    """The rows of a file of judgements."""
    scanner = Scanner(stream, 4)
    columns, topics = _Columns(), Codes()
    while (block := scanner.read(_odd)) is not None:
        if not block.ascii:
            utf8(block)
        question, topic, unit = block.ids(0), block.ids(1), block.ids(2)
        grade, odd = floats(block.ids(3))
        if odd.any() or not np.isfinite(grade).all() or (block.data[question.start] == ord("#")).any():
            raise NotPlain
        columns.add(
            unit,
            question=columns.questions.of(question, keys(question)),
            key=keys(unit),
            value=grade,
            topic=topics.of(topic, keys(topic)),
            line=block.line,
        )
        scanner.done(block, len(block))
    coded = columns.coded(file, lazily=False, notes=Counter())
    order = sorted(range(len(topics.names)), key=topics.names.__getitem__)
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    coded.topic, coded.topics = place[coded.topic], len(order)
    return coded


def _odd(at: int, line: bytes) -> bool:  # noqa: ARG001 - as a scanner asks
    raise NotPlain
