"""Every metric by name: one table, put together here and nowhere else."""

from __future__ import annotations

from evenhand.metrics import ranked
from evenhand.metrics.kinds import Kind

__all__ = ["CATALOGUE"]

CATALOGUE: dict[str, Kind] = {kind.name: kind for family in (ranked,) for kind in family.KINDS}
