"""Runs and qrels: columns, coded ids, compressed by question."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from evenhand.errors import InputError
from evenhand.model.notebook_repr import Framed
from evenhand.model.seal import seal, seal_arrays, seal_texts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from evenhand.model.text import Units

__all__ = ["Hit", "Qrels", "Run"]


class Hit(NamedTuple):
    """One unit at a rank (from 1)."""

    unit: str
    score: float
    rank: int


@dataclass(frozen=True)
class Run(Framed):
    """One system's rankings, best first, in stored rank order.

    ``questions``: the q ids asked, in order (a question with no hit has an empty ranking);
    ``offsets``: int64[q + 1]; ``unit``: int32[h], positions in ``table``; ``score``: float64[h].
    ``table``: the unit ids that codes point at; for a run of ours it is ``units.ids``.
    ``units`` is the chunking the run ranks, or None for files that know only ids.
    ``notes`` counts what biases numbers silently: ``duplicates``, ``ties``, ``unresolved`` …
    ``provenance`` says what truly ran (retriever, settings, model seals); it is part of the seal.
    ``not_run``: questions that could not be asked (an endpoint that gave out), each with the reason; every
    metric is undefined there.
    """

    system: str
    questions: tuple[str, ...]
    offsets: NDArray[np.int64]
    unit: NDArray[np.int32]
    score: NDArray[np.float64]
    table: Sequence[str]
    units: Units | None = None
    notes: Mapping[str, int] = field(default_factory=dict)
    provenance: Mapping[str, Any] = field(default_factory=dict)
    not_run: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if len(self.offsets) != len(self.questions) + 1 or int(self.offsets[-1]) != len(self.unit):
            raise InputError(
                f"run {self.system!r} has offsets that do not fit its columns", mend="build it with Run.of"
            )
        if not np.isfinite(self.score).all():
            raise InputError(
                f"run {self.system!r} holds a score that is not a finite number",
                mend="NaN and infinity cannot be ranked: mend the retriever, or leave the unit out",
            )

    @classmethod
    def of(cls, system: str, rankings: Mapping[str, Sequence[tuple[str, float]]], **more: Any) -> Run:
        """Make a run of plain rankings (best first). A unit's later occurrences are dropped and counted."""
        table: dict[str, int] = {}
        codes: list[int] = []
        scores: list[float] = []
        offsets = [0]
        twice = 0
        for ranking in rankings.values():
            seen: set[str] = set()
            for unit, score in ranking:
                if unit in seen:
                    twice += 1
                    continue
                seen.add(unit)
                codes.append(table.setdefault(unit, len(table)))
                scores.append(float(score))
            offsets.append(len(codes))
        notes = dict(more.pop("notes", {}))
        if twice:
            notes["duplicates"] = notes.get("duplicates", 0) + twice
        return cls(
            system=system,
            questions=tuple(rankings),
            offsets=np.array(offsets, dtype=np.int64),
            unit=np.array(codes, dtype=np.int32),
            score=np.array(scores, dtype=np.float64),
            table=tuple(table),
            notes=notes,
            **more,
        )

    def __len__(self) -> int:
        return len(self.questions)

    @cached_property
    def position(self) -> dict[str, int]:
        """Where each question stands, by id."""
        return {question: i for i, question in enumerate(self.questions)}

    def codes(self, question: str, k: int | None = None) -> NDArray[np.int32]:
        """Unit codes of one question, best first; empty when the question was not asked."""
        i = self.position.get(question)
        if i is None:
            return self.unit[:0]
        start, stop = int(self.offsets[i]), int(self.offsets[i + 1])
        return self.unit[start : stop if k is None else min(stop, start + k)]

    def ranking(self, question: str, k: int | None = None) -> list[Hit]:
        """The hits of one question, best first."""
        i = self.position.get(question)
        if i is None:
            return []
        start, stop = int(self.offsets[i]), int(self.offsets[i + 1])
        stop = stop if k is None else min(stop, start + k)
        return [
            Hit(self.table[self.unit[j]], float(self.score[j]), j - start + 1) for j in range(start, stop)
        ]

    def __iter__(self) -> Iterator[tuple[str, list[Hit]]]:
        return ((question, self.ranking(question)) for question in self.questions)

    @cached_property
    def seal(self) -> str:
        """Seal over questions, rankings and scores, and over what ran, and what could not."""
        names = self.units.seal if self.units is not None else seal_texts(self.table)
        return seal(
            [
                list(self.questions),
                names,
                seal_arrays(self.offsets, self.unit, self.score),
                dict(self.provenance),
                *([dict(self.not_run)] if self.not_run else ()),
            ]
        )


