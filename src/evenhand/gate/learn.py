"""A rule learned from dev questions, with honest decisions: each made by a rule that never saw it."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from evenhand.errors import InputError, Undecidable
from evenhand.gate.columns import Column, Decisions, stacked
from evenhand.gate.production.decision import Decision
from evenhand.gate.production.learned import Learned
from evenhand.gate.threshold import best_cut
from evenhand.stats.rank_overlap import DIGITS
from evenhand.stats.selective.folds import folds_by_cluster
from evenhand.stats.selective.logistic import Logistic, logistic_fit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from evenhand.gate.cost import Costs
    from evenhand.gate.gold_labels import Truth
    from evenhand.gate.rankings import Rankings
    from evenhand.protocols import Progress

__all__ = ["PENALTIES", "Fold", "Learning", "learn"]

PENALTIES = (1.0, 0.1, 0.01, 0.001)  # the strongest first: of equal ones it is taken
NOTHING = 1.0  # a threshold that no value reaches but certainty: deferring was cheapest


@dataclass(frozen=True, slots=True, kw_only=True)
class Fold:
    """One outer fold: what its inner folds picked, and how many questions it decided."""

    penalty: float
    threshold: float
    learned_on: int
    decided: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Learning:
    """A learned rule and its out-of-fold decisions.

    ``rule`` is fitted on all dev questions and is what a study registers. ``decisions`` are of the outer
    folds, each question decided by a rule learned without it and its cluster: put these into the decision
    table, not the rule's own decisions on dev. ``left_out``: questions where a signal has no value; they are
    deferred.
    """

    rule: Learned
    decisions: Decisions
    folds: tuple[Fold, ...]
    penalty: float
    left_out: int


@dataclass(frozen=True)
class _Dev:
    """Rows of dev: x float64[n, signals]; right, answerable bool[n]; cluster names."""

    x: NDArray[np.float64]
    right: NDArray[np.bool_]
    answerable: NDArray[np.bool_]
    cluster: list[Hashable]

    def take(self, rows: NDArray[np.int64]) -> _Dev:
        names = [self.cluster[i] for i in rows.tolist()]
        return _Dev(self.x[rows], self.right[rows], self.answerable[rows], names)


def learn(
    columns: Sequence[Column],
    truth: Truth,
    rankings: Rankings,
    costs: Costs,
    *,
    folds: int = 5,
    penalties: Sequence[float] = PENALTIES,
    seed: int = 20241009,
    progress: Progress | None = None,
) -> Learning:
    """Learn when answering would be right, by logistic regression on signals, on dev questions only.

    Nested cross-validation: outer folds (whole clusters, seeded) are decided by a rule whose penalty (least
    log loss) and threshold (least expected cost) were picked by inner folds of the other questions. The final
    rule is picked the same way on all questions. Raises Undecidable where a part has only right or only wrong
    answers.
    Source: Stone 1974; Varma & Simon 2006 for nesting.
    """
    table, defined = stacked(columns)
    truth.same(columns[0].questions)
    if len({column.signal.of for column in columns}) > 1:
        raise InputError("the signals are of different gates", mend="make them over one list of systems")
    if not penalties or min(penalties) <= 0:
        raise InputError(f"penalties are {list(penalties)!r}", mend="give one or more numbers above 0")
    of = columns[0].signal.of
    names = truth.clusters or list(truth.questions)
    at = np.flatnonzero(defined)
    dev = _Dev(
        x=table[at],
        right=truth.losses(rankings, of[-1])[at] == 0,
        answerable=truth.answerable[at],
        cluster=[names[i] for i in at.tolist()],
    )
    _enough(dev, folds)
    outer = folds_by_cluster(dev.right, dev.cluster, folds=folds, seed=seed)
    value = np.zeros(len(at))
    cut = np.zeros(len(at))
    made: list[Fold] = []
    for fold in range(folds):
        inside, outside = np.flatnonzero(outer != fold), np.flatnonzero(outer == fold)
        model, threshold = _picked(dev.take(inside), costs, folds, penalties, seed + 1 + fold)
        value[outside], cut[outside] = np.round(model.of(dev.x[outside]), DIGITS), threshold
        made.append(
            Fold(penalty=model.penalty, threshold=threshold, learned_on=len(inside), decided=len(outside))
        )
        if progress is not None:
            progress("learned", fold + 1, folds)
    model, threshold = _picked(dev, costs, folds, penalties, seed)
    rule = Learned(
        signals=tuple(column.signal for column in columns),
        centre=model.centre,
        spread=model.spread,
        coefficients=model.coefficients,
        intercept=model.intercept,
        threshold=threshold,
    )
    place = {int(i): j for j, i in enumerate(at.tolist())}
    decisions = []
    for q in range(len(truth.questions)):
        if q not in place:
            why = next(column.why[q] for column in columns if column.why[q])
            decisions.append(Decision(decision="defer", top=None, reason=why, flagged=True))
            continue
        v, t = float(value[place[q]]), float(cut[place[q]])
        top = rankings.documents(of[-1], q, 1)
        if v >= t and top:
            decisions.append(Decision(decision="answer", top=top[0], value=v))
        else:
            why = f"learned is {v:g}, below {t:g}" if top else f"{of[-1]} found nothing"
            decisions.append(Decision(decision="defer", top=None, reason=why, value=v, flagged=not top))
    return Learning(
        rule=rule,
        decisions=Decisions("learned, out of fold", of[-1], truth.questions, tuple(decisions)),
        folds=tuple(made),
        penalty=model.penalty,
        left_out=int((~defined).sum()),
    )


def _enough(dev: _Dev, folds: int) -> None:
    clusters = len(set(dev.cluster))
    if clusters < 2 * folds:
        raise Undecidable(
            f"{clusters} clusters of questions are too few for {folds} folds within {folds} folds",
            mend=f"use at most {max(0, clusters // 2)} folds, or write more questions",
        )
    if dev.right.all() or not dev.right.any():
        raise Undecidable(
            "answering would be right everywhere, or wrong everywhere: there is nothing to learn",
            mend="learn from questions of both kinds",
        )


def _picked(
    dev: _Dev, costs: Costs, folds: int, penalties: Sequence[float], seed: int
) -> tuple[Logistic, float]:
    """The model of the best penalty on all of *dev*, and the threshold, both picked by inner folds."""
    inner = folds_by_cluster(dev.right, dev.cluster, folds=folds, seed=seed)
    best: tuple[float, float, NDArray[np.float64]] | None = None
    for penalty in sorted(penalties, reverse=True):
        value = np.zeros(len(dev.right))
        for fold in range(folds):
            inside, outside = np.flatnonzero(inner != fold), np.flatnonzero(inner == fold)
            right = dev.right[inside]
            if right.all() or not right.any():
                raise Undecidable(
                    "a fold leaves only right answers, or only wrong ones, to learn from",
                    mend="use fewer folds, or learn from more questions of both kinds",
                )
            value[outside] = logistic_fit(dev.x[inside], right.astype(float), penalty=penalty).of(
                dev.x[outside]
            )
        clipped = np.clip(value, 1e-12, 1 - 1e-12)
        loss = float(np.round(-np.where(dev.right, np.log(clipped), np.log1p(-clipped)).mean(), 9))
        if best is None or loss < best[0]:
            best = (loss, penalty, np.round(value, DIGITS))
    assert best is not None  # noqa: S101 - penalties are not empty
    _, penalty, value = best
    every = np.ones(len(value), dtype=bool)
    cut, _, _ = best_cut(value, every, (~dev.right).astype(float), dev.answerable, costs)
    model = logistic_fit(dev.x, dev.right.astype(float), penalty=penalty)
    return model, NOTHING if cut is None else cut
