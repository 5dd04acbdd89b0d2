"""A rule that weighs several signals, made by `evenhand.gate.learn`. Plain Python: used in production."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evenhand.errors import InputError
from evenhand.gate.production.decision import Verdict, systems
from evenhand.gate.production.scales import SCALES, Scale, limit, number
from evenhand.gate.production.top_documents import Head
from evenhand.gate.signals import Signal
from evenhand.stats.rank_overlap import DIGITS

__all__ = ["Learned"]


@dataclass(frozen=True, slots=True)
class Learned:
    """Answer when a logistic function of several signals reaches a threshold.

    value = 1 / (1 + exp(-(intercept + sum coefficient_j (signal_j - centre_j) / spread_j))): a score between
    0 and 1, not a calibrated probability. `evenhand.gate.learn` makes one from dev questions.
    """

    signals: tuple[Signal, ...]
    centre: tuple[float, ...]
    spread: tuple[float, ...]
    coefficients: tuple[float, ...]
    intercept: float
    threshold: float
    name: str = "learned"
    scale: Scale = SCALES["share"]

    def __post_init__(self) -> None:
        if not self.signals or len({s.of for s in self.signals}) > 1:
            raise InputError("a learned gate has no signals of one set of systems", mend="name them in of =")
        systems(self.of)
        columns = (self.centre, self.spread, self.coefficients)
        if any(len(column) != len(self.signals) for column in columns):
            raise InputError(
                "a learned gate has numbers that do not fit its signals", mend="give one a signal"
            )
        every = [*self.centre, *self.spread, *self.coefficients, self.intercept]
        if any(number(one)[0] is None for one in every) or min(self.spread) <= 0:
            raise InputError(
                "a learned gate has a number that is missing, text or not finite, or a spread not above 0",
                mend="learn it again; do not edit the numbers",
            )
        object.__setattr__(self, "threshold", limit(self.threshold, self.scale))

    @property
    def of(self) -> tuple[str, ...]:
        """The systems looked at."""
        return self.signals[0].of

    @property
    def depth(self) -> int:
        """Documents needed of each."""
        return max(signal.k for signal in self.signals)

    def judge(self, found: Mapping[str, Head]) -> Verdict:
        """The logistic value against the threshold; one signal without a value is enough to defer."""
        values: list[float] = []
        for one in self.signals:
            value, wrong = one.value(found)
            if value is None:
                return False, None, wrong, True
            values.append(value)
        made = self.value(values)
        if made >= self.threshold:
            return True, made, "", False
        return False, made, f"{self.name} is {made:g}, below {self.threshold:g}", False

    def value(self, values: Sequence[float]) -> float:
        """The logistic value of these signals, rounded to 12 digits so that platforms agree."""
        parts = zip(self.coefficients, values, self.centre, self.spread, strict=True)
        z = self.intercept + sum(b * (x - m) / s for b, x, m, s in parts)
        if z < -700:  # exp would overflow
            return 0.0
        return round(1.0 / (1.0 + math.exp(-z)), DIGITS)
