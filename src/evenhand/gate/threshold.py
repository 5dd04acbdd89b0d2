"""A threshold chosen on dev, the cheapest there. It promises nothing about other questions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from evenhand.errors import InputError, Undecidable
from evenhand.stats.argument_checks import TIE, yes_no

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from evenhand.gate.columns import Column
    from evenhand.gate.cost import Costs
    from evenhand.gate.production.scales import Scale

__all__ = ["Chosen", "cheapest_threshold", "grid_of"]

STEPS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """The cheapest threshold on these questions; ``cost`` is optimistic, since it was chosen on them."""

    threshold: float
    cost: float
    answered: int
    n: int


def cheapest_threshold(column: Column, losses: ArrayLike, answerable: ArrayLike, costs: Costs) -> Chosen:
    """The threshold on a signal with the least expected cost on these questions.

    *losses*: 1 where answering would be wrong; *answerable*: bool[q]. Each value of the signal is a
    threshold; of equally cheap ones the strictest. Raises Undecidable where no question has a value, where
    all losses are the same (one class: no threshold may be recommended), and where deferring everything is
    cheapest.
    """
    loss, yes = np.asarray(losses, dtype=np.float64), yes_no(answerable, "answerable")
    if loss.shape != (len(column.questions),) or yes.shape != loss.shape:
        raise InputError("losses do not fit the questions", mend="give one loss and one yes or no a question")
    if not column.defined.any():
        raise Undecidable(
            f"no question has a value of {column.signal.name}", mend="see its reasons: Column.undefined"
        )
    if len(set(loss.tolist())) < 2:
        raise Undecidable(
            "answering is right everywhere, or wrong everywhere: no threshold can be recommended",
            mend="choose it on questions of both kinds",
        )
    at, cost, answered = best_cut(column.confidence, column.defined, loss, yes, costs)
    if at is None:
        raise Undecidable(
            f"deferring everything is cheapest: no threshold on {column.signal.name} pays for its errors",
            mend="take another signal, or look at the costs again",
        )
    sign = 1.0 if column.signal.scale.higher else -1.0
    return Chosen(threshold=at * sign + 0.0, cost=cost, answered=answered, n=len(loss))


def best_cut(
    sure: NDArray[np.float64],
    defined: NDArray[np.bool_],
    loss: NDArray[np.float64],
    answerable: NDArray[np.bool_],
    costs: Costs,
) -> tuple[float | None, float, int]:
    """The cut of least cost (answer where sure >= cut), its cost, how many it answers; None: nothing."""
    weight = _weights(answerable, costs.prevalence)
    # answering costs false_answer where wrong and saves the needless deferral of an answerable question
    gain = weight * (costs.needless_deferral * answerable - costs.false_answer * (loss > 0))
    nothing = float((weight * costs.needless_deferral * answerable).sum())
    at = np.flatnonzero(defined)
    order = at[np.argsort(-sure[at], kind="stable")]
    ends = np.append(np.flatnonzero(np.diff(sure[order])), len(order) - 1)
    cost = nothing - np.cumsum(gain[order])[ends]
    best = int(np.flatnonzero(cost <= cost.min() + TIE)[0])
    if cost[best] >= nothing - TIE:
        return None, nothing, 0
    return float(sure[order[ends[best]]]), float(cost[best]), int(ends[best]) + 1


def _weights(answerable: NDArray[np.bool_], prevalence: float | None) -> NDArray[np.float64]:
    n, yes = len(answerable), int(answerable.sum())
    if prevalence is None:
        return np.full(n, 1 / n)
    if (yes == 0 and prevalence < 1) or (yes == n and prevalence > 0):
        raise Undecidable(
            "a prevalence needs questions of both kinds",
            mend="add questions to answer, or questions to defer",
        )
    return np.where(answerable, (1 - prevalence) / max(1, yes), prevalence / max(1, n - yes))


def grid_of(scale: Scale, *, steps: int = STEPS, other: ArrayLike | None = None) -> tuple[float, ...]:
    """Thresholds to test, rising: equal steps over a scale with two ends, else quantiles of *other* values.

    *other* are values of the signal on questions that are neither the calibration nor the reporting ones: a
    grid drawn from the questions it is tested on would break the promise.
    """
    if steps < 1:
        raise InputError(f"{steps} steps", mend="give 1 or more")
    if other is not None:
        values = np.asarray(other, dtype=np.float64)
        if values.ndim != 1 or not len(values) or not np.isfinite(values).all():
            raise InputError(
                "no values to take a grid from", mend="give values of the signal on other questions"
            )
        return tuple(np.unique(np.quantile(values, np.linspace(0, 1, steps + 1), method="lower")).tolist())
    if scale.low is None or scale.high is None:
        raise InputError(
            f"the scale {scale} of {scale.name} has no two ends, so a grid cannot be laid over it",
            mend="give thresholds, or values of the signal on other questions",
        )
    return tuple(np.round(np.linspace(scale.low, scale.high, steps + 1), 12).tolist())
