"""Compat: how alike a ranking is to the ideal one, by rank-biased overlap."""

from __future__ import annotations

import numpy as np

from evenhand.metrics.catalogue.metric_type import Kind, Param, Values
from evenhand.metrics.measure.view import Cut, View

__all__ = ["KINDS"]


def compatibility(view: View, cut: Cut, *, p: float, normalize: bool) -> Values:  # noqa: ARG001
    """Rank-biased overlap with the best ideal ranking (Clarke, Vtyurina and Smucker 2021).

    The ideal orders all units of positive grade by grade, and equal ones as the ranking has them. RBO =
    sum p^(i-1) |shared down to i| / i over sum p^(i-1), for i down to the longer of the two; divided by
    the overlap of the ideal with itself unless ``normalize=false``.
    """
    judged = view.judged
    known = judged.grade > 0
    position = np.full(len(judged.grade), np.iinfo(np.int64).max)  # rank of each judged row, if it has one
    position[view.row] = view.rank
    rows = np.flatnonzero(known)
    question = judged.question[rows]
    order = np.lexsort((rows, position[rows], -judged.grade[rows], question))
    rows, question = rows[order], question[order]
    count = np.bincount(question, minlength=view.n)
    place = np.arange(1, len(rows) + 1) - (np.cumsum(count) - count)[question]

    depth = np.maximum(view.depth, count)
    deep = int(depth.max(initial=0))
    rank = np.arange(1.0, deep + 1.0)
    weight = p ** (rank - 1.0)
    norm = np.concatenate([[0.0], np.cumsum(weight)])
    share = np.concatenate([[0.0], np.cumsum(weight / rank)])  # what a unit shared from the top adds
    last = share[depth[question]]
    meets = np.minimum(np.maximum(position[rows], place), deep + 1)
    inside = meets <= depth[question]
    part = np.where(inside, last - share[np.minimum(meets, deep + 1) - 1], 0.0)
    score = np.bincount(question, part, minlength=view.n)
    best = np.bincount(question, last - share[place - 1], minlength=view.n) if normalize else norm[depth]
    none = count == 0
    return Values(score / np.where(none | (best <= 0), 1.0, best), none, "no unit of positive grade is known")


KINDS = (
    Kind(
        name="Compat",
        score=compatibility,
        params={"p": Param(0.95, low=0, high=1, open=True), "normalize": Param(default=True)},
        cutoff="none",
        says="how alike the ranking is to the best possible one",
        source="Clarke, Vtyurina and Smucker 2021, as ir_measures",
    ),
)
