"""Metrics of the C/W/L frame: a reader who goes on from rank i with a probability of the metric's own.

A metric is the expected gain per unit read. With C(i) the chance to go on from rank i, the weight of rank
i is W(i) = C(1) ... C(i - 1), divided by the sum of all; the value is the sum of W(i) g(i) (Moffat,
Bailey, Scholer and Thomas 2017). Gains are grades clipped to ``min_rel..max_rel`` and laid onto 0..1;
unjudged units and those beyond the last rank gain 0; the sums run over ``depth`` ranks. Oracle: cwl_eval,
by its recorded values in tests/oracles/peers_recorded.json.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from evenhand.errors import InputError
from evenhand.metrics.catalogue.metric_type import Kind, Param, Values

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from evenhand.metrics.measure.view import Cut, View

__all__ = ["KINDS"]

BLOCK = 1 << 20  # cells worked on at a time: questions × ranks
Rule = Callable[["NDArray[np.float64]", "NDArray[np.float64]"], "NDArray[np.float64]"]


def _expected(view: View, rule: Rule, *, min_rel: float, max_rel: float, depth: int) -> Values:
    """The gain per unit read under *rule*: (ranks [d], gains [q, d]) -> chance to go on [q, d]."""
    if min_rel >= max_rel:
        raise InputError(
            f"min_rel={min_rel} is not below max_rel={max_rel}",
            mend="they are the lowest and the highest grade of the scale",
        )
    judged = view.judged

    def scaled(grade: NDArray[np.float64]) -> NDArray[np.float64]:
        return (np.clip(grade, min_rel, max_rel) - min_rel) / (max_rel - min_rel)

    none = np.bincount(judged.question, scaled(judged.grade), minlength=view.n) == 0
    rank = np.arange(1.0, depth + 1.0)
    value = np.zeros(view.n)
    keep = view.rank <= depth
    question, place, gain = view.question[keep], view.rank[keep] - 1, scaled(view.grade[keep])
    step = max(BLOCK // depth, 1)
    for start in range(0, view.n, step):
        stop = min(start + step, view.n)
        inside = slice(*np.searchsorted(question, [start, stop]))
        got = np.zeros((stop - start, depth))
        got[question[inside] - start, place[inside]] = gain[inside]
        weight = np.ones_like(got)
        np.cumprod(rule(rank, got)[:, :-1], axis=1, out=weight[:, 1:])
        value[start:stop] = np.einsum("ij,ij->i", weight, got) / weight.sum(axis=1)
    return Values(value, none, f"no unit of a grade above {min_rel} is known")


def inst(view: View, cut: Cut, *, T: float, min_rel: float, max_rel: float, depth: int) -> Values:  # noqa: ARG001, N803
    """A reader who wants gain *T*, and goes on the longer the more is still wanting.

    C(i) = ((i + 2T - 1 - gained(i)) / (i + 2T - gained(i)))^2 (Moffat, Bailey, Scholer and Thomas 2015).
    """

    def rule(rank: NDArray[np.float64], got: NDArray[np.float64]) -> NDArray[np.float64]:
        wanting = rank + 2.0 * T - np.cumsum(got, axis=1)
        return np.asarray(((wanting - 1.0) / wanting) ** 2)

    return _expected(view, rule, min_rel=min_rel, max_rel=max_rel, depth=depth)


def _insq(rank: NDArray[np.float64], T: float) -> NDArray[np.float64]:  # noqa: N803
    return np.asarray(((rank + 2.0 * T - 1.0) / (rank + 2.0 * T)) ** 2)


def insq(view: View, cut: Cut, *, T: float, min_rel: float, max_rel: float, depth: int) -> Values:  # noqa: ARG001, N803
    """A reader who wants gain *T* whatever was found: C(i) = ((i + 2T - 1) / (i + 2T))^2."""

    def rule(rank: NDArray[np.float64], got: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.broadcast_to(_insq(rank, T), got.shape)

    return _expected(view, rule, min_rel=min_rel, max_rel=max_rel, depth=depth)


def bpm(view: View, cut: Cut, *, T: float, min_rel: float, max_rel: float, depth: int) -> Values:  # noqa: N803
    """A reader who stops when *T* is gained or k units are read (static; Zhang et al. 2017)."""
    k = cut.k or depth

    def rule(rank: NDArray[np.float64], got: NDArray[np.float64]) -> NDArray[np.float64]:
        return ((np.cumsum(got, axis=1) < T) & (rank < k)).astype(float)

    return _expected(view, rule, min_rel=min_rel, max_rel=max_rel, depth=max(depth, k))


def sdcg(view: View, cut: Cut, *, min_rel: float, max_rel: float) -> Values:
    """Discounted gain over k ranks that all hold the highest grade, log2 discount: no ideal of the question.

    C(i) = log2(i + 1) / log2(i + 2) above the cut (Järvelin and Kekäläinen 2002, scaled as in C/W/L).
    """
    k = cut.k or 1

    def rule(rank: NDArray[np.float64], got: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.broadcast_to(np.log2(rank + 1.0) / np.log2(rank + 2.0), got.shape)

    return _expected(view, rule, min_rel=min_rel, max_rel=max_rel, depth=k)


def nerr8(view: View, cut: Cut, *, min_rel: float, max_rel: float) -> Values:
    """A reader whom a unit of gain g stops with chance g: C(i) = 1 - g(i) above the cut."""
    return _expected(view, lambda _, got: 1.0 - got, min_rel=min_rel, max_rel=max_rel, depth=cut.k or 1)


def nerr9(view: View, cut: Cut, *, min_rel: float, max_rel: float) -> Values:
    """As NERR8, and tiring: C(i) = (1 - g(i)) i / (i + 1) above the cut (Azzopardi et al. 2021)."""
    return _expected(
        view, lambda i, got: i / (i + 1.0) * (1.0 - got), min_rel=min_rel, max_rel=max_rel, depth=cut.k or 1
    )


def nerr10(view: View, cut: Cut, *, p: float, min_rel: float, max_rel: float, depth: int) -> Values:  # noqa: ARG001
    """As NERR8 with patience *p*: C(i) = p (1 - g(i)) (Azzopardi et al. 2021)."""
    return _expected(view, lambda _, got: p * (1.0 - got), min_rel=min_rel, max_rel=max_rel, depth=depth)


def nerr11(view: View, cut: Cut, *, T: float, min_rel: float, max_rel: float, depth: int) -> Values:  # noqa: ARG001, N803
    """As NERR8 with the tiring of INSQ: C(i) = ((i + 2T - 1) / (i + 2T))^2 (1 - g(i))."""
    return _expected(
        view, lambda i, got: _insq(i, T) * (1.0 - got), min_rel=min_rel, max_rel=max_rel, depth=depth
    )


_SCALE = {"min_rel": Param(0), "max_rel": Param(2, required=True)}
_DEPTH = {"depth": Param(1000, low=2, whole=True)}
_WANT = {"T": Param(1, low=0, open=True)}
_AZZOPARDI = "Azzopardi, Mackenzie and Moffat 2021, as cwl_eval"


def _kind(
    name: str, score: object, says: str, source: str, params: Mapping[str, Param], *, cutoff: str = "none"
) -> Kind:
    return Kind(
        name=name,
        score=score,  # type: ignore[arg-type]
        says=says,
        source=source,
        params=params,
        cutoff=cutoff,
        budget=False,
    )


_LONG = {**_WANT, **_SCALE, **_DEPTH}
_PATIENCE = {"p": Param(0.9, low=0, high=1, open=True), **_SCALE, **_DEPTH}
_INST = "Moffat, Bailey, Scholer and Thomas 2015, as cwl_eval"
_INSQ = "Moffat, Scholer and Thomas 2012, as cwl_eval"
_BPM = "Zhang et al. 2017 (static), as cwl_eval"
_SDCG = "Järvelin and Kekäläinen 2002, as cwl_eval"
KINDS = (
    _kind("INST", inst, "gain per unit read by one who wants T and counts what was found", _INST, _LONG),
    _kind("INSQ", insq, "gain per unit read by one who wants T whatever was found", _INSQ, _LONG),
    _kind("BPM", bpm, "gain per unit read by one who stops at T or at k", _BPM, _LONG, cutoff="required"),
    _kind("SDCG", sdcg, "discounted gain over that of k units all best", _SDCG, _SCALE, cutoff="required"),
    _kind("NERR8", nerr8, "gain per unit read until satisfied", _AZZOPARDI, _SCALE, cutoff="required"),
    _kind(
        "NERR9", nerr9, "gain per unit read until satisfied or tired", _AZZOPARDI, _SCALE, cutoff="required"
    ),
    _kind("NERR10", nerr10, "gain per unit read until satisfied, with patience p", _AZZOPARDI, _PATIENCE),
    _kind("NERR11", nerr11, "gain per unit read until satisfied, wanting T", _AZZOPARDI, _LONG),
)
