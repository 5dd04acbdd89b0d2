"""Metrics that know judged from unjudged: Judged, bpref, infAP.

Oracle: trec_eval, in tests/oracles/test_trec_eval.py; Judged: ir_measures (by the golden values).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from evenhand.metrics.catalogue.metric_type import Kind, Param, Values, rel
from evenhand.metrics.catalogue.ranked import no_relevant
from evenhand.metrics.measure.view import Cut, View

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["KINDS"]

EPSILON = 1e-5  # trec_eval's INFAP_EPSILON: keeps 0/0 from arising before the first judged unit


def judged(view: View, cut: Cut, *, denom: str) -> Values:
    """Share of the units above the cut that have a grade.

    Divided by k even if fewer were returned; ``denom=retrieved`` by the units returned, as ir_measures
    does. Without a cutoff, or under a token budget, by the units taken; where there are none it is 0.
    """
    size = np.maximum(view.taken(cut), 1) if denom == "retrieved" or cut.k is None else cut.k
    return Values(view.total(view.within(cut)) / size)


def bpref(view: View, cut: Cut, *, rel: float) -> Values:  # noqa: ARG001
    """How rarely a judged non-relevant unit stands above a relevant one (Buckley and Voorhees 2004).

    1/R times the sum over relevant units retrieved of 1 - min(n, R) / min(R, N), n the judged
    non-relevant units above it, N all of them; the form of trec_eval, where a negative grade is no
    judgement of non-relevance.
    """
    known, none, reason = no_relevant(view, rel)
    low = (view.grade < rel) & (view.grade >= 0)
    good = view.grade >= rel
    above = _above(view, low)[good]
    question = view.question[good]
    worst = np.minimum(known, view.judged.nonrelevant(rel))[question]
    part = 1.0 - np.minimum(above, known[question]) / np.maximum(worst, 1)
    return Values(np.bincount(question, part, minlength=view.n) / known, none, reason)


def inferred_ap(view: View, cut: Cut, *, rel: float) -> Values:  # noqa: ARG001
    """Average precision inferred from a sampled pool (Yilmaz and Aslam 2006), the form of trec_eval.

    A grade of -1 means pooled but not judged; units that are not in the qrels are outside the pool.
    """
    known, none, reason = no_relevant(view, rel)
    good = view.grade >= rel
    low = (view.grade < rel) & (view.grade >= 0)
    relevant, nonrelevant = _above(view, good)[good], _above(view, low)[good]
    unjudged = _above(view, view.grade < 0)[good]
    rank, question = view.rank[good].astype(float), view.question[good]
    before = np.maximum(rank - 1.0, 1.0)
    share = (relevant + nonrelevant + unjudged) / before
    precision = (relevant + EPSILON) / (relevant + nonrelevant + 2 * EPSILON)
    part = np.where(rank == 1, 1.0, 1.0 / rank + (rank - 1.0) / rank * share * precision)
    return Values(np.bincount(question, part, minlength=view.n) / known, none, reason)


def _above(view: View, where: NDArray[np.bool_]) -> NDArray[np.int64]:
    """int64[h]: how many hits that satisfy *where* stand above each hit in its ranking."""
    total: NDArray[np.int64] = np.concatenate([[0], np.cumsum(where)])
    first = np.searchsorted(view.question, view.question)
    return total[:-1] - total[first]


KINDS = (
    Kind(
        name="Judged",
        score=judged,
        params={"denom": Param("k", ("k", "retrieved"))},
        condensed=False,
        says="share of the units shown that have a label at all",
        source="ir_measures (denom=retrieved); over k, a short ranking is not excused (denom=k)",
    ),
    Kind(
        name="Bpref",
        condensed=False,
        score=bpref,
        params=rel(),
        cutoff="none",
        says="whether relevant units stand above judged non-relevant ones; blind to the unjudged",
        source="Buckley and Voorhees 2004, as trec_eval",
    ),
    Kind(
        name="InfAP",
        condensed=False,
        score=inferred_ap,
        params=rel(),
        cutoff="none",
        says="average precision estimated from a sampled pool",
        source="Yilmaz and Aslam 2006, as trec_eval",
    ),
)
