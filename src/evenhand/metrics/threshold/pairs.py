"""Pairs of a question and a unit with their similarity and a verdict: what passes a threshold, in columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from evenhand.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["NO", "TOLERANCE", "UNKNOWN", "YES", "Pairs", "passes"]

TOLERANCE = 1e-9  # a similarity this little below a threshold passes it: sums of floats fall short by less
YES, NO, UNKNOWN = 1, 0, -1


def passes(score: NDArray[np.float64], threshold: float) -> NDArray[np.bool_]:
    """Which similarities lie at or above *threshold*, in float64."""
    return np.asarray(score >= threshold - TOLERANCE)


@dataclass(frozen=True, eq=False, kw_only=True)
class Pairs:
    """The pairs of one arm within the top k, in columns of n.

    ``score``: float64; ``sufficient``: int8, `YES`, `NO` or `UNKNOWN`; ``question``, ``source``, ``role``,
    ``type``: a name each. ``asked``: all questions that were asked, with or without a pair; ``sources`` those
    of them.
    """

    score: NDArray[np.float64]
    sufficient: NDArray[np.int8]
    question: Sequence[str]
    source: Sequence[str]
    role: Sequence[str]
    type: Sequence[str]
    asked: Sequence[str] = ()
    sources: Sequence[str] = ()

    def __post_init__(self) -> None:
        n = len(self.score)
        columns = (self.sufficient, self.question, self.source, self.role, self.type)
        if any(len(column) != n for column in columns):
            raise InputError("columns of pairs differ in length", mend="give each column a value a pair")
        if not np.isfinite(self.score).all():
            raise InputError("a similarity is not a finite number", mend="leave such a pair out and count it")
        if not np.isin(self.sufficient, (YES, NO, UNKNOWN)).all():
            raise InputError("a verdict is neither yes, no nor unknown", mend="give 1, 0 or -1")

    def __len__(self) -> int:
        return len(self.score)

    @property
    def decided(self) -> NDArray[np.bool_]:
        """Which pairs have a verdict."""
        return np.asarray(self.sufficient != UNKNOWN)

    @property
    def wrong(self) -> NDArray[np.bool_]:
        """Which pairs cannot answer."""
        return np.asarray(self.sufficient == NO)

    @cached_property
    def source_names(self) -> tuple[str, ...]:
        """All sources, in the order of their names."""
        return tuple(sorted({*self.sources, *self.source}))

    @cached_property
    def source_at(self) -> NDArray[np.int64]:
        """The place of each pair's source in `source_names`."""
        return _codes(self.source, self.source_names)

    @cached_property
    def question_at(self) -> NDArray[np.int64]:
        """A number for each pair's question."""
        return _codes(self.question, tuple(dict.fromkeys(self.question)))

    def values(self, by: str) -> tuple[str, ...]:
        """The names that occur under ``role`` or ``type``, sorted; pairs without one are under ``""``."""
        return tuple(sorted(set(self.role if by == "role" else self.type)))

    def at(self, by: str) -> NDArray[np.int64]:
        """The place of each pair's role or type in `values`."""
        return _codes(self.role if by == "role" else self.type, self.values(by))

    def reached(self, threshold: float) -> int:
        """How many questions retrieve anything at or above *threshold*."""
        return len(np.unique(self.question_at[passes(self.score, threshold)]))


def _codes(column: Iterable[str], names: Sequence[str]) -> NDArray[np.int64]:
    place = {name: i for i, name in enumerate(names)}
    return np.array([place[one] for one in column], dtype=np.int64)
