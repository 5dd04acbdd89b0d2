"""Signals and decisions over many questions, in columns: the code of one question, run for each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from evenhand.errors import InputError
from evenhand.gate.production.decision import Decision, decided

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from evenhand.gate.production.decision import Rule
    from evenhand.gate.rankings import Rankings
    from evenhand.gate.signals import Signal

__all__ = ["Column", "Decisions", "column_of", "decisions_of", "passing"]


@dataclass(frozen=True)
class Column:
    """One signal over questions. ``value``: float64[q], 0 where undefined; ``why``: the reason, or ""."""

    signal: Signal
    questions: tuple[str, ...]
    value: NDArray[np.float64]
    why: tuple[str, ...]

    @property
    def defined(self) -> NDArray[np.bool_]:
        """bool[q]."""
        return np.array([not reason for reason in self.why], dtype=bool)

    @property
    def confidence(self) -> NDArray[np.float64]:
        """float64[q], more is surer; questions without a value below all others, in one tie."""
        sure = self.value if self.signal.scale.higher else -self.value
        defined = self.defined
        lowest = float(sure[defined].min()) if defined.any() else 0.0
        return np.where(defined, sure, lowest - 1.0)

    @property
    def undefined(self) -> dict[str, int]:
        """How many questions have no value, by reason."""
        return dict(sorted(Counter(reason for reason in self.why if reason).items()))

    @property
    def varies(self) -> bool:
        """Whether it says anything: a rank turned into a score, say, has the same first value everywhere."""
        found = self.value[self.defined]
        return bool(len(found)) and bool(found.max() > found.min())


def column_of(signal: Signal, rankings: Rankings) -> Column:
    """A signal of every question."""
    value = np.zeros(len(rankings.questions))
    why: list[str] = []
    rows = zip(rankings.questions, rankings.heads(signal.of, signal.k), strict=True)
    for i, (question, found) in enumerate(rows):
        made, wrong = signal.value(found)
        needed = (signal.system,) if signal.system else signal.of
        if unasked := rankings.unasked(needed, question):
            made, wrong = None, unasked
        value[i] = 0.0 if made is None else made
        why.append(wrong if made is None else "")
    return Column(signal, rankings.questions, value, tuple(why))


def passing(column: Column, threshold: float) -> NDArray[np.bool_]:
    """bool[q]: the questions that a threshold on the signal answers; those without a value never are."""
    value = column.value
    return column.defined & (value >= threshold if column.signal.scale.higher else value <= threshold)


@dataclass(frozen=True)
class Decisions:
    """What one rule decided on each question."""

    rule: str
    answers: str  # the system that answers
    questions: tuple[str, ...]
    made: tuple[Decision, ...]

    def __post_init__(self) -> None:
        if len(self.questions) != len(self.made):
            raise InputError(
                f"{len(self.made)} decisions on {len(self.questions)} questions", mend="give one a question"
            )

    @property
    def answered(self) -> NDArray[np.bool_]:
        """bool[q]."""
        return np.array([one.decision == "answer" for one in self.made], dtype=bool)

    @property
    def flagged(self) -> dict[str, int]:
        """How many questions were deferred because a value could not be had, by reason."""
        return dict(sorted(Counter(one.reason or "" for one in self.made if one.flagged).items()))


def decisions_of(rule: Rule, rankings: Rankings, *, name: str = "") -> Decisions:
    """Apply a rule to every question; one that could not be asked is deferred, flagged."""
    made = [
        Decision(decision="defer", top=None, reason=unasked, flagged=True)
        if (unasked := rankings.unasked(rule.of, question))
        else decided(rule, found)
        for question, found in zip(rankings.questions, rankings.heads(rule.of, rule.depth), strict=True)
    ]
    return Decisions(name or rule.name, rule.of[-1], rankings.questions, tuple(made))


def stacked(columns: Sequence[Column]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Values float64[q, signals] and where all signals of a question are defined (bool[q])."""
    if not columns or len({column.questions for column in columns}) > 1:
        raise InputError("signals over different questions", mend="take them of the same rankings")
    defined = np.logical_and.reduce([column.defined for column in columns])
    return np.stack([column.value for column in columns], axis=1), defined
