"""What a rule costs: false answers, needless deferrals, their prevalence; and which rule is best."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from evenhand.errors import InputError
from evenhand.gate.production.scales import number
from evenhand.stats.selective.expected_cost import cheapest, cheapest_between

if TYPE_CHECKING:
    from collections.abc import Hashable

    from evenhand.gate.outcomes import Outcomes
    from evenhand.stats.intervals.bootstrap import Resampled

__all__ = ["Costs", "ExpectedCost", "Reckoning", "reckon"]

WRONG = ("obsolete", "wrong_document", "clarify_answered", "abstain_answered")


@dataclass(frozen=True, slots=True, kw_only=True)
class Costs:
    """What mistakes cost, in one unit of your own. Correct answers and correct deferrals cost nothing.

    ``false_answer``: any answer that is not correct (also to an answerable question). ``needless_deferral``:
    an answerable question deferred. ``prevalence``: the share of real questions that cannot be answered;
    None takes that of the gold set, which somebody chose.
    """

    false_answer: float
    needless_deferral: float
    prevalence: float | None = field(default=None)

    def __post_init__(self) -> None:
        for name in ("false_answer", "needless_deferral"):
            value, wrong = number(getattr(self, name))
            if value is None or value < 0:
                raise InputError(
                    f"cost of {name} is {getattr(self, name)!r}{f', which {wrong}' if wrong else ''}",
                    mend="give a finite number, 0 or more, in a unit of your own",
                )
        if self.false_answer == 0 == self.needless_deferral:
            raise InputError(
                "nothing costs anything", mend="give a cost to false answers or needless deferrals"
            )
        if self.prevalence is not None:
            value, wrong = number(self.prevalence)
            if value is None or not 0 <= value <= 1:
                raise InputError(
                    f"prevalence is {self.prevalence!r}{f', which {wrong}' if wrong else ''}",
                    mend="give the share of questions that cannot be answered, between 0 and 1",
                )


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectedCost:
    """One rule. ``wrong``, ``deferred``: shares of answerable questions; ``answered``: of the others.

    ``best``: the share of common resamples in which it is cheapest. ``prevalences``: the range of
    prevalence over which it is cheapest by its point estimates, other costs as given; ``ratios``: the same
    for the cost of a false answer over that of a needless deferral (an end of None: no end). None: nowhere.
    """

    rule: str
    cost: Resampled
    best: float | None
    wrong: float | None
    deferred: float | None
    answered: float | None
    prevalences: tuple[float, float | None] | None = None
    ratios: tuple[float, float | None] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reckoning:
    """All rules at one set of costs. ``best`` has the least expected cost, of equals the one named first."""

    costs: Costs
    prevalence: float | None  # the one used
    rules: tuple[ExpectedCost, ...]
    best: str | None
    n: int
    answerable: int
    undefined: int  # resamples with questions of one kind only
    reason: str | None = None


def reckon(
    rules: Sequence[Outcomes],
    costs: Costs,
    *,
    clusters: Sequence[Hashable] | None = None,
    level: float = 0.95,
    resamples: int = 10_000,
    seed: int = 20241009,
) -> Reckoning:
    """The expected cost a question of each rule, the best rule, and how sure that is.

    cost = (1 - q) (C_false wrong + C_needless deferred) + q C_false answered, with q the prevalence. All
    rules are over the same questions, resampled together. Put `Always` and `Never` among them: a gate that
    is not cheaper than both is none. Source: Chow 1970; the envelope of lines for the ranges.
    """
    if not rules or len({tuple(row.question for row in one.rows) for one in rules}) > 1:
        raise InputError("rules over different questions", mend="decide the same questions by each rule")
    names = [one.rule for one in rules]
    if len(set(names)) < len(names):
        raise InputError("two rules have one name", mend="name each rule of a comparison")
    kinds = np.array([[row.kind for row in one.rows] for one in rules], dtype=object).reshape(len(rules), -1)
    wrong = np.isin(kinds, WRONG)
    deferred = kinds == "needless_deferral"
    second = np.array([row.expect != "answer" for row in rules[0].rows], dtype=bool)
    n, unanswerable = len(second), int(second.sum())
    table = costs.false_answer * wrong + costs.needless_deferral * deferred
    found = cheapest(
        table,
        second,
        prevalence=costs.prevalence,
        clusters=clusters,
        level=level,
        resamples=resamples,
        seed=seed,
    )
    q = costs.prevalence if costs.prevalence is not None else unanswerable / n if n else None
    shares = [
        (_share(wrong[i], ~second), _share(deferred[i], ~second), _share(wrong[i], second))
        for i in range(len(rules))
    ]
    made = []
    for i, name in enumerate(names):
        w, d, a = shares[i]
        made.append(
            ExpectedCost(
                rule=name,
                cost=found.costs[i],
                best=found.best[i],
                wrong=w,
                deferred=d,
                answered=a,
                prevalences=_prevalences(shares, costs, i),
                ratios=_ratios(shares, q, i),
            )
        )
    points = [one.cost.point for one in made]
    known = [point for point in points if point is not None]
    return Reckoning(
        costs=costs,
        prevalence=q,
        rules=tuple(made),
        best=names[points.index(min(known))] if known else None,
        n=n,
        answerable=n - unanswerable,
        undefined=found.undefined,
        reason=None if known else found.costs[0].interval.reason,
    )


Shares = list[tuple[float | None, float | None, float | None]]


def _share(what: np.ndarray, among: np.ndarray) -> float | None:
    return float(what[among].mean()) if among.any() else None


def _prevalences(shares: Shares, costs: Costs, rule: int) -> tuple[float, float | None] | None:
    starts, slopes = [], []
    for w, d, a in shares:
        if w is None or d is None or a is None:
            return None
        starts.append(costs.false_answer * w + costs.needless_deferral * d)
        slopes.append(costs.false_answer * a - starts[-1])
    return cheapest_between(starts, slopes, rule)


def _ratios(shares: Shares, q: float | None, rule: int) -> tuple[float, float | None] | None:
    starts, slopes = [], []
    for w, d, a in shares:
        if q is None or (q < 1 and (w is None or d is None)) or (q > 0 and a is None):
            return None
        starts.append((1 - q) * (d or 0.0))
        slopes.append((1 - q) * (w or 0.0) + q * (a or 0.0))
    return cheapest_between(starts, slopes, rule, high=None)
