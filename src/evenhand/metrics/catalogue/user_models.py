"""Metrics from a model of the reader: RBP and ERR."""

from __future__ import annotations

import numpy as np

from evenhand.metrics.catalogue.metric_type import Kind, Param, Values
from evenhand.metrics.catalogue.ranked import no_relevant
from evenhand.metrics.measure.view import Cut, View

__all__ = ["KINDS"]


SURE = -50.0  # the logarithm of a chance that is as good as none: nobody goes on


def rbp(view: View, cut: Cut, *, p: float, rel: float) -> Values:
    """A reader who goes on to the next unit with probability *p* (Moffat and Zobel 2008).

    (1 - p) times the sum of p^(i - 1) over relevant ranks i. Never reaches 1: see RBPResidual.
    """
    _, none, reason = no_relevant(view, rel)
    good = view.within(cut) & (view.grade >= rel)
    return Values(view.total(good, (1.0 - p) * p ** (view.rank - 1.0)), none, reason)


def rbp_residual(view: View, cut: Cut, *, p: float, rel: float) -> Values:
    """How much RBP could still grow: the weight of unjudged ranks and of the tail p^n."""
    _, none, reason = no_relevant(view, rel)
    weight = view.total(view.within(cut), (1.0 - p) * p ** (view.rank - 1.0))
    # what is not judged is everything else: the ranks sum to 1 - p^n, and the tail is p^n
    return Values(np.clip(1.0 - weight, 0.0, 1.0), none, reason)


def err(view: View, cut: Cut, *, max_grade: float) -> Values:
    """1/rank at which a reader is satisfied, in expectation (Chapelle et al. 2009).

    A unit of grade g satisfies with probability (2^g - 1) / 2^max_grade; ``max_grade`` belongs to the
    scale, not to the question (gdeval fixes 4, the default). A grade above it counts as it.
    """
    _, none, reason = no_relevant(view, 1)
    inside = view.within(cut) & (view.grade > 0)
    hits, _ = view.nth(inside)
    stop = np.exp2(np.minimum(view.grade[hits], max_grade) - max_grade) - np.exp2(-float(max_grade))
    # the chance to come as far as a hit: the product of 1 - stop over the hits above it, in logarithms
    with np.errstate(divide="ignore"):
        passing = np.maximum(np.log1p(-stop), SURE)
    logs = np.concatenate([[0.0], np.cumsum(passing)])
    first = np.searchsorted(view.question[hits], view.question[hits])
    reach = np.exp(logs[:-1] - logs[first])
    value = np.bincount(view.question[hits], reach * stop / view.rank[hits], minlength=view.n)
    return Values(value.astype(float), none, reason)


_P = {"p": Param(0.8, low=0, high=1, open=True), "rel": Param(1)}
KINDS = (
    Kind(
        name="RBP",
        score=rbp,
        params=_P,
        says="relevance seen per unit read, by a reader of patience p",
        source="Moffat and Zobel 2008",
    ),
    Kind(
        name="RBPResidual",
        condensed=False,
        score=rbp_residual,
        params=_P,
        says="how much RBP could grow if everything unjudged were relevant",
        source="Moffat and Zobel 2008",
    ),
    Kind(
        name="ERR",
        score=err,
        params={"max_grade": Param(4, low=1)},
        says="how soon a reader who stops when satisfied stops",
        source="Chapelle et al. 2009; max_grade=4 as gdeval",
    ),
)
