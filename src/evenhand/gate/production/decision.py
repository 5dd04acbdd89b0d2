"""A decision, and the form of every rule. Plain Python: the same code in a study and in production."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from evenhand.errors import InputError
from evenhand.gate.production.scales import Scale
from evenhand.gate.production.top_documents import Head, Ranking, heads

__all__ = ["Decision", "Rule", "decide"]

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


def systems(of: Sequence[str]) -> tuple[str, ...]:
    """The systems of a gate: at least one, each once."""
    names = tuple(of)
    if isinstance(of, str) or not names or not all(isinstance(name, str) and name for name in names):
        raise InputError("the gate has no list of systems", mend="name one system or more under [gate] of =")
    if len(set(names)) < len(names):
        raise InputError("the gate names a system twice", mend="name each system once under [gate] of =")
    return names
