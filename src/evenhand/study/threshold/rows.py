"""The numbers of a threshold study as plain JSON: rates, areas, what each value lets through, overlaps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from evenhand.metrics.threshold.pairs import passes

if TYPE_CHECKING:
    from evenhand.metrics.threshold.auc import Area
    from evenhand.metrics.threshold.false_discovery import Passing
    from evenhand.model.plan.sections import ThresholdPlan
    from evenhand.model.result import Interval
    from evenhand.study.threshold.pairs import Laid

__all__ = ["area_json", "arm_json", "grid_json", "overlaps", "rate_json", "registered_of", "steps_of"]

QUANTILES = (0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0)
STEP, MOST = 0.01, 100  # of the explorer: how far apart its values are, and how many at most


def registered_of(record: Mapping[str, Any]) -> dict[str, Any]:
    """The section [threshold] as it was registered; empty where it was not."""
    planned = record.get("planned") or {}
    return dict(planned.get("threshold") or {})


def grid_json(asked: ThresholdPlan, registered: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Every value: planned, added, registered earlier; which is the primary, which was to be it.

    A value that was registered stays, whatever the plan says now.
    """
    first = float(registered.get("primary", asked.primary))
    planned = {*asked.grid, *map(float, registered.get("grid", ()))}
    before = {*planned, *map(float, registered.get("added", ()))}
    return [
        {
            "threshold": value,
            "planned": value in planned,
            "added": value not in planned,
            "withdrawn": value not in asked.values,
            "primary": value == asked.main,
            "planned_primary": value == first,
        }
        for value in sorted({*asked.values, *before})
    ]


def _bounds(found: Interval) -> dict[str, Any]:
    return {
        "low": found.low,
        "high": found.high,
        "method": found.method,
        "flags": list(found.flags),
        "reason": found.reason,
    }


def rate_json(arm: str, one: Passing) -> dict[str, Any]:
    """One cell of the tables."""
    return {
        "arm": arm,
        "threshold": one.threshold,
        "by": one.by,
        "role": one.role,
        "type": one.type,
        "pairs": one.pairs,
        "n": one.n,
        "wrong": one.wrong,
        "undecided": one.undecided,
        "questions": one.questions,
        "sources": one.sources,
        "empty": one.empty,
        "macro": {
            "point": one.macro.point,
            **_bounds(one.macro.interval),
            "least": one.macro_least,
            "most": one.macro_most,
        },
        "pooled": {
            "point": one.pooled.point,
            **_bounds(one.pooled.interval),
            "least": one.least,
            "most": one.most,
            "icc": one.pooled.icc,
            "n_eff": one.pooled.n_eff,
            "by_source": {"low": one.resampled.low, "high": one.resampled.high},
        },
        "sparse": list(one.sparse),
    }


def area_json(arm: str, one: Area) -> dict[str, Any]:
    """One row of areas."""
    return {
        "arm": arm,
        "threshold": one.threshold,
        "auc": one.auc,
        "n": one.n,
        "sufficient": one.sufficient,
        "sources": one.sources,
        "by_source": {**_bounds(one.by_source), "undefined": one.undefined},
        "delong": _bounds(one.delong),
        "says": one.says,
        "reason": one.reason,
    }


def arm_json(laid: Laid, asked: ThresholdPlan, grid: Iterable[float], questions: int) -> dict[str, Any]:
    """What was asked and found in one arm: sizes, the distribution, what each value lets through."""
    run, units = laid.run, laid.run.units
    assert units is not None  # noqa: S101
    sizes = np.minimum(np.diff(run.offsets), asked.k)
    starts = run.offsets[:-1]
    first = run.score[starts[sizes > 0]]
    every = np.concatenate([run.score[a : a + n] for a, n in zip(starts, sizes, strict=True)] or [first])
    asked_of = len(run.questions)
    lengths = units.end - units.start
    return {
        "name": laid.arm.name,
        "called": laid.arm.called,
        "main": laid.arm.main,
        "documents": sum(laid.arm.holds(str(one.id)) for one in units.corpus),
        "questions": asked_of,
        "not_asked": questions - asked_of,
        "sources": len(laid.pairs.source_names),
        "units": len(units),
        "characters": float(np.median(lengths)) if len(units) else None,
        "retrieved": len(every),
        "judged": len(laid.rows),
        "top1": _quantiles(first),
        "topk": _quantiles(every),
        "reached": [_reached(laid, value, first, asked_of) for value in grid],
    }


def _reached(laid: Laid, value: float, first: Any, asked_of: int) -> dict[str, Any]:
    n = int(passes(first, value).sum())  # the best unit decides whether anything passes
    pairs = int(passes(laid.pairs.score, value).sum())
    return {
        "threshold": value,
        "questions": n,
        "share": n / asked_of if asked_of else None,
        "pairs": pairs,
    }


def _quantiles(values: Any) -> list[float] | None:
    return [float(x) for x in np.quantile(values, QUANTILES)] if len(values) else None


def steps_of(asked: ThresholdPlan, laid: Laid) -> list[float]:
    """The values of the explorer: those of the grid, and hundredths from its least to the highest pair."""
    score = laid.pairs.score
    low = min(asked.values)
    high = max([*asked.values, *([float(score.max())] if len(score) else [])])
    size = STEP
    while (high - low) / size > MOST:
        size *= 2
    even = [round(low + size * i, 6) for i in range(int((high - low) / size) + 1)]
    return sorted({*asked.values, *even})


def overlaps(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Pairs of groups of one kind, and whether their macro intervals overlap: no test, no p-value."""
    found = []
    for by in ("role", "type"):
        groups = [row for row in rows if row["by"] == by and row["macro"]["low"] is not None]
        for a, b in combinations(groups, 2):
            apart = a["macro"]["low"] > b["macro"]["high"] or b["macro"]["low"] > a["macro"]["high"]
            found.append(
                {
                    "by": by,
                    "a": a[by],
                    "b": b[by],
                    "overlap": not apart,
                    "sparse": bool(a["sparse"] or b["sparse"]),
                }
            )
    return found
