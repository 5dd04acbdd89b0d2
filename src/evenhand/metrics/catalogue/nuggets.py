"""Metrics of facts: which nuggets the units above the cut cover.

Qrels made by `align` say which unit covers which nugget; a subtopic qrels file says it too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from evenhand.metrics.catalogue.metric_type import Kind, Param, Values

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from evenhand.metrics.measure.view import Cut, View

__all__ = ["KINDS"]

NO_VITAL = "the question has no vital nugget"
NO_NUGGET = "the question has no nugget"


def _found(view: View, cut: Cut) -> NDArray[np.bool_]:
    """bool, one a nugget: is it covered by a unit above the cut?"""
    qrels = view.judged.qrels
    shown = np.zeros(len(qrels.unit), dtype=bool)
    shown[view.row[view.within(cut)]] = True
    row, nugget = qrels.covers[:, 0], qrels.covers[:, 1]
    at = qrels.nugget_offsets[view.judged.question[row]] + nugget
    found = np.zeros(len(qrels.vital), dtype=bool)
    found[at[shown[row]]] = True
    return found


def _share(
    view: View, chosen: NDArray[np.bool_], found: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    offsets = view.judged.qrels.nugget_offsets
    question = np.repeat(np.arange(view.n), np.diff(offsets))
    known = np.bincount(question[chosen], minlength=view.n)
    hit = np.bincount(question[chosen & found], minlength=view.n)
    return hit / np.maximum(known, 1), known == 0


def nugget_recall(view: View, cut: Cut) -> Values:
    """Share of the vital nuggets that some unit above the cut covers."""
    value, none = _share(view, view.judged.qrels.vital, _found(view, cut))
    return Values(value, none, NO_VITAL)


def nugget_coverage(view: View, cut: Cut) -> Values:
    """Share of all nuggets, vital or not, that some unit above the cut covers.

    Subtopic recall of Zhai et al. 2003 (ir_measures StRecall, FreshStack coverage@k). Nuggets that no
    unit holds count in the denominator.
    """
    found = _found(view, cut)
    value, none = _share(view, np.ones(len(found), dtype=bool), found)
    return Values(value, none, NO_NUGGET)


def all_vital(view: View, cut: Cut) -> Values:
    """1 when every vital nugget is covered by the units above the cut, else 0."""
    value, none = _share(view, view.judged.qrels.vital, _found(view, cut))
    return Values((value >= 1.0).astype(float), none, NO_VITAL)


def alpha_ndcg(view: View, cut: Cut, *, alpha: float) -> Values:
    """The nDCG whose gain for a nugget fades by 1 - alpha each time it is shown (Clarke et al. 2008).

    The ideal is greedy, of equally good units the last by id, as in ndeval; log2 discount. Agrees with
    ir_measures and pyndeval.
    """
    from evenhand.metrics.catalogue.reference import greedy_dcg

    qrels = view.judged.qrels
    of_row: list[list[int]] = [[] for _ in range(len(qrels.unit))]
    for row, nugget in qrels.covers.tolist():
        of_row[row].append(nugget)
    value, none = np.zeros(view.n), np.diff(qrels.nugget_offsets) == 0
    edge = np.searchsorted(view.question, np.arange(view.n + 1))
    inside = view.within(cut)
    for q in range(view.n):  # the greedy ideal has no form in columns
        # of equally good units ndeval takes the one whose id sorts last
        rows = range(int(qrels.offsets[q + 1]) - 1, int(qrels.offsets[q]) - 1, -1)
        best, seen, total = greedy_dcg([of_row[r] for r in rows], cut.k, alpha), dict[int, int](), 0.0
        for h in range(int(edge[q]), int(edge[q + 1])):
            if inside[h]:
                for nugget in of_row[view.row[h]]:
                    times = seen.get(nugget, 0)
                    total += (1.0 - alpha) ** times / np.log2(view.rank[h] + 1.0)
                    seen[nugget] = times + 1
        value[q] = total / best if best else 0.0
    return Values(value, none, NO_NUGGET)


_SOURCE = "Zhai et al. 2003"
KINDS = (
    Kind(
        name="NuggetRecall",
        score=nugget_recall,
        says="share of the facts an answer needs that were shown",
        source=_SOURCE,
        needs="nuggets",
    ),
    Kind(
        name="NuggetCoverage",
        score=nugget_coverage,
        says="share of all facts, needed or not, that were shown",
        source=_SOURCE,
        needs="nuggets",
    ),
    Kind(
        name="AllVital",
        score=all_vital,
        says="whether every fact an answer needs was shown",
        source="all-or-nothing form of nugget recall",
        proportion=True,
        needs="nuggets",
    ),
    Kind(
        name="alphaNDCG",
        score=alpha_ndcg,
        params={"alpha": Param(0.5, low=0, high=1)},
        says="graded order in which a repeated fact gains less",
        source="Clarke et al. 2008",
        needs="nuggets",
        budget=False,
    ),
)
