"""Metrics of a ranking against grades: nDCG, RR, AP, recall, precision, success.

All are vectorised over the questions. Oracle: trec_eval, in tests/oracles/test_trec_eval.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from evenhand.metrics.catalogue.metric_type import Kind, Param, Values, gain_table, rel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from evenhand.metrics.measure.view import Cut, Judged, View

__all__ = ["GAINS", "KINDS", "best_gains", "ideal_dcg", "no_relevant", "shifts", "worth_of"]


HUGE = 500.0  # grades of which a power of two is taken relative to the best of its question


def worth_of(
    grade: NDArray[np.float64],
    gain: str = "linear",
    table: str = "",
    *,
    shift: NDArray[np.float64] | float = 0.0,
) -> NDArray[np.float64]:
    """A grade's worth: itself (linear) or 2^g - 1 (exp), nothing where negative; or as *table* says.

    *shift*: exponential gains are divided by 2^shift, for a ratio of which both terms are (see `shifts`).
    """
    worth = np.maximum(grade, 0.0)
    if gain == "exp":
        worth = np.exp2(worth - shift) - np.exp2(-np.asarray(shift))
    for level, value in gain_table(table).items():
        worth = np.where(grade == level, value, worth)
    return worth


def shifts(judged: Judged) -> NDArray[np.float64]:
    """float64[q]: what exponents are lowered by where 2^g could not be summed up: the best grade; else 0."""
    top = np.zeros(judged.n)
    np.maximum.at(top, judged.question, judged.grade)
    return np.where(top > HUGE, top, 0.0)


def best_gains(judged: Judged, gain: str, table: str) -> NDArray[np.float64]:
    """float64[j]: gains in the order of the ideal ranking, question by question (places as `best_first`)."""
    if not table:
        return worth_of(judged.best_first[1], gain, shift=shifts(judged)[judged.best_first[0]])
    worth = worth_of(judged.grade, gain, table)
    return worth[np.lexsort((-worth, judged.question))]


def ideal_dcg(judged: Judged, k: int | None, gain: str, table: str) -> NDArray[np.float64]:
    """float64[q]: discounted gain of the best order of all judged units, down to rank *k*; kept."""
    place = judged.best_first[2]
    return judged.sums(
        ("ideal", gain, table), k, lambda: best_gains(judged, gain, table) / np.log2(place + 1.0)
    )


def no_relevant(view: View, rel: float) -> tuple[NDArray[np.float64], NDArray[np.bool_], str]:
    """R of each question (1 where it is 0, so that one may divide), where it is 0, and the reason."""
    known = view.judged.relevant(rel)
    reason = "no relevant unit is known" if rel == 1 else f"no unit of grade {rel} or more is known"
    return np.maximum(known, 1).astype(float), known == 0, reason


def ndcg(view: View, cut: Cut, *, gain: str, gains: str) -> Values:
    """Discounted gain over that of the ideal ranking of all judged units; log2 discount.

    sum g(i)/log2(i+1) over the cut, divided by the same sum of the best possible order (Järvelin and
    Kekäläinen 2002); ``gain=exp`` takes 2^g - 1 (Burges et al. 2005). The ideal has the same cutoff; under
    a token budget it is not cut, so that no system's own lengths choose its ideal. It uses the grades
    themselves and knows no ``rel``, as trec_eval's ``-l`` leaves ndcg alone. ``gains={1:3,2:9}`` says
    what each grade is worth.
    """
    ideal = ideal_dcg(view.judged, cut.k, gain, gains)
    inside = view.within(cut)
    worth = worth_of(view.grade, gain, gains, shift=shifts(view.judged)[view.question])
    found = view.total(inside, worth / np.log2(view.rank + 1.0))
    none = ideal <= 0
    value = np.minimum(found / np.where(none, 1.0, ideal), 1.0)
    return Values(value, none, "no relevant unit is known")


def reciprocal_rank(view: View, cut: Cut, *, rel: float) -> Values:
    """1/rank of the first relevant unit above the cut, else 0 (Voorhees 1999)."""
    _, none, reason = no_relevant(view, rel)
    hits, place = view.nth(view.within(cut) & (view.grade >= rel))
    first = hits[place == 1]
    value = np.zeros(view.n)
    value[view.question[first]] = 1.0 / view.rank[first]
    return Values(value, none, reason)


def recall(view: View, cut: Cut, *, rel: float) -> Values:
    """Share of the relevant units that stand above the cut."""
    known, none, reason = no_relevant(view, rel)
    return Values(view.total(view.within(cut) & (view.grade >= rel)) / known, none, reason)


def precision(view: View, cut: Cut, *, rel: float) -> Values:
    """Relevant units above the cut, divided by k even if fewer were returned (trec_eval).

    Under a token budget it is divided by the units taken; where none fits it is 0.
    """
    _, none, reason = no_relevant(view, rel)
    size = np.maximum(view.taken(cut), 1) if cut.k is None else cut.k
    return Values(view.total(view.within(cut) & (view.grade >= rel)) / size, none, reason)


def success(view: View, cut: Cut, *, rel: float) -> Values:
    """1 when any relevant unit stands above the cut, else 0 (hit rate)."""
    _, none, reason = no_relevant(view, rel)
    return Values((view.total(view.within(cut) & (view.grade >= rel)) > 0).astype(float), none, reason)


def average_precision(view: View, cut: Cut, *, rel: float, denom: str) -> Values:
    """Mean of the precision at each relevant unit above the cut.

    Divided by R, all that are known (trec_eval map and map_cut, the default); by min(R, k); or by the
    relevant ones retrieved, which judges ranking only and is what some tools call context precision.
    """
    known, none, reason = no_relevant(view, rel)
    hits, place = view.nth(view.within(cut) & (view.grade >= rel))
    total = np.bincount(view.question[hits], place / view.rank[hits], minlength=view.n)
    if denom == "min" and cut.k is not None:
        known = np.minimum(known, cut.k)
    elif denom == "retrieved":
        known = np.maximum(np.bincount(view.question[hits], minlength=view.n), 1).astype(float)
    return Values(total / known, none, reason)


def r_precision(view: View, cut: Cut, *, rel: float, mult: float) -> Values:  # noqa: ARG001
    """Precision at the R-th rank, R the number of relevant units; ``mult`` times R, as trec_eval cuts it."""
    known, none, reason = no_relevant(view, rel)
    size = np.maximum(np.floor(known * mult + 0.9), 1)
    inside = view.rank <= size[view.question]
    return Values(view.total(inside & (view.grade >= rel)) / size, none, reason)


def interpolated_precision(view: View, cut: Cut, *, rel: float, recall: float, rounding: str) -> Values:  # noqa: ARG001
    """The best precision at this recall or a higher one (trec_eval iprec_at_recall).

    The recall is reached with the relevant unit of number recall * R, rounded up (more exactly + 0.9 and
    cut, trec_eval 9) or to the nearest (trec_eval 10).
    """
    known, none, reason = no_relevant(view, rel)
    return Values(_interpolated(view, rel, known, recall, rounding), none, reason)


def eleven_points(view: View, cut: Cut, *, rel: float, rounding: str) -> Values:  # noqa: ARG001
    """Mean of interpolated precision at recall 0, 0.1 ... 1 (trec_eval 11pt_avg)."""
    known, none, reason = no_relevant(view, rel)
    points = [_interpolated(view, rel, known, i / 10, rounding) for i in range(11)]
    return Values(np.sum(points, axis=0) / 11, none, reason)


def _interpolated(
    view: View, rel: float, known: NDArray[np.float64], recall: float, rounding: str
) -> NDArray[np.float64]:
    hits, place = view.nth(view.grade >= rel)
    question = view.question[hits]
    # the running maximum from the end, one question after the other: precision is at most 1, so a step
    # of 2 a question keeps an earlier question's values under a later one's
    stair = place / view.rank[hits] + 2.0 * (view.n - question)
    best = np.maximum.accumulate(stair[::-1])[::-1] - 2.0 * (view.n - question)
    need = np.maximum(np.floor(recall * known + (0.9 if rounding == "up" else 0.5)), 1)
    at = place == need[question]
    value = np.zeros(view.n)
    value[question[at]] = best[at]
    return value


GAINS = {"gains": Param("", gains=True)}
_RANKED = "trec_eval"
_ROUNDING = {"rounding": Param("up", ("up", "nearest"))}
KINDS = (
    Kind(
        name="nDCG",
        score=ndcg,
        params={"gain": Param("linear", ("linear", "exp")), **GAINS},
        says="graded quality of the order, as a share of the best possible",
        source="Järvelin and Kekäläinen 2002; gain=exp Burges et al. 2005",
    ),
    Kind(
        name="RR",
        score=reciprocal_rank,
        params=rel(),
        says="how far down the first relevant unit stands; blind to any further one",
        source="Voorhees 1999",
    ),
    Kind(name="R", score=recall, params=rel(), says="share of the relevant units found", source=_RANKED),
    Kind(
        name="P",
        score=precision,
        params=rel(),
        cutoff="required",
        says="share of the units shown that are relevant",
        source=_RANKED,
    ),
    Kind(
        name="Success",
        score=success,
        params=rel(),
        proportion=True,
        says="whether any relevant unit is shown",
        source=_RANKED,
    ),
    Kind(
        name="AP",
        score=average_precision,
        params={"rel": Param(1), "denom": Param("R", ("R", "min", "retrieved"))},
        says="precision averaged over the relevant units",
        source="Buckley and Voorhees 2000, as trec_eval map and map_cut",
    ),
    Kind(
        name="RPrec",
        score=r_precision,
        params={"rel": Param(1), "mult": Param(1, low=0, open=True)},
        cutoff="none",
        says="precision at the rank that a perfect ranking needs",
        source=_RANKED,
    ),
    Kind(
        name="IPrec",
        score=interpolated_precision,
        params={"rel": Param(1), "recall": Param(0, low=0, high=1), **_ROUNDING},
        cutoff="none",
        says="the best precision at this recall or a higher one",
        source="trec_eval 9 iprec_at_recall",
    ),
    Kind(
        name="IPrec11",
        score=eleven_points,
        params={**rel(), **_ROUNDING},
        cutoff="none",
        says="interpolated precision averaged over eleven recall points",
        source="trec_eval 9 11pt_avg",
    ),
)
