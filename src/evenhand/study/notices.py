"""What silently biases a study, said aloud and counted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evenhand.study.steps import Larder
    from evenhand.study.table import Table

__all__ = ["notices"]


def notices(table: Table, larder: Larder, comparison: Any) -> list[Any]:
    """Warnings of a study beyond those of its comparison."""
    return [*table.warnings]
