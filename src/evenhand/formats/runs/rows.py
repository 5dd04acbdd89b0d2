"""Rows of run and qrels files on their way to the nouns: grouped, ordered, checked for repeats."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from evenhand.errors import InputError
from evenhand.formats.runs.rank_order import placed
from evenhand.model.run import Qrels, Run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["ORDERS", "Coded", "Rows", "fraction", "grades_of", "run_of"]

# trec: score, then id, both descending; trec9: the same with scores as float32, as trec_eval 9 has them;
# file: as the lines stand
ORDERS = ("trec", "trec9", "file")
FAR = 1 << 62  # ranks beyond are as good as this one


@dataclass
class Rows:
    """What a file holds, line by line, ids as bytes. ``extra`` is the rank (run) or subtopic (qrels)."""

    file: str
    question: list[bytes] = field(default_factory=list)
    unit: list[bytes] = field(default_factory=list)
    value: list[float] = field(default_factory=list)
    extra: list[Any] = field(default_factory=list)
    line: list[int] = field(default_factory=list)
    tag: str = ""
    notes: Counter[str] = field(default_factory=Counter)
    place: str = "line"  # what ``line`` counts; empty: nothing that could be shown
    nuggets: bool = False  # whether ``extra`` names nuggets, however few there are
    excluded: set[int] = field(default_factory=set)  # rows that say what no ranking may hold

    def at(self, i: int) -> str:
        """Where row *i* stands, for messages."""
        return f"{self.file}, {self.place} {self.line[i]}" if self.place and self.line else self.file

    def words(self, raw: Sequence[bytes]) -> list[str]:
        """Ids as text: UTF-8; a file that is not is read as Latin-1, byte for byte, and that is noted."""
        try:
            return [one.decode() for one in raw]
        except UnicodeDecodeError:
            self.notes["not_utf8"] = 1
            return [one.decode("latin-1") for one in raw]


@dataclass
class Coded:
    """Rows in columns: questions numbered as they appear, units in the order of their bytes.

    ``question``, ``unit``: int64[n], positions in ``questions`` and ``table``; ``value``: float64[n];
    ``rank``: int64[n], None where there is none; ``topic``: int64[n], in the order of their bytes, of
    ``topics``; ``line``: int64[n], None where there is nothing that could be shown.
    """

    file: str
    questions: tuple[str, ...]
    question: NDArray[np.int64]
    table: Sequence[str]
    unit: NDArray[np.int64]
    value: NDArray[np.float64]
    rank: NDArray[np.int64] | None = None
    topic: NDArray[np.int64] | None = None
    topics: int = 0
    line: NDArray[np.int64] | None = None
    place: str = "line"
    nuggets: bool = False
    excluded: NDArray[np.bool_] | None = None
    notes: Counter[str] = field(default_factory=Counter)

    @classmethod
    def of(cls, rows: Rows, *, kind: str) -> Coded:
        """The columns of *rows* of a *kind* of file, ``run`` or ``qrels``."""
        asked: dict[bytes, int] = {}
        for one in rows.question:
            asked.setdefault(one, len(asked))
        table = sorted(set(rows.unit))
        code = {unit: i for i, unit in enumerate(table)}
        size = len(rows.unit)
        questions, units = tuple(rows.words(list(asked))), tuple(rows.words(table))
        if len(set(units)) != len(units) or len(set(questions)) != len(questions):
            raise InputError(f"{rows.file} holds ids in two encodings", mend="write the file in UTF-8")
        made = cls(
            rows.file,
            questions,
            np.fromiter(map(asked.__getitem__, rows.question), np.int64, size),
            units,
            np.fromiter(map(code.__getitem__, rows.unit), np.int64, size),
            np.array(rows.value, dtype=np.float64),
            line=np.array(rows.line, dtype=np.int64) if rows.place and rows.line else None,
            place=rows.place,
            notes=rows.notes,
        )
        if kind == "run" and rows.extra:
            made.rank = np.array([max(-FAR, min(rank, FAR)) for rank in rows.extra], dtype=np.int64)
        elif rows.extra:
            topics: list[bytes] = sorted(set(rows.extra))
            number = {topic: i for i, topic in enumerate(topics)}
            made.topic = np.array([number[topic] for topic in rows.extra], dtype=np.int64)
            made.topics = len(topics)
        made.nuggets = rows.nuggets
        if rows.excluded:
            made.excluded = np.isin(np.arange(size), sorted(rows.excluded))
        return made

    def at(self, row: int) -> str:
        """Where a row stands, for messages."""
        return self.file if self.line is None else f"{self.file}, {self.place} {self.line[row]}"

    def once(self, key: NDArray[np.int64], *, lenient: bool, kind: str) -> Coded:
        """The rows whose *key* no earlier row has; others are an error, or (lenient) counted."""
        ordered = np.sort(key)
        if not np.any(ordered[1:] == ordered[:-1]):
            return self
        order = np.argsort(key, kind="stable")
        again = order[1:][key[order][1:] == key[order][:-1]]
        if not lenient:
            second = int(again.min())
            first = int(np.flatnonzero(key == key[second])[0])
            where = "" if self.line is None else f" and {self.place} {self.line[first]}"
            raise InputError(
                f"{self.at(second)}{where}: unit {self.table[self.unit[second]]!r} of question "
                f"{self.questions[self.question[second]]!r} occurs twice in the {kind}"
                + (f" ({len(again)} such rows in all)" if len(again) > 1 else ""),
                mend="remove one; eval and convert take --lenient, which keeps the first and counts the rest",
            )
        keep = np.ones(len(key), dtype=bool)
        keep[again] = False
        self.notes["duplicates"] += len(again)
        return replace(
            self,
            question=self.question[keep],
            unit=self.unit[keep],
            value=self.value[keep],
            rank=_some(self.rank, keep),
            topic=_some(self.topic, keep),
            line=_some(self.line, keep),
            excluded=None if self.excluded is None else self.excluded[keep],
        )

    def pair(self) -> NDArray[np.int64]:
        """int64[n]: question and unit as one number."""
        return self.question * max(len(self.table), 1) + self.unit


def fraction(where: str, grade: float) -> InputError:
    """What is said of a grade that trec_eval would cut."""
    return InputError(
        f"{where}: the grade {grade!r} is not a whole number",
        mend="trec_eval would cut it: grade in whole numbers, or leave --like trec_eval out",
    )


def _some(column: NDArray[np.int64] | None, keep: NDArray[np.bool_]) -> NDArray[np.int64] | None:
    return None if column is None else column[keep]


def run_of(coded: Coded, *, system: str, ties: str, lenient: bool, provenance: dict[str, Any]) -> Run:
    """The run that some rows hold, each ranking in the order that *ties* says (see `ORDERS`).

    ``notes`` counts ``duplicates`` (lenient), ``ties`` (rows that share their score with another of
    their ranking) and ``contradictions`` (rows whose rank column says another place than their score).
    """
    coded = coded.once(coded.pair(), lenient=lenient, kind="run")
    question = coded.question
    size = np.bincount(question, minlength=len(coded.questions))
    offsets = np.concatenate([[0], np.cumsum(size)]).astype(np.int64)
    places = placed(
        coded.value,
        coded.rank,
        offsets,
        None if np.all(question[1:] >= question[:-1]) else question,
        as_float32=ties == "trec9",
        by_file=ties == "file",
    )
    coded.notes["ties"] += places.ties
    coded.notes["contradictions"] += places.contradictions
    return Run(
        system=system,
        questions=coded.questions,
        offsets=offsets,
        unit=places.ordered(coded.unit, falling=ties != "file").astype(np.int32),
        score=places.score.astype(np.float64),
        table=coded.table,
        notes={name: n for name, n in sorted(coded.notes.items()) if n},
        provenance=provenance,
    )


def grades_of(coded: Coded, *, lenient: bool) -> Qrels:
    """The qrels that some rows hold.

    Where one unit has several rows with different subtopics, the file is a subtopic qrels file: each
    subtopic is a vital nugget, and the grade of a unit is its highest. ``notes``: ``duplicates``
    (lenient), ``negative`` and ``fractional`` grades, ``subtopics``.
    """
    pair = coded.pair()
    topic = coded.topic
    many = coded.nuggets and topic is not None
    if topic is not None and coded.topics > 1 and not many:
        many = len(np.unique(pair)) < len(np.unique(pair * coded.topics + topic))
    key = pair * coded.topics + topic if many and topic is not None else pair
    coded = coded.once(key, lenient=lenient, kind="qrels")
    pair, topic = coded.pair(), coded.topic
    order = np.lexsort((-coded.value, pair))
    new = np.ones(len(order), dtype=bool)
    new[1:] = pair[order][1:] != pair[order][:-1]
    first = order[new]
    size = np.bincount(coded.question[first], minlength=len(coded.questions))
    grade = coded.value[first]
    more: dict[str, Any] = {}
    out = np.zeros(len(first), dtype=bool)
    if coded.excluded is not None:
        more["excluded"] = out = coded.excluded[first]
        coded.notes["excluded"] += int(out.sum())
    coded.notes["negative"] += int(np.sum((grade < 0) & ~out))
    coded.notes["fractional"] += int(np.sum(grade != np.floor(grade)))
    if many and topic is not None:
        coded.notes["subtopics"] = len(np.unique(coded.question * coded.topics + topic))
        more |= _subtopics(coded, topic, order, np.cumsum(new) - 1)
    return Qrels(
        questions=coded.questions,
        offsets=np.concatenate([[0], np.cumsum(size)]).astype(np.int64),
        unit=coded.unit[first].astype(np.int32),
        grade=grade,
        table=coded.table,
        notes={name: n for name, n in sorted(coded.notes.items()) if n},
        **more,
    )


def _subtopics(
    coded: Coded, topic: NDArray[np.int64], order: NDArray[np.int64], row: NDArray[np.int64]
) -> dict[str, Any]:
    width = coded.topics
    key = coded.question[order] * width + topic[order]
    known = np.unique(key)
    count = np.bincount(known // width, minlength=len(coded.questions))
    offsets = np.concatenate([[0], np.cumsum(count)]).astype(np.int64)
    nugget = np.searchsorted(known, key) - offsets[coded.question[order]]
    covers = coded.value[order] > 0
    return {
        "nugget_offsets": offsets,
        "vital": np.ones(len(known), dtype=bool),
        "covers": np.column_stack([row[covers], nugget[covers]]).astype(np.int32).reshape(-1, 2),
    }
