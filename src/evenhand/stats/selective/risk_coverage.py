"""Answering only when confident: risk against coverage, and how well a signal separates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from evenhand.errors import InputError
from evenhand.model.result import Interval
from evenhand.stats.argument_checks import TIE, column
from evenhand.stats.intervals.proportion import clopper_pearson, wilson
from evenhand.stats.intervals.ranking import roc_auc

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = [
    "AtRisk",
    "Decisions",
    "Point",
    "Rate",
    "RiskCoverage",
    "Separability",
    "areas",
    "coverage_at_risk",
    "decisions",
    "risk_coverage",
    "separability",
]


@dataclass(frozen=True, slots=True)
class Point:
    """One attainable rule: answer when confidence >= threshold."""

    threshold: float
    coverage: float
    risk: float


def sorted_losses(
    confidence: ArrayLike, losses: ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    """Confidence and losses, the most confident first, and the places they came from."""
    c, x = column(confidence, "confidence"), column(losses, "losses")
    if c.shape != x.shape or (x < 0).any() or (x > 1).any():
        raise InputError(
            "confidence and losses do not fit", mend="give one confidence and one loss in 0..1 a question"
        )
    order = np.argsort(-c, kind="stable")
    return c[order], x[order], order


def _ends(confidence: NDArray[np.float64]) -> NDArray[np.int64]:
    """Position of the last item of each group of equal confidence."""
    return np.append(np.flatnonzero(np.diff(confidence)), len(confidence) - 1).astype(np.int64)


def risk_coverage(confidence: ArrayLike, losses: ArrayLike) -> list[Point]:
    """Coverage and selective risk (mean loss among answered) at each distinct threshold, strictest first.

    Points exist only where a threshold can cut: items of equal confidence are answered together.
    Source: El-Yaniv & Wiener 2010.
    """
    c, x, _ = sorted_losses(confidence, losses)
    if not len(c):
        return []
    ends, total = _ends(c), np.cumsum(x)
    return [Point(float(c[i]), (i + 1) / len(c), float(total[i] / (i + 1))) for i in ends.tolist()]


@dataclass(frozen=True, slots=True, kw_only=True)
class RiskCoverage:
    """Areas under risk against coverage; all None without questions."""

    aurc: float | None
    oracle: float | None  # the same with losses perfectly ordered
    e_aurc: float | None  # aurc - oracle
    augrc: float | None
    risk: float | None  # at full coverage


def areas(confidence: ArrayLike, losses: ArrayLike) -> RiskCoverage:
    """AURC = (1/n) sum_k r_k, its excess over the oracle, and AUGRC.

    r_k is the mean loss of the k most confident; inside a group of ties it is the expectation over random
    order. AUGRC is the area of (coverage, summed loss / n) by trapezoids from (0, 0).

    Source: Geifman, Uziel & El-Yaniv 2019; Traub et al. 2024. torch-uncertainty divides and breaks ties
    otherwise and gives other numbers.
    """
    c, x, _ = sorted_losses(confidence, losses)
    n = len(c)
    if n == 0:
        return RiskCoverage(aurc=None, oracle=None, e_aurc=None, augrc=None, risk=None)
    ends = _ends(c)
    sizes = np.diff(ends, prepend=-1)
    total = np.cumsum(x)[ends]
    # spread the loss of each group of ties evenly over it: the expected running sum
    even = np.repeat(np.diff(total, prepend=0.0) / sizes, sizes)
    k = np.arange(1, n + 1)
    running = np.cumsum(even)
    aurc = float((running / k).mean())
    oracle = float((np.cumsum(np.sort(x)) / k).mean())
    augrc = float(((running - even / 2) / n).sum() / n)
    return RiskCoverage(
        aurc=aurc, oracle=oracle, e_aurc=aurc - oracle, augrc=augrc, risk=float(total[-1] / n)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class AtRisk:
    """The most that can be answered at a risk; coverage 0 and no threshold when nothing can."""

    coverage: float
    threshold: float | None
    risk: float | None


def coverage_at_risk(confidence: ArrayLike, losses: ArrayLike, target: float) -> AtRisk:
    """The largest attainable coverage whose selective risk on these items is at most *target*.

    The curve is not monotone, so all its points are looked at. Says nothing about new items: in simulated
    studies the true risk at the threshold was above *target* about every other time, at any n. See
    `evenhand.stats.selective.guarantee`. Source: Geifman & El-Yaniv 2017.
    """
    fits = [point for point in risk_coverage(confidence, losses) if point.risk <= target + TIE]
    if not fits:
        return AtRisk(coverage=0.0, threshold=None, risk=None)
    return AtRisk(coverage=fits[-1].coverage, threshold=fits[-1].threshold, risk=fits[-1].risk)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """A share with both intervals."""

    k: int
    n: int
    rate: float | None
    wilson: Interval
    clopper_pearson: Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class Decisions:
    """What a gate did on questions that should be answered and on those that should not."""

    answered_precision: Rate  # correct / answered
    answerable_coverage: Rate  # correct / answerable
    false_answer_rate: Rate  # answered / should defer
    accuracy: Rate  # (correct answered + correctly deferred) / all


def decisions(
    *,
    answered_correct: int,
    answered_wrong: int,
    answered_should_defer: int,
    deferred_answerable: int,
    deferred_correct: int,
    level: float = 0.95,
) -> Decisions:
    """The four rates of an answer-or-defer gate with Wilson and Clopper-Pearson intervals.

    *answered_wrong* and *deferred_answerable* are answerable questions; *answered_should_defer* and
    *deferred_correct* are those that should be deferred. A rate of nothing is undefined.

    Source: the definitions.
    """
    answered = answered_correct + answered_wrong + answered_should_defer
    answerable = answered_correct + answered_wrong + deferred_answerable
    unanswerable = answered_should_defer + deferred_correct

    def rate(k: int, n: int) -> Rate:
        return Rate(
            k=k,
            n=n,
            rate=k / n if n else None,
            wilson=wilson(k, n, level=level),
            clopper_pearson=clopper_pearson(k, n, level=level),
        )

    return Decisions(
        answered_precision=rate(answered_correct, answered),
        answerable_coverage=rate(answered_correct, answerable),
        false_answer_rate=rate(answered_should_defer, unanswerable),
        accuracy=rate(answered_correct + deferred_correct, answerable + unanswerable),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Separability:
    """How far a signal tells two groups apart."""

    auc: float
    ks: float
    cliffs_delta: float
    overlap: float


def separability(positive: ArrayLike, negative: ArrayLike, edges: ArrayLike) -> Separability | None:
    """AUC, Kolmogorov-Smirnov distance, Cliff's delta (2 AUC - 1) and overlap of two groups of scores.

    Overlap is the sum over bins between *edges* of the smaller share; the edges must cover all scores.
    None when a group is empty. Source: Cliff 1993; KS agrees with ``scipy.stats.ks_2samp``.
    """
    p, q, bins = column(positive, "positive"), column(negative, "negative"), column(edges, "edges")
    if not len(p) or not len(q):
        return None
    both = np.concatenate([p, q])
    if len(bins) < 2 or (np.diff(bins) <= 0).any() or both.min() < bins[0] or both.max() > bins[-1]:
        raise InputError("the bin edges do not cover the scores", mend="give rising edges around all scores")
    auc = roc_auc(both, np.repeat([1.0, 0.0], [len(p), len(q)])) or 0.0
    upto = [np.searchsorted(np.sort(x), both, side="right") / len(x) for x in (p, q)]
    shares = [np.histogram(x, bins)[0] / len(x) for x in (p, q)]
    return Separability(
        auc=auc,
        ks=float(np.abs(upto[0] - upto[1]).max()),
        cliffs_delta=2 * auc - 1,
        overlap=float(np.minimum(*shares).sum()),
    )
