"""Counts and sums that trec_eval prints beside its measures."""

from __future__ import annotations

import numpy as np

from evenhand.metrics.catalogue.metric_type import Kind, Param, Values, rel
from evenhand.metrics.catalogue.pooled import bpref
from evenhand.metrics.catalogue.ranked import average_precision
from evenhand.metrics.measure.view import Cut, View

__all__ = ["KINDS", "MIN_GEO"]

MIN_GEO = 1e-5  # trec_eval's MIN_GEO_MEAN


def num_q(view: View, cut: Cut) -> Values:  # noqa: ARG001
    """1 a question."""
    return Values(np.ones(view.n))


def num_ret(view: View, cut: Cut) -> Values:
    """Units returned."""
    return Values(view.taken(cut).astype(float))


def num_rel(view: View, cut: Cut, *, rel: float) -> Values:  # noqa: ARG001
    """Relevant units known."""
    return Values(view.judged.relevant(rel).astype(float))


def num_rel_ret(view: View, cut: Cut, *, rel: float) -> Values:
    """Relevant units returned."""
    return Values(view.total(view.within(cut) & (view.grade >= rel)).astype(float))


def geometric_ap(view: View, cut: Cut, *, rel: float) -> Values:
    """AP, to be averaged geometrically: the exponential of the mean of log(max(AP, 0.00001))."""
    return average_precision(view, cut, rel=rel, denom="R")


def set_f(view: View, cut: Cut, *, rel: float, beta: float) -> Values:
    """The weighted harmonic mean of set precision and recall: (beta + 1) P R / (R + beta P), as trec_eval."""
    known = view.judged.relevant(rel)
    found = view.total(view.within(cut) & (view.grade >= rel))
    precision = found / np.maximum(view.taken(cut), 1)
    recall = found / np.maximum(known, 1)
    under = recall + beta * precision
    value = (beta + 1) * precision * recall / np.where(under > 0, under, 1.0)
    return Values(value, known == 0, "no relevant unit is known")


def set_precision(view: View, cut: Cut, *, rel: float) -> Values:
    """Relevant units returned over units returned."""
    found = view.total(view.within(cut) & (view.grade >= rel))
    none = view.judged.relevant(rel) == 0
    return Values(found / np.maximum(view.taken(cut), 1), none, "no relevant unit is known")


def set_ap(view: View, cut: Cut, *, rel: float) -> Values:
    """Set precision times recall (trec_eval set_map)."""
    known = view.judged.relevant(rel)
    found = view.total(view.within(cut) & (view.grade >= rel)).astype(float)
    value = found * found / np.maximum(view.taken(cut) * known, 1)
    return Values(value, known == 0, "no relevant unit is known")


def relative_precision(view: View, cut: Cut, *, rel: float) -> Values:
    """Relevant units above the cut over what could stand there: min(k, R), without a cutoff min(n, R)."""
    known = view.judged.relevant(rel)
    found = view.total(view.within(cut) & (view.grade >= rel))
    most = np.minimum(view.taken(cut) if cut.k is None else cut.k, known)
    return Values(found / np.maximum(most, 1), known == 0, "no relevant unit is known")


def utility(view: View, cut: Cut, *, rel: float, a: float, b: float, c: float) -> Values:
    """Worth a for each relevant unit returned, b for each other one, c for each relevant one not returned."""
    known = view.judged.relevant(rel)
    found = view.total(view.within(cut) & (view.grade >= rel)).astype(float)
    return Values(a * found + b * (view.taken(cut) - found) + c * (known - found))


def num_nonrel_judged_ret(view: View, cut: Cut, *, rel: float) -> Values:
    """Units returned that are judged not relevant."""
    low = (view.grade < rel) & (view.grade >= 0)
    return Values(view.total(view.within(cut) & low).astype(float))


def geometric_bpref(view: View, cut: Cut, *, rel: float) -> Values:
    """Bpref, to be averaged geometrically."""
    return bpref(view, cut, rel=rel)


def _count(name: str, score: object, says: str, **more: object) -> Kind:
    more = {
        "total": "sum",
        "ratio": False,
        "budget": False,
        "condensed": False,
        "source": "trec_eval",
        **more,
    }
    return Kind(name=name, score=score, says=says, **more)  # type: ignore[arg-type]


KINDS = (
    _count("NumQ", num_q, "questions", cutoff="none"),
    _count("NumRet", num_ret, "units returned"),
    _count("NumRel", num_rel, "relevant units known", cutoff="none", params=rel()),
    _count("NumRelRet", num_rel_ret, "relevant units returned", params=rel()),
    _count("GMAP", geometric_ap, "geometric mean of AP", params=rel(), total="geometric", ratio=True),
    _count(
        "SetP",
        set_precision,
        "precision of all units returned",
        params=rel(),
        total="mean",
        ratio=True,
        condensed=True,
    ),
    _count(
        "GMBpref", geometric_bpref, "geometric mean of bpref", params=rel(), total="geometric", ratio=True
    ),
    _count("NumNonrelJudgedRet", num_nonrel_judged_ret, "units returned judged not relevant", params=rel()),
    _count(
        "SetAP", set_ap, "set precision times recall", params=rel(), total="mean", ratio=True, condensed=True
    ),
    _count(
        "RelativeP",
        relative_precision,
        "precision over what it could be",
        params=rel(),
        total="mean",
        ratio=True,
        condensed=True,
    ),
    _count(
        "Utility",
        utility,
        "a linear worth of what was returned and what was not",
        params={"rel": Param(1), "a": Param(1), "b": Param(-1), "c": Param(0)},
        total="mean",
    ),
    _count(
        "SetF",
        set_f,
        "harmonic mean of precision and recall of all units returned",
        params={"rel": Param(1), "beta": Param(1, low=0, open=True)},
        total="mean",
        ratio=True,
        condensed=True,
    ),
)
