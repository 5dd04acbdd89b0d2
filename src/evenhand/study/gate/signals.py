"""What each signal of a gate is worth: risk against coverage, separability, values by question."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from evenhand.gate.curve import curve_of
from evenhand.gate.production.rules import Consensus, Threshold
from evenhand.gate.separability import separation_of

if TYPE_CHECKING:
    from evenhand.gate.curve import CurvePoint
    from evenhand.model.plan.sections import GatePlan
    from evenhand.stats.intervals.bootstrap import Resampled
    from evenhand.study.gate.labelled_questions import Candidate, Ground

__all__ = ["curves_told", "explorer_told", "own_signal", "separations_told"]


POINTS = 500  # of a curve in a report; the areas are of all
LISTED = 2000  # questions that the explorer lists; with more the page would be too large to open


def own_signal(one: Candidate, plan: GatePlan | None) -> str | None:
    """The signal that a rule is a threshold on; None for one that weighs several."""
    if isinstance(one.rule, Consensus):
        return "consensus" if len(one.rule.of) > 1 else None
    if isinstance(one.rule, Threshold):
        return one.rule.signal.name
    return None if plan is None or plan.rule.endswith(".json") or plan.rule == "learned" else plan.rule


def curves_told(
    on: Ground, signals: Sequence[str], *, risks: Sequence[float], level: float, resamples: int, seed: int
) -> list[dict[str, Any]]:
    """A curve a signal, its points in columns, strictest first."""
    losses, rows = on.losses, []
    for done, name in enumerate(signals):
        on.progress("signals", done, len(signals), name)
        column = on.column(name)
        found = curve_of(
            column,
            losses,
            risks=risks,
            clusters=on.truth.clusters,
            level=level,
            resamples=resamples,
            seed=seed,
        )
        points, scale = _thin(found.points), column.signal.scale
        rows.append(
            {
                "signal": name,
                "scale": {"name": scale.name, "low": scale.low, "high": scale.high, "higher": scale.higher},
                "n": found.n,
                "undefined": column.undefined,
                "varies": found.varies,
                "aurc": _area(found.aurc),
                "e_aurc": _area(found.e_aurc),
                "augrc": _area(found.augrc),
                "oracle": found.oracle,
                "risk": found.risk,
                "thresholds": len(found.points),
                "points": {
                    "threshold": [one.threshold for one in points],
                    "answered": [one.answered for one in points],
                    "wrong": [one.wrong for one in points],
                    "coverage": [one.coverage for one in points],
                    "risk": [one.risk for one in points],
                    "low": [one.interval.low for one in points],
                    "high": [one.interval.high for one in points],
                },
                "at_risk": [
                    {"risk": risk, "coverage": one.coverage, "threshold": one.threshold, "seen": one.risk}
                    for risk, one in found.at_risk
                ],
            }
        )
    on.progress("signals", len(signals), len(signals))
    return rows


def _thin(points: Sequence[CurvePoint]) -> list[CurvePoint]:
    """All points, or `POINTS` of them at equal steps, the first and the last among them."""
    if len(points) <= POINTS:
        return list(points)
    return [points[round(i * (len(points) - 1) / (POINTS - 1))] for i in range(POINTS)]


def _area(found: Resampled) -> dict[str, Any]:
    return {
        "point": found.point,
        "low": found.interval.low,
        "high": found.interval.high,
        "method": found.interval.method,
        "reason": found.interval.reason,
    }


def separations_told(on: Ground, signals: Sequence[str], *, level: float) -> list[dict[str, Any]]:
    """How far each signal tells answerable questions, and those where answering would be right."""
    rows = []
    kinds = (("answerable", on.truth.answerable), ("answering is right", on.losses == 0))
    for name in signals:
        column = on.column(name)
        for what, positive in kinds:
            found = separation_of(column, positive, level=level)
            rows.append(
                {
                    "signal": name,
                    "of": what,
                    "positives": found.positives,
                    "negatives": found.negatives,
                    "undefined": found.undefined,
                    "auc": found.auc.auc,
                    "low": found.auc.interval.low,
                    "high": found.auc.interval.high,
                    "ks": found.ks,
                    "ks_p": found.ks_p,
                    "cliffs_delta": found.cliffs_delta,
                    "overlap": found.overlap,
                    "edges": list(found.edges),
                    "reason": found.reason,
                }
            )
    return rows


def explorer_told(on: Ground, signals: Sequence[str]) -> dict[str, Any] | None:
    """The value of each signal on each question, in columns; nothing for more than `LISTED` questions."""
    if len(on.truth.questions) > LISTED:
        return None
    return {
        "questions": list(on.truth.questions),
        "expect": list(on.truth.expect),
        "right": [loss == 0 for loss in on.losses.tolist()],
        "top": [
            next(iter(on.ranked.documents(on.plan.of[-1], q, 1)), None)
            for q in range(len(on.truth.questions))
        ],
        "values": {
            name: [None if why else value for value, why in zip(c.value.tolist(), c.why, strict=True)]
            for name, c in ((name, on.column(name)) for name in signals)
        },
    }
