"""Every metric by name: one table, put together here and nowhere else."""

from __future__ import annotations

from evenhand.metrics.catalogue import (
    context,
    counts,
    cwl,
    graded_gain,
    nuggets,
    pooled,
    rank_biased_overlap,
    ranked,
    spans,
    user_models,
)
from evenhand.metrics.catalogue.metric_type import Kind

__all__ = ["CATALOGUE"]

FAMILIES = (
    ranked,
    pooled,
    user_models,
    cwl,
    graded_gain,
    rank_biased_overlap,
    context,
    nuggets,
    spans,
    counts,
)
CATALOGUE: dict[str, Kind] = {kind.name: kind for family in FAMILIES for kind in family.KINDS}
