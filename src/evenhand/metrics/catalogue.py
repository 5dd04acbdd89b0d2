"""Every metric by name: one table, put together here and nowhere else."""

from __future__ import annotations

from evenhand.metrics import counts, nuggets, pooled, ranked, spans, users
from evenhand.metrics.kinds import Kind

__all__ = ["CATALOGUE"]

FAMILIES = (ranked, pooled, users, nuggets, spans, counts)
CATALOGUE: dict[str, Kind] = {kind.name: kind for family in FAMILIES for kind in family.KINDS}
