"""What mistakes of a gate cost, and which threshold keeps a promise, as plain JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from evenhand.errors import EvenhandError
from evenhand.gate.calibration import calibration_split
from evenhand.gate.columns import decisions_of
from evenhand.gate.cost import reckon
from evenhand.gate.production.rules import threshold_rule
from evenhand.stats.intervals.proportion import wilson
from evenhand.study.gate.guarantee import promised

if TYPE_CHECKING:
    from evenhand.gate.outcomes import Outcomes
    from evenhand.study.gate.labelled_questions import Candidate, Ground

__all__ = ["costs_told", "promises_told"]


def costs_told(on: Ground, outcomes: Sequence[Outcomes], options: Mapping[str, Any]) -> dict[str, Any]:
    """The expected cost of each rule, the cheapest, and how sure that is."""
    found = reckon(outcomes, on.costs, clusters=on.truth.clusters, **options)
    return {
        "given": bool(on.plan.costs),
        "false_answer": on.costs.false_answer,
        "needless_deferral": on.costs.needless_deferral,
        "prevalence": found.prevalence,
        "prevalence_given": on.costs.prevalence is not None,
        "best": found.best,
        "undefined": found.undefined,
        "reason": found.reason,
        "rules": [
            {
                "rule": one.rule,
                "cost": one.cost.point,
                "low": one.cost.interval.low,
                "high": one.cost.interval.high,
                "best": one.best,
                "wrong": one.wrong,
                "deferred": one.deferred,
                "answered": one.answered,
                "prevalences": list(one.prevalences) if one.prevalences else None,
                "ratios": list(one.ratios) if one.ratios else None,
            }
            for one in found.rules
        ],
    }


def promises_told(
    ground: Ground, signals: Sequence[str], main: Candidate, level: float
) -> list[dict[str, Any]]:
    """Learn-then-Test on each signal, and the risk of its threshold on questions that did not choose it."""
    _, report = calibration_split(ground.gold, calibration=ground.plan.calibration, seed=ground.seed)
    rows: list[dict[str, Any]] = []
    for name in signals:
        try:
            same = main.guarantee is not None and main.guarantee.signal == name
            found = main.guarantee if same else promised(ground, name)
        except EvenhandError as error:
            rows.append({"signal": name, "threshold": None, "says": error.what, "calibration": 0,
                         "needed_error_free": None, "needed_at_seen": None, "needed_questions": None,
                         "grid": [], "reported": None})  # fmt: skip
            continue
        assert found is not None  # noqa: S101 - one of the two made it
        reported = None
        if found.threshold is not None:
            found.apart(report)
            rule = threshold_rule(name, found.threshold, ground.plan.of, ground.ranked.scales)
            on = ground.take(report)
            seen = decisions_of(rule, on.ranked)
            wrong = int((seen.answered & (on.losses > 0)).sum())
            n = int(seen.answered.sum())
            span = wilson(wrong, n, level=level)
            reported = {"wrong": wrong, "answered": n, "of": len(report), "low": span.low, "high": span.high}
        rows.append({
            "signal": name, "threshold": found.threshold, "says": found.says,
            "calibration": len(found.calibration), "needed_error_free": found.needed_error_free,
            "needed_at_seen": found.needed_at_seen, "needed_questions": found.needed_questions,
            "grid": [
                [one.threshold, one.answered, one.wrong, one.p_value, one.upper, one.certified]
                for one in found.grid
            ],
            "reported": reported,
        })  # fmt: skip
    return rows
