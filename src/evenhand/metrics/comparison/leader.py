"""A whole field on one metric: P(best) and who is still in play."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from evenhand.metrics.comparison import verdict
from evenhand.model.result import Standing
from evenhand.stats.argument_checks import TIE
from evenhand.stats.intervals.bootstrap import mean

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from evenhand.model.result import Contrast

__all__ = ["p_best", "standing_of"]


def p_best(resampled: NDArray[np.float64]) -> NDArray[np.float64]:
    """The share of resamples (rows of float64[B, systems]) in which each system leads; ties are split.

    Sums to 1. Values within 1e-12 of the top are tied with it.
    """
    leads = resampled >= resampled.max(axis=1, keepdims=True) - TIE
    return np.asarray((leads / leads.sum(axis=1, keepdims=True)).mean(axis=0))


def standing_of(
    systems: Sequence[str],
    values: NDArray[np.float64],
    resampled: NDArray[np.float64],
    contrasts: Sequence[Contrast],
    *,
    metric: str,
    resamples: int,
    seed: int,
) -> Standing:
    """Who leads on *metric*, how surely, and who is not ruled out.

    ``values``: float64[systems, n] over the common questions; ``resampled``: float64[B, systems], their
    means in the common resamples. *contrasts* are the declared ones, adjusted. The leader has the highest
    mean (ties: the higher P(best), then the earlier). In play is whoever is not worse than the leader
    after adjustment: a system that no declared pair holds against the leader is neither in play nor out of
    it, and the sentence says so.
    """
    shares = p_best(resampled)
    points = [mean(row) or 0.0 for row in values]
    top = max(points)
    first = max((i for i, p in enumerate(points) if p >= top - TIE), key=lambda i: (shares[i], -i))
    leader = systems[first]
    found: dict[str, str] = {}
    for c in contrasts:
        if c.metric == metric and leader in (c.a, c.b):
            other = c.b if c.a == leader else c.a
            found[other] = c.verdict if c.a == leader else _turned(c.verdict)
    in_play = tuple(s for s in systems if s == leader or found.get(s, "better") != "better")
    best: Mapping[str, float] = {s: float(x) for s, x in zip(systems, shares, strict=True)}
    plain = Standing(
        metric=metric,
        leader=leader,
        best=best,
        in_play=in_play,
        n=values.shape[1],
        resamples=resamples,
        seed=seed,
    )
    twins = [s for s, how in found.items() if how == "identical"]
    untested = [s for s in systems if s != leader and s not in found]
    sentence = verdict.field(plain, points[first], twins=twins, untested=untested)
    return Standing(
        metric=metric,
        leader=leader,
        best=best,
        in_play=in_play,
        n=plain.n,
        resamples=resamples,
        seed=seed,
        sentence=sentence,
    )


def _turned(how: str) -> str:
    return {"better": "worse", "worse": "better"}.get(how, how)
