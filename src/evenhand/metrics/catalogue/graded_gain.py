"""trec_eval's measures of graded gain beside nDCG: ndcg_rel, Rndcg, G and binG.

Oracle: trec_eval, in tests/oracles/test_trec_eval.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from evenhand.metrics.catalogue.metric_type import Kind, Values, rel
from evenhand.metrics.catalogue.ranked import GAINS, best_gains, no_relevant, worth_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from evenhand.metrics.measure.view import Cut, View

__all__ = ["KINDS"]

NO_GAIN = "no unit with a gain is known"


class _Ideal(NamedTuple):
    """The ideal rankings, question by question, units with a gain only."""

    question: NDArray[np.int64]
    gain: NDArray[np.float64]
    dcg: NDArray[np.float64]  # down to this place, within its question
    size: NDArray[np.int64]  # one a question
    first: NDArray[np.int64]  # one a question: where its places begin

    def at(self, question: NDArray[np.int64], rank: NDArray[np.int64]) -> NDArray[np.int64]:
        """Positions of the places *rank*, or of the last place where the ideal is shorter."""
        return self.first[question] + np.minimum(rank, self.size[question]) - 1


def _within(question: NDArray[np.int64], worth: NDArray[np.float64], n: int) -> NDArray[np.float64]:
    """Running sums that begin anew with each question; questions ascend."""
    count = np.bincount(question, minlength=n)
    total = np.concatenate([[0.0], np.cumsum(worth)])
    first = np.cumsum(count) - count
    return np.asarray(total[1:] - total[first[question]])


def _ideal(view: View, table: str) -> _Ideal:
    judged = view.judged
    question, _, place = judged.best_first
    gain = best_gains(judged, "linear", table)
    keep = gain > 0
    question, gain, place = question[keep], gain[keep], place[keep]
    count = np.bincount(question, minlength=view.n)
    dcg = _within(question, gain / np.log2(place + 1.0), view.n)
    return _Ideal(question, gain, dcg, count, np.cumsum(count) - count)


def _gained(view: View, table: str) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Question, rank and gain of the units returned that have one."""
    gain = worth_of(view.grade, "linear", table)
    keep = gain > 0
    return view.question[keep], view.rank[keep], gain[keep]


def ndcg_rel(view: View, cut: Cut, *, gains: str) -> Values:  # noqa: ARG001
    """The nDCG at the rank of each unit with a gain, averaged over all of them (trec_eval ndcg_rel).

    One that was not returned counts with the discounted gain of the whole ranking over the whole ideal.
    """
    ideal, (question, rank, gain) = _ideal(view, gains), _gained(view, gains)
    none = ideal.size == 0
    dcg = _within(question, gain / np.log2(rank + 1.0), view.n)
    total = np.bincount(question, dcg / ideal.dcg[ideal.at(question, rank)], minlength=view.n)
    whole = np.bincount(question, gain / np.log2(rank + 1.0), minlength=view.n)
    last = np.where(none, 1.0, np.append(ideal.dcg, 1.0)[np.where(none, -1, ideal.first + ideal.size - 1)])
    open_ = ideal.size - np.bincount(question, minlength=view.n)
    value = (total + open_ * whole / last) / np.maximum(ideal.size, 1)
    return Values(value, none, NO_GAIN)


def r_ndcg(view: View, cut: Cut, *, rel: float, gains: str) -> Values:  # noqa: ARG001
    """The nDCG averaged over the ranks at which the ideal's gain falls (trec_eval Rndcg).

    Where a ranking goes on for two units or more beyond the ideal, the nDCG at its end is one of them.
    """
    ideal, (question, rank, gain) = _ideal(view, gains), _gained(view, gains)
    _, none, reason = no_relevant(view, rel)
    falls = np.ones(len(ideal.gain), dtype=bool)
    falls[:-1] = (np.diff(ideal.gain) != 0) | (np.diff(ideal.question) != 0)
    edge = np.flatnonzero(falls)
    of = ideal.question[edge]
    place = edge - ideal.first[of] + 1
    longer = np.flatnonzero((view.depth > ideal.size + 1) & (ideal.size > 0))
    of, place, best = (
        np.concatenate([of, longer]),
        np.concatenate([place, view.depth[longer]]),
        np.concatenate([ideal.dcg[edge], ideal.dcg[(ideal.first + ideal.size - 1)[longer]]]),
    )
    deep = int(max(place.max(initial=0), rank.max(initial=0))) + 1
    sums = np.concatenate([[0.0], np.cumsum(gain / np.log2(rank + 1.0))])
    key = question * deep + rank
    got = sums[np.searchsorted(key, of * deep + place, side="right")] - sums[np.searchsorted(question, of)]
    points = np.bincount(of, minlength=view.n)
    value = np.bincount(of, got / best, minlength=view.n) / np.maximum(points, 1)
    return Values(value, none | (points == 0), reason)


def gain_g(view: View, cut: Cut, *, gains: str) -> Values:  # noqa: ARG001
    """Gain discounted by how much more could have been gained so far, over all gain (trec_eval G).

    A unit at rank i adds g / log2(2 + cost(i) - gained(i)): cost(i) is the sum of the ideal's gains down
    to i, each at least 1, gained(i) what was gained down to i, this unit included.
    """
    ideal, (question, rank, gain) = _ideal(view, gains), _gained(view, gains)
    none = ideal.size == 0
    cost = _within(ideal.question, np.maximum(ideal.gain, 1.0), view.n)
    spent = cost[ideal.at(question, rank)] + np.maximum(rank - ideal.size[question], 0)
    part = gain / np.log2(2.0 + np.maximum(spent - _within(question, gain, view.n), 0.0))
    every = np.bincount(ideal.question, ideal.gain, minlength=view.n)
    value = np.bincount(question, part, minlength=view.n) / np.where(none, 1.0, every)
    return Values(value, none, NO_GAIN)


def binary_g(view: View, cut: Cut, *, rel: float) -> Values:  # noqa: ARG001
    """Mean over relevant units of 1 / log2(2 + others above), 0 where not returned (trec_eval binG)."""
    known, none, reason = no_relevant(view, rel)
    hits, place = view.nth(view.grade >= rel)
    part = 1.0 / np.log2(2.0 + view.rank[hits] - place)
    return Values(np.bincount(view.question[hits], part, minlength=view.n) / known, none, reason)


KINDS = (
    Kind(
        name="nDCGRel",
        score=ndcg_rel,
        params=GAINS,
        cutoff="none",
        says="nDCG averaged over the ranks of the relevant units",
        source="trec_eval ndcg_rel (Buckley 2008)",
    ),
    Kind(
        name="RnDCG",
        score=r_ndcg,
        params={**rel(), **GAINS},
        cutoff="none",
        says="nDCG averaged over the ranks where the ideal drops a grade",
        source="trec_eval Rndcg (Buckley 2008)",
    ),
    Kind(
        name="G",
        score=gain_g,
        params=GAINS,
        cutoff="none",
        says="gain discounted by what was missed so far",
        source="trec_eval G (Buckley 2008)",
    ),
    Kind(
        name="BinG",
        score=binary_g,
        params=rel(),
        cutoff="none",
        says="relevant units discounted by the others above them",
        source="trec_eval binG (Buckley 2008)",
    ),
)
