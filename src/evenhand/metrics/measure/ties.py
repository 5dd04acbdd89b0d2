"""What ties do to a number: equal scores stand in an order that the system did not choose."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from evenhand.metrics.catalogue.names import kind
from evenhand.metrics.measure.expected_value import expected
from evenhand.metrics.measure.view import Cut

if TYPE_CHECKING:
    from evenhand.metrics.catalogue.metric_type import Metric
    from evenhand.metrics.measure.view import View

__all__ = ["audit"]

BOUNDED = ("RR", "nDCG", "P", "R", "Success", "AP", "RBP")


def audit(view: View, metric: Metric) -> dict[str, Any] | None:
    """How far the order within ties moves *metric*; None where no tie touches a relevant unit above its cut.

    ``questions``: how many such a tie touches; for RR, nDCG, P, R, Success, AP and RBP also ``low``,
    ``expected`` and ``high``, the mean over questions in the worst order of ties, over all orders, and in
    the best. Questions without a relevant unit are left out, missing ones count 0.
    """
    entry = kind(metric)
    if metric.budget is not None or entry.needs != "grades" or entry.total != "mean":
        return None
    options = entry.full(metric)
    k = metric.cutoff or np.iinfo(np.int64).max
    good = view.grade >= float(options["rel"]) if "rel" in options else view.grade > 0
    touched = good & (view.high > view.low) & (view.low <= k)
    if not touched.any():
        return None
    found: dict[str, Any] = {"questions": len(np.unique(view.question[touched]))}
    if metric.name not in BOUNDED or options.get("denom", "R") == "retrieved" or options.get("gains"):
        return found
    cut = Cut(k=metric.cutoff)
    for name, values in (
        ("low", entry.score(view.worst, cut, **options)),
        ("expected", expected(view, metric, cut)),
        ("high", entry.score(view.best, cut, **options)),
    ):
        value = values.value if values.undefined is None else values.value[~values.undefined]
        found[name] = float(value.mean()) if len(value) else 0.0
    return found
