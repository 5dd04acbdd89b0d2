"""Rules that say answer or defer, from the rankings alone. Plain Python: the same code in production.

Every rule has ``name``, ``of`` (the systems it looks at; the last one is the system that answers: its
first document is the answer's), ``depth`` (documents of each that it needs), ``scale`` (of its value) and
``judge(heads) -> (answers, value, why, flagged)``; `decide` turns rankings into a `Decision`. A value that
does not exist (no score, NaN, infinite, off its scale) is flagged, and never answers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evenhand.errors import InputError
from evenhand.gate.production.decision import Decision, Rule, Verdict, decide, systems
from evenhand.gate.production.scales import SCALES, Scale, limit
from evenhand.gate.production.top_documents import Head
from evenhand.gate.signals import Signal, signal

__all__ = [
    "Always",
    "Consensus",
    "Decision",
    "Never",
    "Rule",
    "Threshold",
    "consensus",
    "decide",
    "threshold_rule",
]


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
