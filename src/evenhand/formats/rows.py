"""Rows of run and qrels files on their way to the nouns: grouped, ordered, checked for repeats."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from evenhand.errors import InputError
from evenhand.model.run import Qrels, Run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["ORDERS", "Rows", "grades_of", "run_of"]

# trec: score, then id, both descending; trec9: the same with scores as float32, as trec_eval 9 has them;
# file: as the lines stand
ORDERS = ("trec", "trec9", "file")


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


class _Coded:
    """Questions in order of appearance, units in order of their bytes."""

    def __init__(self, rows: Rows) -> None:
        asked: dict[bytes, int] = {}
        for one in rows.question:
            asked.setdefault(one, len(asked))
        table = sorted(set(rows.unit))
        code = {unit: i for i, unit in enumerate(table)}
        size = len(rows.unit)
        self.question = np.fromiter(map(asked.__getitem__, rows.question), np.int64, size)
        self.unit = np.fromiter(map(code.__getitem__, rows.unit), np.int64, size)
        self.value = np.array(rows.value, dtype=np.float64)
        self.keep = np.ones(size, dtype=bool)
        self.questions = tuple(rows.words(list(asked)))
        self.table = tuple(rows.words(table))
        if len(set(self.table)) != len(self.table) or len(set(self.questions)) != len(self.questions):
            raise InputError(f"{rows.file} holds ids in two encodings", mend="write the file in UTF-8")

    def drop_repeats(self, rows: Rows, key: NDArray[np.int64], *, lenient: bool, kind: str) -> None:
        order = np.argsort(key, kind="stable")
        again = order[1:][key[order][1:] == key[order][:-1]]
        if not len(again):
            return
        if not lenient:
            second = int(again.min())
            first = int(np.flatnonzero(key == key[second])[0])
            where = f" and {rows.place} {rows.line[first]}" if rows.place and rows.line else ""
            raise InputError(
                f"{rows.at(second)}{where}: unit {self.table[self.unit[second]]!r} of question "
                f"{self.questions[self.question[second]]!r} occurs twice in the {kind}"
                + (f" ({len(again)} such rows in all)" if len(again) > 1 else ""),
                mend="remove one, or use --lenient (lenient=True) to keep the first and count the rest",
            )
        self.keep[again] = False
        rows.notes["duplicates"] += len(again)


def run_of(rows: Rows, *, system: str, ties: str, lenient: bool, provenance: dict[str, Any]) -> Run:
    """The run that *rows* hold, each ranking in the order that *ties* says (see `ORDERS`).

    ``notes`` counts ``duplicates`` (lenient), ``ties`` (rows that share their score with another of
    their ranking) and ``contradictions`` (rows whose rank column says another place than their score).
    """
    coded = _Coded(rows)
    coded.drop_repeats(
        rows, coded.question * max(len(coded.table), 1) + coded.unit, lenient=lenient, kind="run"
    )
    question, unit, score = coded.question[coded.keep], coded.unit[coded.keep], coded.value[coded.keep]
    if ties == "trec9":
        # beyond float32 all scores are one tie
        most = float(np.finfo(np.float32).max)
        score = np.clip(score, -most, most).astype(np.float32).astype(np.float64)
    order = np.argsort(question, kind="stable") if ties == "file" else np.lexsort((-unit, -score, question))
    rank = np.array([r for r, kept in zip(rows.extra, coded.keep, strict=True) if kept] if rows.extra else [])
    question_, score_ = question[order], score[order]
    same = (question_[1:] == question_[:-1]) & (score_[1:] == score_[:-1])
    tied = np.zeros(len(order), dtype=bool)
    tied[1:] |= same
    tied[:-1] |= same
    rows.notes["ties"] += int(tied.sum())
    if len(rank) and ties != "file":
        rows.notes["contradictions"] += _contradictions(question, coded.value[coded.keep], rank)
    size = np.bincount(question, minlength=len(coded.questions))
    return Run(
        system=system,
        questions=coded.questions,
        offsets=np.concatenate([[0], np.cumsum(size)]).astype(np.int64),
        unit=unit[order].astype(np.int32),
        score=score_,
        table=coded.table,
        notes={name: n for name, n in sorted(rows.notes.items()) if n},
        provenance=provenance,
    )


def _contradictions(question: NDArray[np.int64], score: NDArray[np.float64], rank: NDArray[Any]) -> int:
    """Rows whose place by score is not that by rank; equal scores may stand in any order."""
    by_score = np.lexsort((rank, -score, question))
    by_rank = np.lexsort((-score, rank, question))
    return int(np.sum(by_score != by_rank))


def grades_of(rows: Rows, *, lenient: bool) -> Qrels:
    """The qrels that *rows* hold.

    Where one unit has several rows with different subtopics, the file is a subtopic qrels file: each
    subtopic is a vital nugget, and the grade of a unit is its highest. ``notes``: ``duplicates``
    (lenient), ``negative`` and ``fractional`` grades, ``subtopics``.
    """
    coded = _Coded(rows)
    pair = coded.question * max(len(coded.table), 1) + coded.unit
    topics: list[bytes] = sorted(set(rows.extra))
    code = {topic: i for i, topic in enumerate(topics)}
    topic = np.array([code[t] for t in rows.extra], dtype=np.int64) if rows.extra else np.zeros(0, np.int64)
    many = len(topics) > 1 and len(np.unique(pair)) < len(np.unique(pair * len(topics) + topic))
    coded.drop_repeats(rows, pair * len(topics) + topic if many else pair, lenient=lenient, kind="qrels")
    keep = np.flatnonzero(coded.keep)
    order = keep[np.lexsort((-coded.value[keep], pair[keep]))]
    new = np.ones(len(order), dtype=bool)
    new[1:] = pair[order][1:] != pair[order][:-1]
    first = order[new]
    size = np.bincount(coded.question[first], minlength=len(coded.questions))
    grade = coded.value[first]
    rows.notes["negative"] += int(np.sum(grade < 0))
    rows.notes["fractional"] += int(np.sum(grade != np.floor(grade)))
    more: dict[str, Any] = {}
    if many:
        rows.notes["subtopics"] = len(np.unique(coded.question[keep] * len(topics) + topic[keep]))
        more = _subtopics(coded, topic, order, np.cumsum(new) - 1, len(topics))
    return Qrels(
        questions=coded.questions,
        offsets=np.concatenate([[0], np.cumsum(size)]).astype(np.int64),
        unit=coded.unit[first].astype(np.int32),
        grade=grade,
        table=coded.table,
        notes={name: n for name, n in sorted(rows.notes.items()) if n},
        **more,
    )


def _subtopics(
    coded: _Coded,
    topic: NDArray[np.int64],
    order: NDArray[np.int64],
    row: NDArray[np.int64],
    width: int,
) -> dict[str, Any]:
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
