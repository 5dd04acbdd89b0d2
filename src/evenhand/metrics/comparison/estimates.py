"""One number of one system: point, interval, and all that was counted on the way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from evenhand.metrics.catalogue import names
from evenhand.metrics.comparison.contrasts import whole
from evenhand.metrics.comparison.resamples import Draws, how
from evenhand.model.result import Estimate
from evenhand.stats.argument_checks import TIE
from evenhand.stats.intervals.bootstrap import mean, percentile
from evenhand.stats.intervals.proportion import wilson

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["estimate_of"]


def estimate_of(draws: Draws, s: int, x: int, mask: NDArray[np.bool_]) -> Estimate:
    """The estimate of system *s* on metric *x* over the questions under *mask* (bool[q]).

    A share by its name gets Wilson's interval, a mean the percentile bootstrap from the common resamples.
    No interval for n < 2, nor for a mean whose values do not vary.
    """
    m, settings = draws.measurements, draws.settings
    system, metric, n = m.systems[s], m.metrics[x], int(mask.sum())
    values, kind = draws.values(s, x, mask), how(metric)
    base: dict[str, Any] = {
        "system": system,
        "metric": metric,
        "n": n,
        "level": settings.level,
        "undefined": len(m.questions) - n,
        "missing": int(m.missing[s][mask].sum()) if m.missing.size else 0,
        "unreachable": int(m.unreachable[s, x][mask].sum()) if m.unreachable.size else 0,
        "judged": m.extra.get("judged", {}).get(system, {}).get(metric),
        "labels": m.extra.get("labels", {}).get(system, {}).get(metric, {}),
    }
    nothing: dict[str, Any] = {"low": None, "high": None}
    if kind == "share":
        method = "Wilson"
        k = int(whole(m, s, x, mask).sum())
        if n < 2:
            return Estimate(**base, **nothing, point=mean(values), k=k, method=method, reason=_few(n))
        found = wilson(k, n, level=settings.level)
        return Estimate(**base, point=k / n, low=found.low, high=found.high, k=k, method=method)
    if kind == "total":
        return Estimate(**base, **nothing, **_total(metric, values))
    point, method = mean(values), "percentile bootstrap"
    reason = _few(n)
    if reason is None and float(values.max() - values.min()) <= TIE:
        reason = "no variation seen"
    if reason is not None:
        return Estimate(**base, **nothing, point=point, method=method, reason=reason)
    low, high = percentile(draws.means(s, x, mask), level=settings.level)
    return Estimate(
        **base,
        point=point,
        low=low,
        high=high,
        method=method,
        seed=settings.seed,
        resamples=settings.resamples,
    )


def _few(n: int) -> str | None:
    return {0: "no question is defined", 1: "one question: no interval"}.get(n)


def _total(metric: str, values: NDArray[np.float64]) -> dict[str, Any]:
    """Sums and geometric means: a number without an interval."""
    if not len(values):
        return {"point": None, "method": "none", "reason": "no question is defined"}
    if names.kind(names.parse(metric)).total == "geometric":
        # trec_eval's gm_map: values below 0.00001 count as that
        point = float(np.exp(mean(np.log(np.maximum(values, 1e-5))) or 0.0))
        return {"point": point, "method": "geometric mean", "reason": "no interval for a geometric mean"}
    point = (mean(values) or 0.0) * len(values)
    return {"point": point, "method": "sum", "reason": "a count has no interval"}
