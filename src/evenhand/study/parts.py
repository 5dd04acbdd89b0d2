"""Analyses of a study beside the comparison: which steps they add, and what they say in the report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evenhand.model.study import Plan
    from evenhand.study.steps import Step
    from evenhand.study.table import Table

__all__ = ["PARTS", "part_steps", "parts_of"]

# the section of the plan -> the module whose `steps(table)` make `part/<section>`: plain JSON with
# "numbers" (name -> number, see `evenhand.study.criteria`), "sentences" and "warnings" among the rest,
# which becomes the section of that name of report.json
PARTS: Mapping[str, str] = {"panel": "evenhand.study.calibrated"}


def parts_of(plan: Plan) -> tuple[str, ...]:
    """The analyses that this plan asks for, in the order in which they are done and shown."""
    return tuple(name for name in PARTS if getattr(plan, name))


def part_steps(table: Table) -> Iterator[Step]:
    """The steps of all analyses of a study."""
    for name in parts_of(table.plan):
        yield from import_module(PARTS[name]).steps(table)
