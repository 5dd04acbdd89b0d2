"""A metric's expected value over all orders of equal scores: no order that the system did not choose.

Exact closed forms (McSherry and Najork 2008). A group of n units of equal score on the ranks low..high
holds r relevant ones in random order; groups do not touch each other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from evenhand.errors import InputError
from evenhand.metrics.catalogue.metric_type import Values
from evenhand.metrics.catalogue.names import kind
from evenhand.metrics.catalogue.ranked import ideal_dcg, no_relevant, shifts, worth_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from evenhand.metrics.catalogue.metric_type import Metric
    from evenhand.metrics.measure.view import Cut, View

__all__ = ["EXPECTED", "expected"]

# not moved by the order of ties
UNMOVED = ("NumQ", "NumRet", "NumRel", "NumRelRet", "NumNonrelJudgedRet", "SetP", "SetAP", "SetF", "Utility")


class _Groups(NamedTuple):
    """Groups of equal score that hold a chosen unit, by question and rank."""

    question: NDArray[np.int64]
    low: NDArray[np.int64]
    high: NDArray[np.int64]
    held: NDArray[np.int64]  # chosen units in the group
    before: NDArray[np.int64]  # chosen units in the groups above it

    @property
    def size(self) -> NDArray[np.int64]:
        return self.high - self.low + 1

    def above(self, cut: Cut, depth: NDArray[np.int64]) -> NDArray[np.int64]:
        """How many of each group's ranks stand above the cut."""
        last = depth if cut.k is None else np.minimum(depth, cut.k)
        return np.clip(last[self.question] - self.low + 1, 0, self.size)


def _groups(view: View, chosen: NDArray[np.bool_]) -> _Groups:
    question, low, high = view.question[chosen], view.low[chosen], view.high[chosen]
    new = np.ones(len(low), dtype=bool)
    new[1:] = (np.diff(question) != 0) | (np.diff(low) != 0)
    begin = np.flatnonzero(new)
    count = np.diff(np.append(begin, len(low)))
    of = question[begin]
    total = np.concatenate([[0], np.cumsum(count)])[:-1]
    before = total - total[np.searchsorted(of, of)] if len(of) else total
    return _Groups(of, low[begin], high[begin], count, before)


def _linear(
    view: View,
    cut: Cut,
    worth: NDArray[np.float64],
    weight: Callable[[NDArray[np.float64]], NDArray[np.float64]],
) -> NDArray[np.float64]:
    """Sum of worth times the mean weight of the ranks that a unit may take; ranks below the cut weigh 0."""
    deep = int(min(view.high.max(initial=0), cut.k or view.high.max(initial=0)))
    total = np.concatenate([[0.0], np.cumsum(weight(np.arange(1.0, deep + 1.0)))])
    mean = (total[np.minimum(view.high, deep)] - total[np.minimum(view.low - 1, deep)]) / (
        view.high - view.low + 1
    )
    return np.bincount(view.question, worth * mean, minlength=view.n).astype(float)


def _good(view: View, rel: float) -> NDArray[np.float64]:
    return (view.grade >= rel).astype(float)


def _ndcg(view: View, cut: Cut, *, gain: str, gains: str) -> Values:
    ideal = ideal_dcg(view.judged, cut.k, gain, gains)
    none = ideal <= 0
    worth = worth_of(view.grade, gain, gains, shift=shifts(view.judged)[view.question])
    found = _linear(view, cut, worth, lambda rank: 1.0 / np.log2(rank + 1.0))
    return Values(np.minimum(found / np.where(none, 1.0, ideal), 1.0), none, "no relevant unit is known")


def _precision(view: View, cut: Cut, *, rel: float) -> Values:
    _, none, reason = no_relevant(view, rel)
    return Values(_linear(view, cut, _good(view, rel), np.ones_like) / (cut.k or 1), none, reason)


def _recall(view: View, cut: Cut, *, rel: float) -> Values:
    known, none, reason = no_relevant(view, rel)
    return Values(_linear(view, cut, _good(view, rel), np.ones_like) / known, none, reason)


def _rbp(view: View, cut: Cut, *, p: float, rel: float) -> Values:
    _, none, reason = no_relevant(view, rel)
    found = _linear(view, cut, _good(view, rel), lambda rank: (1.0 - p) * p ** (rank - 1.0))
    return Values(found, none, reason)


def _judged(view: View, cut: Cut, *, denom: str) -> Values:
    size = np.maximum(view.taken(cut), 1) if denom == "retrieved" or cut.k is None else cut.k
    return Values(_linear(view, cut, np.ones(len(view.row)), np.ones_like) / size)


