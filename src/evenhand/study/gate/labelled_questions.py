"""What the rules of a gate study are judged on, and one rule with its decisions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from evenhand.gate.columns import Column, column_of
from evenhand.gate.cost import Costs
from evenhand.gate.signals import signal

if TYPE_CHECKING:
    import numpy as np

    from evenhand.gate.columns import Decisions
    from evenhand.gate.gold_labels import Truth
    from evenhand.gate.guarantee import Guarantee
    from evenhand.gate.production.decision import Rule
    from evenhand.gate.rankings import Rankings
    from evenhand.model.gold import GoldSet
    from evenhand.model.plan.sections import GatePlan

__all__ = ["Candidate", "Ground", "signals_of"]


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """One rule and its decisions. ``how``: fixed, frozen, out of fold, promised, baseline, or refused.

    ``rule`` is what would be exported; None where none could be made, and ``reason`` says why. ``questions``
    are those that it may be reported on: for a promise, not the ones that chose its threshold.
    """

    name: str
    how: str
    rule: Rule | None = None
    decisions: Decisions | None = None
    reason: str = ""
    notes: tuple[str, ...] = ()
    guarantee: Guarantee | None = None


@dataclass(frozen=True, kw_only=True)
class Ground:
    """What rules are judged on: rankings and truth over the same questions."""

    plan: GatePlan
    gold: GoldSet
    ranked: Rankings
    truth: Truth
    seed: int
    frozen: Rule | None = None  # of the gate.json that [gate] rule names
    frozen_on: str = ""  # the seal of the questions that it was measured on
    registered: GatePlan | None = None  # what was planned, where it was amended
    progress: Callable[..., None] = field(default=lambda *_: None)

    @property
    def costs(self) -> Costs:
        """Those of the plan; where it names none, all mistakes count alike."""
        given = self.plan.costs
        return Costs(
            false_answer=given.get("false_answer", 1.0),
            needless_deferral=given.get("needless_deferral", 1.0),
            prevalence=given.get("prevalence"),
        )

    @property
    def losses(self) -> np.ndarray:
        """1 where answering from the first document of the answering system would be wrong."""
        return self.truth.losses(self.ranked, self.plan.of[-1])

    def column(self, name: str) -> Column:
        """A signal over all questions."""
        return column_of(signal(name, self.plan.of, self.ranked.scales), self.ranked)

    def take(self, questions: Sequence[str]) -> Ground:
        """The same for some of the questions."""
        return replace(self, ranked=self.ranked.take(questions), truth=self.truth.take(questions))


def signals_of(plan: GatePlan) -> tuple[str, ...]:
    """The signals that a study looks at: those it names, and those of its rules."""
    of = plan.of
    own = [f"{kind}({name})" for name in of for kind in ("score", "margin")]
    alike = ["consensus", "agreement@5", "rbo@10"] if len(of) > 1 else []
    rules = [name for name in (plan.rule, *plan.also) if name != "learned" and not name.endswith(".json")]
    return tuple(dict.fromkeys([*(plan.signals or (*own, *alike)), *rules]))
