"""The documents that each system ranked, for many questions: a document stands where its best unit does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from evenhand.errors import InputError, nearest
from evenhand.gate.production.scales import Scale, scale_of
from evenhand.gate.production.top_documents import Head

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from evenhand.model.run import Run

__all__ = ["Rankings", "joined", "rankings_of"]


@dataclass(frozen=True)
class Rankings:
    """Documents by question and system, best first, each once, in columns.

    ``offsets``: int64[systems, questions + 1] into ``document`` (int32, a position in ``table``) and
    ``score`` (float64) of that system. ``scales``: of each system's scores. ``not_run``: system ->
    questions that it could not be asked -> the reason: every rule of that system defers them, flagged.
    """

    questions: tuple[str, ...]
    systems: tuple[str, ...]
    table: tuple[str, ...]
    offsets: NDArray[np.int64]
    document: tuple[NDArray[np.int32], ...]
    score: tuple[NDArray[np.float64], ...]
    scales: Mapping[str, Scale]
    not_run: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    @cached_property
    def position(self) -> dict[str, int]:
        """Where each question stands, by id."""
        return {question: i for i, question in enumerate(self.questions)}

    def system(self, name: str) -> int:
        """Where a system stands; an unknown name names the nearest."""
        if name not in self.systems:
            raise InputError(f"no system {name!r} was ranked", mend=nearest(name, self.systems))
        return self.systems.index(name)

    def documents(self, system: str, question: int, depth: int | None = None) -> list[str]:
        """The documents of one question (by its position), best first."""
        return self._head(self.system(system), question, depth)[0]

    def _head(self, s: int, q: int, depth: int | None) -> Head:
        start, stop = int(self.offsets[s, q]), int(self.offsets[s, q + 1])
        stop = stop if depth is None else min(stop, start + depth)
        codes = self.document[s][start:stop].tolist()
        return [self.table[code] for code in codes], self.score[s][start:stop].tolist()

    def heads(self, of: Sequence[str], depth: int) -> Iterator[dict[str, Head]]:
        """The head of each system *of*, question by question."""
        at = [(name, self.system(name)) for name in of]
        for q in range(len(self.questions)):
            yield {name: self._head(s, q, depth) for name, s in at}

    def unasked(self, of: Sequence[str], question: str) -> str:
        """Why one of the systems could not be asked; empty when all were."""
        for name in of:
            if why := self.not_run.get(name, {}).get(question):
                return f"{name} could not be asked: {why}"
        return ""

    def take(self, questions: Sequence[str]) -> Rankings:
        """The same for some of the questions, in the order given."""
        if odd := [question for question in questions if question not in self.position]:
            raise InputError(f"question {odd[0]!r} was not ranked", mend="rank it, or leave it out")
        rows = np.array([self.position[question] for question in questions], dtype=np.int64)
        parts = []
        for s in range(len(self.systems)):
            sizes = self.offsets[s, rows + 1] - self.offsets[s, rows]
            ends = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
            index = np.repeat(self.offsets[s, rows] - ends[:-1], sizes) + np.arange(int(ends[-1]))
            parts.append((ends, self.document[s][index], self.score[s][index]))
        return Rankings(
            questions=tuple(questions),
            systems=self.systems,
            table=self.table,
            offsets=np.stack([ends for ends, _, _ in parts]),
            document=tuple(document for _, document, _ in parts),
            score=tuple(score for _, _, score in parts),
            scales=self.scales,
            not_run=self.not_run,
        )


def rankings_of(
    runs: Sequence[Run], questions: Sequence[str], *, scales: Mapping[str, Scale] | None = None
) -> Rankings:
    """The documents that *runs* (named systems) ranked for *questions*.

    A document stands where its best unit stands, with that unit's score. The ids of a run without units are
    taken for documents. A question missing from a run has an empty ranking. *scales* wins over what is
    known of what made a run (`evenhand.gate.production.scales.scale_of`).
    """
    names = tuple(run.system for run in runs)
    if not names or len(set(names)) < len(names):
        raise InputError(
            "the runs of a gate have no names of their own", mend="give one run or more, each name once"
        )
    code: dict[str, int] = {}
    offsets, document, score = [], [], []
    for run in runs:
        if run.units is None:
            names_of: Sequence[str] = run.table
            own = run.unit.astype(np.int64)
        else:
            names_of = [one.id for one in run.units.corpus]
            own = run.units.doc[run.unit].astype(np.int64)
        here = np.array([code.setdefault(name, len(code)) for name in names_of], dtype=np.int64)
        rows = np.array([run.position.get(question, -1) for question in questions], dtype=np.int64)
        asked = rows >= 0
        start = np.where(asked, run.offsets[rows], 0)
        sizes = np.where(asked, run.offsets[rows + 1] - run.offsets[rows], 0)
        ends = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        index = np.repeat(start - ends[:-1], sizes) + np.arange(int(ends[-1]))
        of = np.repeat(np.arange(len(questions)), sizes)
        found = here[own[index]] if len(index) else np.zeros(0, dtype=np.int64)
        # np.unique gives the first place of each (question, document): its best rank
        first = np.sort(np.unique(of * max(1, len(code)) + found, return_index=True)[1])
        counts = np.bincount(of[first], minlength=len(questions))
        offsets.append(np.concatenate([[0], np.cumsum(counts)]).astype(np.int64))
        document.append(found[first].astype(np.int32))
        score.append(run.score[index][first])
    return Rankings(
        questions=tuple(questions),
        systems=names,
        table=tuple(code),
        offsets=np.stack(offsets),
        document=tuple(document),
        score=tuple(score),
        scales={run.system: (scales or {}).get(run.system, scale_of(run.provenance)) for run in runs},
        not_run={run.system: dict(run.not_run) for run in runs if run.not_run},
    )


def joined(one: Rankings, two: Rankings) -> Rankings:
    """The rankings of two sets of questions by the same systems, the first set first."""
    if one.systems != two.systems or set(one.questions) & set(two.questions):
        raise InputError(
            "rankings of other systems, or of the same questions, cannot be joined",
            mend="join rankings of different questions by the same systems",
        )
    code = {name: i for i, name in enumerate(one.table)}
    there = np.array([code.setdefault(name, len(code)) for name in two.table], dtype=np.int32)
    missing: dict[str, dict[str, str]] = {}
    for part in (one, two):
        for system, why in part.not_run.items():
            missing.setdefault(system, {}).update(why)
    return Rankings(
        questions=one.questions + two.questions,
        systems=one.systems,
        table=tuple(code),
        offsets=np.concatenate([one.offsets, two.offsets[:, 1:] + one.offsets[:, -1:]], axis=1),
        document=tuple(
            np.concatenate([a, there[b]]).astype(np.int32)
            for a, b in zip(one.document, two.document, strict=True)
        ),
        score=tuple(np.concatenate([a, b]) for a, b in zip(one.score, two.score, strict=True)),
        scales=one.scales,
        not_run=missing,
    )