@dataclass(frozen=True)
class Qrels(Framed):
    """Question × unit → grade; with gold spans behind it also which nuggets a unit covers.

    ``questions``: the q ids judged, in order; ``offsets``: int64[q + 1]; ``unit``: int32[j], positions in
    ``table``, ascending within a question; ``grade``: float64[j] (negative: judged, not relevant).
    ``unreachable``: bool[q], questions whose evidence no unit of the chunking holds whole: they count 0.
    Nugget columns (empty without a gold set): ``nuggets``: int32[q], nuggets of each question;
    ``vital``: bool, one per nugget, by question (CSR ``nugget_offsets``: int64[q + 1]);
    ``covers``: int32[c, 2], rows (position in ``unit``/``grade``, nugget number within its question).
    ``evidence``: int64[e, 5], rows (question, nugget, document position, start, end) for span metrics.
    ``label``: int8[j], provenance of each grade: 0 human judgement, 1 alignment of spans, 2 panel.
    ``excluded``: bool[j], or empty: units that are taken out of a ranking before it is measured (BRIGHT).
    ``settled``: bool[q], or empty: questions whose best judged document is a unit, so that a level without a
    unit is undefined there; elsewhere evidence that no unit holds at a level counts 0.
    """

    questions: tuple[str, ...]
    offsets: NDArray[np.int64]
    unit: NDArray[np.int32]
    grade: NDArray[np.float64]
    table: Sequence[str]
    units: Units | None = None
    unreachable: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, dtype=bool))
    nugget_offsets: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    vital: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, dtype=bool))
    covers: NDArray[np.int32] = field(default_factory=lambda: np.zeros((0, 2), dtype=np.int32))
    evidence: NDArray[np.int64] = field(default_factory=lambda: np.zeros((0, 5), dtype=np.int64))
    label: NDArray[np.int8] = field(default_factory=lambda: np.zeros(0, dtype=np.int8))
    excluded: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, dtype=bool))
    settled: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, dtype=bool))
    notes: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, grades: Mapping[str, Mapping[str, float]], **more: Any) -> Qrels:
        """Make qrels of plain dictionaries: ``{question: {unit: grade}}``."""
        names = sorted({unit for of_one in grades.values() for unit in of_one})
        code = {unit: i for i, unit in enumerate(names)}
        offsets = [0]
        unit: list[int] = []
        grade: list[float] = []
        for of_one in grades.values():
            for name in sorted(of_one):
                unit.append(code[name])
                grade.append(float(of_one[name]))
            offsets.append(len(unit))
        return cls(
            questions=tuple(grades),
            offsets=np.array(offsets, dtype=np.int64),
            unit=np.array(unit, dtype=np.int32),
            grade=np.array(grade, dtype=np.float64),
            table=tuple(names),
            **more,
        )

    def __len__(self) -> int:
        return len(self.questions)

    @cached_property
    def position(self) -> dict[str, int]:
        """Where each question stands, by id."""
        return {question: i for i, question in enumerate(self.questions)}

    def judged(self, question: str) -> dict[str, float]:
        """The grades of one question, by unit id."""
        i = self.position[question]
        rows = range(int(self.offsets[i]), int(self.offsets[i + 1]))
        return {self.table[self.unit[j]]: float(self.grade[j]) for j in rows}

    @cached_property
    def seal(self) -> str:
        """Seal over questions, grades and coverage."""
        names = self.units.seal if self.units is not None else seal_texts(self.table)
        return seal(
            [
                list(self.questions),
                names,
                seal_arrays(self.offsets, self.unit, self.grade, self.covers, self.evidence),
                *([seal_arrays(self.excluded)] if self.excluded.any() else []),
            ]
        )
