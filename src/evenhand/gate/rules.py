"""Rules that say answer or defer, from the rankings alone. Plain Python: the same code in production.

Every rule has ``name``, ``of`` (the systems it looks at; the last one is the system that answers: its
first document is the answer's), ``depth`` (documents of each that it needs), ``scale`` (of its value) and
``judge(heads) -> (answers, value, why, flagged)``; `decide` turns rankings into a `Decision`. A value that
does not exist (no score, NaN, infinite, off its scale) is flagged, and never answers.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from evenhand.errors import InputError
from evenhand.gate.scales import SCALES, Scale, limit, number
from evenhand.gate.signals import Head, Ranking, Signal, heads, signal
from evenhand.stats.overlap import DIGITS

__all__ = [
    "Always",
    "Consensus",
    "Decision",
    "Learned",
    "Never",
    "Rule",
    "Threshold",
    "consensus",
    "decide",
    "threshold_rule",
]

Verdict = tuple[bool, float | None, str, bool]  # answers, value, why it defers, flagged


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """Answer from this document, or defer and say why."""

    decision: Literal["answer", "defer"]
    top: str | None  # the document answered from
    reason: str | None = None  # why it defers
    value: float | None = None  # of the rule's signal, or its probability
    flagged: bool = False  # the value could not be had: look into it


class Rule(Protocol):
    """What every rule has."""

    @property
    def name(self) -> str:
        """What it is called in tables."""

    @property
    def of(self) -> tuple[str, ...]:
        """The systems looked at; the last one answers."""

    @property
    def depth(self) -> int:
        """Documents needed of each."""

    @property
    def scale(self) -> Scale:
        """Of its value."""

    def judge(self, found: Mapping[str, Head]) -> Verdict:
        """Whether it answers, its value, why not, and whether a value could not be had."""


def decide(rule: Rule, rankings: Mapping[str, Ranking]) -> Decision:
    """Apply a rule to the rankings of one question: system -> documents, or (document, score), best first."""
    return decided(rule, heads(rankings, rule.of, rule.depth))


def decided(rule: Rule, found: Mapping[str, Head]) -> Decision:
    """Apply a rule to the heads of one question."""
    answers, value, why, flagged = rule.judge(found)
    top = found[rule.of[-1]][0]
    if answers and top:
        return Decision(decision="answer", top=top[0], value=value)
    if answers:
        why, flagged = f"{rule.of[-1]} found nothing", True
    return Decision(decision="defer", top=None, reason=why, value=value, flagged=flagged)


def consensus(rankings: Sequence[Sequence[str]]) -> Decision:
    """Answer when every ranking has the same first document; defer otherwise.

    *rankings*: one list of document ids a system, best first; units collapse to their document before
    (the gate decides on documents). An empty ranking defers. A tie at rank 1 must have been resolved by
    the system's stated order. No rankings at all are refused: a gate of nobody would always agree.
    """
    if not rankings:
        raise InputError("the gate has no rankings", mend="name one system or more under [gate] of =")
    if not all(rankings):
        return Decision(decision="defer", top=None, reason="a system found nothing")
    tops = {ranking[0] for ranking in rankings}
    if len(tops) > 1:
        return Decision(decision="defer", top=None, reason=f"{len(tops)} different first documents")
    return Decision(decision="answer", top=rankings[0][0])


def systems(of: Sequence[str]) -> tuple[str, ...]:
    """The systems of a gate: at least one, each once."""
    names = tuple(of)
    if isinstance(of, str) or not names or not all(isinstance(name, str) and name for name in names):
        raise InputError("the gate has no list of systems", mend="name one system or more under [gate] of =")
    if len(set(names)) < len(names):
        raise InputError("the gate names a system twice", mend="name each system once under [gate] of =")
    return names


@dataclass(frozen=True, slots=True)
class Always:
    """Answer every question: what every gate has to beat."""

    of: tuple[str, ...]
    name: str = "answer everything"
    depth: int = 1
    scale: Scale = SCALES["share"]

    def judge(self, found: Mapping[str, Head]) -> Verdict:  # noqa: ARG002 - the form of every rule
        """Yes, as long as there is a document."""
        return True, None, "", False


@dataclass(frozen=True, slots=True)
class Never:
    """Defer every question: what every gate has to beat."""

    of: tuple[str, ...]
    name: str = "defer everything"
    depth: int = 1
    scale: Scale = SCALES["share"]

    def judge(self, found: Mapping[str, Head]) -> Verdict:  # noqa: ARG002 - the form of every rule
        """No."""
        return False, None, "this rule defers everything", False


@dataclass(frozen=True, slots=True)
class Consensus:
    """Answer when all systems have the same first document."""

    of: tuple[str, ...]
    name: str = "consensus"
    depth: int = 1
    scale: Scale = SCALES["share"]

    def __post_init__(self) -> None:
        systems(self.of)

    def judge(self, found: Mapping[str, Head]) -> Verdict:
        """As `consensus`; its value is the share of systems that have the answering system's document."""
        tops = [found[name][0][:1] for name in self.of]
        made = consensus(tops)
        agree = tops.count(tops[-1]) / len(tops) if all(tops) else None
        return made.decision == "answer", agree, made.reason or "", False


@dataclass(frozen=True, slots=True)
class Threshold:
    """Answer when a signal is at its threshold or surer. Build it with `threshold_rule`, which checks."""

    signal: Signal
    threshold: float

    def __post_init__(self) -> None:
        systems(self.of)
        object.__setattr__(
            self, "threshold", limit(self.threshold, self.scale, f"threshold on {self.signal.name}")
        )

    @property
    def name(self) -> str:
        """The signal and its limit."""
        return f"{self.signal.name} {'≥' if self.scale.higher else '≤'} {self.threshold:g}"

    @property
    def of(self) -> tuple[str, ...]:
        """The systems looked at."""
        return self.signal.of

    @property
    def depth(self) -> int:
        """Documents needed of each."""
        return self.signal.k

    @property
    def scale(self) -> Scale:
        """That of the signal."""
        return self.signal.scale

    def judge(self, found: Mapping[str, Head]) -> Verdict:
        """The value against the threshold; no value never answers."""
        value, wrong = self.signal.value(found)
        if value is None:
            return False, None, wrong, True
        if self.scale.passes(value, self.threshold):
            return True, value, "", False
        side = "below" if self.scale.higher else "above"
        return False, value, f"{self.signal.name} is {value:g}, {side} {self.threshold:g}", False


def threshold_rule(
    name: str, threshold: object, of: Sequence[str], scales: Mapping[str, Scale | str] | None = None
) -> Threshold:
    """A threshold on the signal called *name*. Refuses NaN, infinities, text and what lies off the scale."""
    made = signal(name, systems(of), scales)
    return Threshold(made, limit(threshold, made.scale, f"threshold on {made.name}"))


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


def settings(rule: Rule) -> dict[str, Any]:
    """What makes two rules the same rule, as plain JSON."""
    made: dict[str, Any] = {"rule": type(rule).__name__.lower(), "of": list(rule.of)}
    if isinstance(rule, Threshold):
        made |= {"signal": rule.signal.name, "threshold": rule.threshold}
    elif isinstance(rule, Learned):
        made |= {
            "signals": [one.name for one in rule.signals],
            "centre": list(rule.centre),
            "spread": list(rule.spread),
            "coefficients": list(rule.coefficients),
            "intercept": rule.intercept,
            "threshold": rule.threshold,
        }
    return made
