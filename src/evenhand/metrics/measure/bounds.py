"""What unjudged units could change: the value if all of those shown were relevant, and if none were."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from evenhand.metrics.catalogue.metric_type import judged_only
from evenhand.metrics.catalogue.names import kind
from evenhand.metrics.measure.view import Judged
from evenhand.model.run import Qrels

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from evenhand.metrics.catalogue.metric_type import Metric
    from evenhand.metrics.measure.view import Cut, View

__all__ = ["bounds"]


def bounds(view: View, metric: Metric, cut: Cut, defined: NDArray[np.bool_]) -> dict[str, Any] | None:
    """How far the unjudged units above the cut can move *metric*; None where there are none, or it is blind.

    ``units``: how many are unjudged; ``none``: the mean over the questions under *defined* when none of
    them is relevant (the value itself); ``all``: when each has the highest grade of the qrels, for
    itself and for the ideal. What is unjudged below the cut stays not relevant.
    """
    entry = kind(metric)
    options = entry.full(metric)
    if entry.needs != "grades" or not entry.condensed or entry.total != "mean" or judged_only(metric):
        return None
    if not defined.any():
        return None
    judged = view.judged
    best = max(float(judged.grade.max(initial=1.0)), float(options.get("rel", 1.0)), 1.0)
    wide, count = _filled(view, cut, best)
    if not count:
        return None
    value = {
        "none": entry.score(view, cut, **options).value,
        "all": entry.score(wide, cut, **options).value,
    }
    return {"units": count, **{name: float(of[defined].mean()) for name, of in value.items()}}


def _filled(view: View, cut: Cut, grade: float) -> tuple[View, int]:
    """The view in which each unjudged unit above the cut has *grade*; and how many there are."""
    judged, taken = view.judged, view.taken(cut)
    first = np.concatenate([[0], np.cumsum(taken)])
    open_ = np.ones(int(first[-1]), dtype=bool)
    inside = view.within(cut)
    open_[first[view.question[inside]] + view.rank[inside] - 1] = False
    place = np.flatnonzero(open_)
    question = np.searchsorted(first, place, side="right") - 1
    rank = place - first[question] + 1

    # each becomes a unit of its own, behind all units of the table
    old = judged.qrels
    unit = np.concatenate([old.unit, judged.width + rank - 1]).astype(np.int64)
    owner = np.concatenate([judged.question, question])
    order = np.lexsort((unit, owner))
    row = np.empty(len(order), dtype=np.int64)
    row[order] = np.arange(len(order))
    size = np.bincount(owner, minlength=view.n)
    qrels = Qrels(
        questions=old.questions,
        offsets=np.concatenate([[0], np.cumsum(size)]).astype(np.int64),
        unit=unit[order].astype(np.int32),
        grade=np.concatenate([judged.grade, np.full(len(place), grade)])[order],
        table=[""] * (judged.width + int(rank.max(initial=0))),  # only its length matters here
    )
    whose, at = np.concatenate([view.question, question]), np.concatenate([view.rank, rank])
    rows = np.concatenate([row[view.row], row[len(old.unit) :]])
    hits = np.lexsort((at, whose))
    filled = replace(
        view,
        judged=Judged(qrels),
        question=whose[hits],
        rank=at[hits],
        row=rows[hits],
        low=at[hits],
        high=at[hits],
        tops=None,
    )
    return filled, len(place)
