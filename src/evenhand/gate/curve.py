"""Risk against coverage of a signal: what answering more costs, with intervals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from evenhand.errors import InputError
from evenhand.stats.intervals.proportion import wilson
from evenhand.stats.selective.intervals import areas_bootstrap
from evenhand.stats.selective.risk_coverage import areas, coverage_at_risk, risk_coverage

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from numpy.typing import ArrayLike

    from evenhand.gate.columns import Column
    from evenhand.model.result import Interval
    from evenhand.stats.intervals.bootstrap import Resampled
    from evenhand.stats.selective.risk_coverage import AtRisk

__all__ = ["Curve", "CurvePoint", "curve_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CurvePoint:
    """One threshold on the signal: how many it answers, how many of these are wrong. Wilson, per point."""

    threshold: float  # on the signal's own scale
    answered: int
    wrong: int
    coverage: float  # answered of all questions
    risk: float  # wrong of answered
    interval: Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """The curve of one signal. The areas rank the questions without a value last, in one tie.

    ``oracle``: AURC of a signal that knew every answer. ``at_risk``: for each risk asked for, the most that
    could be answered on *these* questions; it is picked from many points and promises nothing
    (`evenhand.gate.guarantee` does).
    """

    signal: str
    n: int
    undefined: int  # questions without a value: answered by no threshold
    varies: bool
    points: tuple[CurvePoint, ...]  # strictest first
    aurc: Resampled
    e_aurc: Resampled
    augrc: Resampled
    oracle: float | None
    risk: float | None  # of answering everything
    at_risk: tuple[tuple[float, AtRisk], ...] = ()


def curve_of(
    column: Column,
    losses: ArrayLike,
    *,
    risks: Sequence[float] = (0.05, 0.1, 0.2),
    clusters: Sequence[Hashable] | None = None,
    level: float = 0.95,
    resamples: int = 10_000,
    seed: int = 20241009,
) -> Curve:
    """The risk-coverage curve of a signal with AURC, E-AURC and AUGRC.

    *losses*: 1 where answering would be wrong, else 0 (`Truth.losses`). Intervals of the areas draw
    questions, or whole *clusters*; those of the points are for one threshold that was fixed beforehand.
    Source: El-Yaniv & Wiener 2010; see `evenhand.stats.selective.risk_coverage` and `selective_intervals`.
    """
    loss = np.asarray(losses, dtype=np.float64)
    if loss.shape != (len(column.questions),) or not np.isin(loss, (0.0, 1.0)).all():
        raise InputError(
            "losses do not fit the questions", mend="give 0 or 1 a question, as Truth.losses does"
        )
    defined, sure = column.defined, column.confidence
    sign = 1.0 if column.signal.scale.higher else -1.0
    n, known = len(loss), int(defined.sum())
    points = []
    for point in risk_coverage(sure[defined], loss[defined]):
        answered = round(point.coverage * known)
        wrong = round(point.risk * answered)
        points.append(
            CurvePoint(
                threshold=point.threshold * sign + 0.0,
                answered=answered,
                wrong=wrong,
                coverage=answered / n,
                risk=wrong / answered,
                interval=wilson(wrong, answered, level=level),
            )
        )
    found = areas_bootstrap(sure, loss, clusters=clusters, level=level, resamples=resamples, seed=seed)
    whole = areas(sure, loss)
    return Curve(
        signal=column.signal.name,
        n=n,
        undefined=n - known,
        varies=column.varies,
        points=tuple(points),
        aurc=found.aurc,
        e_aurc=found.e_aurc,
        augrc=found.augrc,
        oracle=whole.oracle,
        risk=whole.risk,
        at_risk=tuple((risk, _at(column, sure, loss, risk, sign)) for risk in risks),
    )


def _at(column: Column, sure: ArrayLike, loss: ArrayLike, risk: float, sign: float) -> AtRisk:
    """Coverage of all questions, threshold on the signal's scale."""
    from dataclasses import replace

    defined = column.defined
    found = coverage_at_risk(np.asarray(sure)[defined], np.asarray(loss)[defined], risk)
    if found.threshold is None:
        return found
    scaled = found.coverage * int(defined.sum()) / len(defined)
    return replace(found, coverage=scaled, threshold=found.threshold * sign + 0.0)
