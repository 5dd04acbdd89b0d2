"""Every metric by name: one table, put together here and nowhere else."""

from __future__ import annotations

from evenhand.metrics import context, counts, levels, nuggets, overlap, pooled, ranked, reading, spans, users
from evenhand.metrics.kinds import Kind

__all__ = ["CATALOGUE"]

FAMILIES = (ranked, pooled, users, reading, levels, overlap, context, nuggets, spans, counts)
CATALOGUE: dict[str, Kind] = {kind.name: kind for family in FAMILIES for kind in family.KINDS}