def _success(view: View, cut: Cut, *, rel: float) -> Values:
    _, none, reason = no_relevant(view, rel)
    return Values(1.0 - _missed(view, cut, rel)[0], none, reason)


def _missed(view: View, cut: Cut, rel: float) -> tuple[NDArray[np.float64], _Groups, NDArray[np.int64]]:
    """Per question the chance that no relevant unit stands above the cut; the first group of each."""
    groups = _groups(view, view.grade >= rel)
    first = np.ones(len(groups.question), dtype=bool)
    first[1:] = np.diff(groups.question) != 0
    groups = _Groups(*(column[first] for column in groups))
    shown = groups.above(cut, view.depth)
    chance = np.ones(view.n)
    # none of r relevant among the first m of n: C(n - r, m) / C(n, m), a product of r factors
    n, r = groups.size, groups.held
    missed = np.ones(len(n))
    for j in range(int(r.max(initial=0))):
        some = np.flatnonzero(r > j)
        missed[some] *= np.maximum(n[some] - shown[some] - j, 0) / (n[some] - j)
    chance[groups.question] = missed
    return chance, groups, shown


def _rr(view: View, cut: Cut, *, rel: float) -> Values:
    _, none, reason = no_relevant(view, rel)
    _, groups, shown = _missed(view, cut, rel)
    value = np.zeros(view.n)
    value[groups.question] = np.where(shown > 0, 1.0 / groups.low, 0.0)
    size = groups.size
    for i in np.flatnonzero((size > 1) & (shown > 0)):
        n, r = int(size[i]), int(groups.held[i])
        j = np.arange(1, n - r + 1)
        # the first of r relevant ones among n stands at place j with chance C(n - j, r - 1) / C(n, r)
        chance = np.concatenate([[r / n], r / n * np.cumprod((n - j - r + 1) / (n - j))])[: int(shown[i])]
        value[groups.question[i]] = float(np.sum(chance / (groups.low[i] + np.arange(len(chance)))))
    return Values(value, none, reason)


def _ap(view: View, cut: Cut, *, rel: float, denom: str) -> Values:
    known, none, reason = no_relevant(view, rel)
    groups = _groups(view, view.grade >= rel)
    shown = groups.above(cut, view.depth)
    deep = int(view.high.max(initial=0))
    harmonic = np.concatenate([[0.0], np.cumsum(1.0 / np.arange(1.0, deep + 1.0))])
    n, r = groups.size, groups.held
    # at place j of the group, on rank low - 1 + j: relevant with chance r/n, and then with before + 1 +
    # (j - 1)(r - 1)/(n - 1) relevant ones down to it; summed over the places above the cut
    inverse = harmonic[groups.low - 1 + shown] - harmonic[groups.low - 1]
    mates = (r - 1.0) / np.maximum(n - 1, 1)
    part = r / n * ((groups.before + 1.0) * inverse + mates * (shown - groups.low * inverse))
    total = np.bincount(groups.question, part, minlength=view.n)
    if denom == "min" and cut.k is not None:
        known = np.minimum(known, cut.k)
    elif denom == "retrieved":
        if cut.k is not None and np.any((shown > 0) & (shown < n)):
            raise InputError(
                "AP(denom=retrieved)@k divides by a number that itself depends on the order of ties",
                mend="leave the cutoff out, use denom=R or denom=min, or ties='trec'",
            )
        inside = np.bincount(groups.question, np.where(shown > 0, r, 0), minlength=view.n)
        known = np.maximum(inside, 1.0)
    return Values(total / known, none, reason)


EXPECTED: dict[str, Callable[..., Values]] = {
    "nDCG": _ndcg,
    "RR": _rr,
    "P": _precision,
    "R": _recall,
    "Success": _success,
    "AP": _ap,
    "RBP": _rbp,
    "Judged": _judged,
}


def expected(view: View, metric: Metric, cut: Cut) -> Values:
    """The mean of *metric* over all orders of equal scores; `Values` as its own function gives them.

    Raises InputError for a metric without a closed form here, and for token budgets, where the order
    decides which units fit.
    """
    entry = kind(metric)
    if metric.budget is None and metric.name in EXPECTED:
        return EXPECTED[metric.name](view, cut, **entry.full(metric))
    if metric.budget is None and metric.cutoff is None and metric.name in UNMOVED:
        return entry.score(view, cut, **entry.full(metric))
    raise InputError(
        f"the expected value of {metric} over the orders of ties has no closed form here",
        mend=f"with ties='expected' ask for {', '.join(EXPECTED)}; ties='trec' takes every metric",
    )
