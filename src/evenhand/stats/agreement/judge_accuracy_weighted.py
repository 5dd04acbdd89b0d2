"""A judge held against people on a sample in which not every item had the same chance."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from evenhand.errors import InputError
from evenhand.stats.agreement.judge_accuracy import Judged
from evenhand.stats.agreement.kappa import Kappa
from evenhand.stats.agreement.raters import RESAMPLES, SEED, Coefficient, coefficient
from evenhand.stats.agreement.raw_agreement import Sides
from evenhand.stats.argument_checks import TIE, column, within, yes_no
from evenhand.stats.intervals.clusters import direction
from evenhand.stats.intervals.proportion import wilson

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from evenhand.stats.agreement.raters import Statistic

__all__ = ["chance_agreement", "effective_share", "over_chance", "weighted_judge_against_human"]

Array = "NDArray[np.float64]"
KISH = "Wilson on the effective number of items"


def effective_share(
    hits: ArrayLike, probability: ArrayLike, *, level: float = 0.95, reason: str = "no items"
) -> Coefficient:
    """The share of yes among items that came in with these chances: sum y/pi over sum 1/pi.

    *hits* may be parts of 1, grades on a scale of 0 to 1: nothing on it spreads as far as yes and no, so
    that the interval holds for their mean too, and is wider than need be. Wilson's interval on Kish's
    effective number (sum w)^2 / sum w^2, which is a little too wide when strata differ much.

    Source: Hajek 1971; Kish 1965; Korn & Graubard 1998.
    """
    y, w = column(hits), 1 / _chances(probability)
    within(y, (0.0, 1.0), "hits")
    if not len(y):
        nothing = wilson(0, 0, level=level)
        return Coefficient(
            value=None, interval=replace(nothing, method=KISH, reason=reason), n=0, reason=reason
        )
    value = float((w * y).sum() / w.sum())
    value = 0.0 if not y.any() else 1.0 if (y == 1).all() else value
    n = float(w.sum() ** 2 / (w**2).sum())
    near = wilson(n if value == 1 else value * n, n, level=level)
    return Coefficient(value=value, interval=replace(near, method=KISH), n=len(y), observed=value)


def chance_agreement(first: float, second: float, *, of: Literal["kappa", "ac1"] = "kappa") -> float:
    """The agreement by chance of two raters who say yes to these shares, as Cohen or as Gwet takes it.

    p q + (1 - p)(1 - q), or 2 m (1 - m) with m their mean. Source: Cohen 1960; Gwet 2008.
    """
    if of == "ac1":
        middle = (first + second) / 2
        return 2 * middle * (1 - middle)
    return first * second + (1 - first) * (1 - second)


def over_chance(agreement: float, chance: float) -> float | None:
    """(p - c)/(1 - c): an agreement, or a bound of it, as a coefficient; None where chance is all there is.

    For a coefficient without any disagreement, which has no spread of its own. Source: Cohen 1960.
    """
    return (agreement - chance) / (1 - chance) if chance < 1 - TIE else None


def _chances(probability: ArrayLike) -> NDArray[np.float64]:
    pi = column(probability, "probability")
    if (pi <= 0).any() or (pi > 1).any():
        raise InputError("a chance leaves 0..1, or is 0", mend="give the chance of a label, above 0, an item")
    return pi


def _over(top: Sequence[int], bottom: Sequence[int]) -> Statistic:
    def statistic(sums: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        below = sums[:, list(bottom)].sum(axis=1)
        above = sums[:, list(top)].sum(axis=1)
        fine = below > TIE
        return np.divide(above, below, out=np.zeros(len(sums)), where=fine), fine

    return statistic


def _chance_corrected(kind: str) -> Statistic:
    """Cohen's kappa or Gwet's AC1 of sums of (both yes, judge alone, human alone, both no)."""

    def statistic(sums: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        n = np.maximum(sums[:, :4].sum(axis=1), TIE)
        tp, fp, fn, tn = (sums[:, i] / n for i in range(4))
        judge, human = tp + fp, tp + fn
        middle = (judge + human) / 2
        chance = judge * human + (1 - judge) * (1 - human) if kind == "kappa" else 2 * middle * (1 - middle)
        fine = 1 - chance > TIE
        return np.divide(tp + tn - chance, 1 - chance, out=np.zeros(len(sums)), where=fine), fine

    return statistic


def weighted_judge_against_human(
    judge: Sequence[int],
    human: Sequence[int],
    probability: ArrayLike,
    *,
    clusters: Sequence[Hashable] | None = None,
    level: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> Judged:
    """`judge_accuracy.judge_against_human` of 0/1 labels, each item weighted by 1 / *probability*.

    The counts of the four-fold table and the direction stay unweighted: they are of what was seen. Shares
    have `effective_share`'s interval, or the percentile bootstrap over whole *clusters*; kappa and AC1 the
    bootstrap over items or clusters. Source: as there, with the weights of Horvitz & Thompson 1952.
    """
    a, b = yes_no(judge, "judge"), yes_no(human, "human")
    pi = _chances(probability)
    if not len(a) == len(b) == len(pi):
        raise InputError("labels and chances differ in number", mend="give two labels and a chance an item")
    w = 1 / pi
    cells = np.column_stack([a & b, a & ~b, ~a & b, ~a & ~b])
    columns = cells * w[:, None]
    tp, fp, fn, tn = (int(x) for x in cells.sum(axis=0))
    options = {"clusters": clusters, "level": level, "resamples": resamples, "seed": seed}

    def rate(top: Sequence[int], bottom: Sequence[int], reason: str) -> Coefficient:
        among = np.asarray(cells[:, list(bottom)].any(axis=1))
        if clusters is None:
            hits = np.asarray(cells[:, list(top)].any(axis=1))[among]
            return effective_share(hits, pi[among], level=level, reason=reason)
        return coefficient(columns, _over(top, bottom), n=int(among.sum()), reason=reason, **options)  # type: ignore[arg-type]

    def corrected(kind: str) -> Coefficient:
        return coefficient(
            columns,
            _chance_corrected(kind),
            n=len(a),
            reason="both name one category" if len(a) else "no items",
            **options,  # type: ignore[arg-type]
        )

    every = (0, 1, 2, 3)
    # both name one and the same category throughout: nothing was told apart
    kappa = corrected("kappa")
    ac1 = replace(corrected("ac1"), degenerate=len(a) > 0 and (tp == len(a) or tn == len(a)))
    truth = rate((0, 2), every, "no items")
    commonest = (0, 2) if (truth.value or 0.0) >= 0.5 else (1, 3)
    twice = np.column_stack([2 * columns[:, 0], columns[:, 0] * 2 + columns[:, 1] + columns[:, 2]])
    other = np.column_stack([2 * columns[:, 3], columns[:, 3] * 2 + columns[:, 1] + columns[:, 2]])
    constant = len({*a.tolist()}) < 2 or len({*b.tolist()}) < 2
    agreement = rate((0, 3), every, "no items")
    return Judged(
        n=len(a),
        dropped=0,
        both_yes=tp,
        judge_only=fp,
        human_only=fn,
        both_no=tn,
        agreement=agreement,
        no_skill=rate(commonest, every, "no items"),
        kappa=Kappa(
            kappa=kappa.value,
            observed=agreement.value,
            expected=None,
            n=len(a),
            degenerate=constant and kappa.value is not None,
            interval=kappa.interval,
            clusters=kappa.clusters,
            reason=kappa.reason,
        ),
        ac1=ac1,
        sides=Sides(
            positive=coefficient(
                twice,
                _over((0,), (1,)),
                n=tp + fp + fn,
                reason="neither said yes",
                **options,  # type: ignore[arg-type]
            ),
            negative=coefficient(
                other,
                _over((0,), (1,)),
                n=tn + fp + fn,
                reason="neither said no",
                **options,  # type: ignore[arg-type]
            ),
        ),
        judge_rate=rate((0, 1), every, "no items"),
        human_rate=truth,
        sensitivity=rate((0,), (0, 2), "people called nothing yes" if len(a) else "no labels"),
        specificity=rate((3,), (1, 3), "people called nothing no" if len(a) else "no labels"),
        precision=rate((0,), (0, 1), "the judge called nothing yes" if len(a) else "no labels"),
        direction=direction(fp, fn, len(a)),
    )
