"""One system seen from the qrels: where its judged units stand. All that most metrics need to know."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from evenhand.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from evenhand.metrics.measure.tokens import Scale
    from evenhand.model.run import Qrels

__all__ = ["Cut", "Judged", "Tops", "View"]


class Judged:
    """The qrels in the form metrics use: rows in order of question and unit, sums made once and kept.

    ``question``: int64[j], position of the question of each judged row; ``grade``: float64[j];
    ``key``: int64[j], ascending: question * units + unit.
    """

    def __init__(self, qrels: Qrels) -> None:
        self.qrels = qrels
        self.n = len(qrels.questions)
        self.width = max(len(qrels.table), 1)
        self.question = np.repeat(np.arange(self.n), np.diff(qrels.offsets))
        self.grade = qrels.grade
        self.key = self.question * self.width + qrels.unit
        if np.any(self.key[1:] <= self.key[:-1]):
            raise InputError(
                "the qrels do not list each question's units once and in the order of their table",
                mend="build them with Qrels.of or read them with read_qrels",
            )
        self.scale: Scale | None = None  # tokens of the documents, where a metric counts them
        self._kept: dict[tuple[Any, ...], NDArray[Any]] = {}

    @cached_property
    def unreachable(self) -> NDArray[np.bool_]:
        """bool[q]: questions whose evidence no unit holds whole."""
        given = self.qrels.unreachable
        return given if len(given) else np.zeros(self.n, dtype=bool)

    @property
    def settled(self) -> NDArray[np.bool_]:
        """bool[q]: questions of which the best judged document is a unit: no level beyond it exists."""
        given = self.qrels.settled
        return given if len(given) else np.zeros(self.n, dtype=bool)

    def relevant(self, rel: float) -> NDArray[np.int64]:
        """int64[q]: R, how many units have at least the grade *rel*."""
        key = ("relevant", rel)
        if key not in self._kept:
            self._kept[key] = np.bincount(self.question[self.grade >= rel], minlength=self.n)
        return self._kept[key]

    def nonrelevant(self, rel: float) -> NDArray[np.int64]:
        """int64[q]: how many units are judged below the grade *rel* (-1, pooled but not judged, is not)."""
        key = ("nonrelevant", rel)
        if key not in self._kept:
            low = (self.grade < rel) & (self.grade >= 0)
            self._kept[key] = np.bincount(self.question[low], minlength=self.n)
        return self._kept[key]

    @cached_property
    def best_first(self) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64]]:
        """Rows by question and falling grade: (question, grade, place from 1), the ideal ranking."""
        order = np.lexsort((-self.grade, self.question))
        question = self.question[order]
        place = np.arange(1, len(order) + 1) - self.qrels.offsets[:-1][question]
        return question, self.grade[order], place

    def sums(
        self, key: tuple[Any, ...], k: int | None, worth: Callable[[], NDArray[np.float64]]
    ) -> NDArray[np.float64]:
        """float64[q]: the sum of *worth()* (one a place of the ideal) over *k* places; kept by *key*."""
        if (*key, k) not in self._kept:
            question, _, place = self.best_first
            kept = worth() if k is None else np.where(place <= k, worth(), 0.0)
            self._kept[*key, k] = np.bincount(question, kept, minlength=self.n)
        return self._kept[*key, k]


@dataclass(frozen=True, slots=True)
class Cut:
    """Where a ranking is cut: after *k* units, or (a token budget) after ``limit[q]``; or not at all."""

    k: int | None = None
    limit: NDArray[np.int64] | None = None


@dataclass(frozen=True)
class Tops:
    """Every ranked unit, not only the judged, by question and rank.

    ``question``, ``rank`` and ``unit`` (position in the qrels' table, -1 when it is not there): int64[h].
    """

    question: NDArray[np.int64]
    rank: NDArray[np.int64]
    unit: NDArray[np.int64]


@dataclass(frozen=True)
class View:
    """The judged units of one system's rankings, by question and rank.

    ``question``: int64[h]; ``rank``: int64[h], from 1; ``row``: int64[h], the judged row of the qrels;
    ``low``, ``high``: int64[h], the ranks that the units with the same score take up; ``depth``: int64[q],
    units returned; ``missing``: bool[q], questions with no ranking. ``asked``, ``shown``: a
    few ids of the run, for messages.
    """

    system: str
    judged: Judged
    question: NDArray[np.int64]
    rank: NDArray[np.int64]
    row: NDArray[np.int64]
    low: NDArray[np.int64]
    high: NDArray[np.int64]
    depth: NDArray[np.int64]
    missing: NDArray[np.bool_]
    tops: Tops | None = None
    notes: Mapping[str, int] = field(default_factory=dict)
    asked: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()
    provenance: Mapping[str, Any] = field(default_factory=dict)

    @property
    def n(self) -> int:
        """How many questions."""
        return self.judged.n

    @cached_property
    def grade(self) -> NDArray[np.float64]:
        """float64[h]: the grade of each hit."""
        return self.judged.grade[self.row]

    def within(self, cut: Cut) -> NDArray[np.bool_]:
        """bool[h]: hits that stand above the cut."""
        if cut.limit is not None:
            return self.rank <= cut.limit[self.question]
        return self.rank <= cut.k if cut.k is not None else np.ones(len(self.rank), dtype=bool)

    def taken(self, cut: Cut) -> NDArray[np.int64]:
        """int64[q]: how many units the cut leaves."""
        if cut.limit is not None:
            return np.minimum(self.depth, cut.limit)
        return np.minimum(self.depth, cut.k) if cut.k is not None else self.depth

    def total(
        self, where: NDArray[np.bool_], weight: NDArray[np.floating[Any]] | None = None
    ) -> NDArray[Any]:
        """Per question, how many hits satisfy *where*, or the sum of their *weight* (one a hit)."""
        chosen = None if weight is None else weight[where]
        return np.bincount(self.question[where], chosen, minlength=self.n)

    def nth(self, where: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The hits that satisfy *where* and their number within their question, from 1."""
        chosen = np.flatnonzero(where)
        question = self.question[chosen]
        count = np.bincount(question, minlength=self.n)
        first = np.cumsum(count) - count
        return chosen, np.arange(1, len(chosen) + 1) - first[question]

    def cut(self, depth: int | None) -> View:
        """The same rankings with at most *depth* units each."""
        if depth is None or not len(self.depth) or self.depth.max() <= depth:
            return self
        kept = self.rank <= depth
        return replace(
            self,
            **{name: getattr(self, name)[kept] for name in ("question", "rank", "row", "low", "high")},
            depth=np.minimum(self.depth, depth),
            tops=None,
        )

    def spared(self) -> View:
        """The rankings without the units that the qrels exclude: ranks close up; counted in ``notes``."""
        out = self.judged.qrels.excluded
        gone = out[self.row] if len(out) else np.zeros(0, dtype=bool)
        if not gone.any():
            return self
        wide = int(self.depth.max(initial=0)) + 2
        taken = np.sort(self.question[gone] * wide + self.rank[gone])
        kept = ~gone
        question = self.question[kept]
        start = np.searchsorted(taken, question * wide)

        def closed(rank: NDArray[np.int64], *, side: Any) -> NDArray[np.int64]:
            return rank - (np.searchsorted(taken, question * wide + rank, side=side) - start)

        tops = self.tops
        if tops is not None:
            apart = ~np.isin(tops.question * wide + tops.rank, taken)
            place = tops.rank - (
                np.searchsorted(taken, tops.question * wide + tops.rank)
                - np.searchsorted(taken, tops.question * wide)
            )
            tops = Tops(tops.question[apart], place[apart], tops.unit[apart])
        return replace(
            self,
            question=question,
            row=self.row[kept],
            rank=closed(self.rank[kept], side="left"),
            low=closed(self.low[kept], side="left"),
            high=closed(self.high[kept], side="right"),
            depth=self.depth - np.bincount(self.question[gone], minlength=self.n),
            tops=tops,
            notes={**self.notes, "excluded": int(gone.sum())},
        )

    def condensed(self) -> View:
        """The same rankings without their unjudged units (Sakai 2007): ranks close up, ties stay ties."""
        if not len(self.row):
            return replace(self, depth=np.zeros(self.n, dtype=np.int64), tops=None)
        _, place = self.nth(np.ones(len(self.row), dtype=bool))
        new = np.ones(len(place), dtype=bool)
        new[1:] = (np.diff(self.question) != 0) | (np.diff(self.low) != 0)
        begin = np.flatnonzero(new)
        group = np.cumsum(new) - 1
        last = np.append(begin[1:], len(place)) - 1
        return replace(
            self,
            rank=place,
            low=place[begin][group],
            high=place[last][group],
            depth=np.bincount(self.question, minlength=self.n),
            tops=None,
        )

    @cached_property
    def worst(self) -> View:
        """The rankings with every tie in its worst order: grades rise."""
        return self._ordered(best=False)

    @cached_property
    def best(self) -> View:
        """The rankings with every tie in its best order: grades fall."""
        return self._ordered(best=True)

    def _ordered(self, *, best: bool) -> View:
        order = np.lexsort((-self.grade, self.low, self.question))
        question, low, high = self.question[order], self.low[order], self.high[order]
        new = np.ones(len(order), dtype=bool)
        new[1:] = (np.diff(question) != 0) | (np.diff(low) != 0)
        begin = np.flatnonzero(new)
        nth = np.arange(len(order)) - (begin[np.cumsum(new) - 1] if len(order) else 0)
        rank = low + nth if best else high - nth
        again = np.lexsort((rank, question))
        order = order[again]
        return replace(
            self,
            question=question[again],
            rank=rank[again],
            row=self.row[order],
            low=low[again],
            high=high[again],
        )
