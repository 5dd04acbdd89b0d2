"""Analyses of a study beside the comparison: which steps they add, and what they say in the report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evenhand.model.plan.study import Plan
    from evenhand.study.comparison.steps import Table
    from evenhand.study.steps.loop import Artifacts, Step
    from evenhand.study.steps.participants import Participant

__all__ = ["PARTS", "check_parts", "part_files", "part_gaps", "part_steps", "parts_of"]

# the section of the plan -> the module whose `steps(table)` make `part/<section>`: plain JSON with
# "numbers" (name -> number, see `evenhand.study.ledger.criteria`), "sentences" and "warnings" among the rest,
# which becomes the section of that name of report.json
PARTS: Mapping[str, str] = {
    "panel": "evenhand.study.panel.calibration",
    "threshold": "evenhand.study.threshold.steps",
    "stress": "evenhand.study.robustness.steps",
    "gate": "evenhand.study.gate.steps",
    "answers": "evenhand.study.generation.steps",
}


def parts_of(plan: Plan) -> tuple[str, ...]:
    """The analyses that this plan asks for, in the order in which they are done and shown."""
    return tuple(name for name in PARTS if getattr(plan, name))


def part_steps(table: Table) -> Iterator[Step]:
    """The steps of all analyses of a study."""
    for name in parts_of(table.plan):
        yield from import_module(PARTS[name]).steps(table)


def check_parts(plan: Plan, field: Sequence[Participant]) -> None:
    """Let each analysis refuse, before anything is asked, what it could not do with these entrants."""
    for name in parts_of(plan):
        checks = getattr(import_module(PARTS[name]), "check", None)
        if checks is not None:
            checks(plan, field)


def part_files(table: Table, larder: Artifacts) -> dict[str, bytes]:
    """What the analyses put into the results folder besides the report, by name."""
    made: dict[str, bytes] = {}
    for name in parts_of(table.plan):
        exports = getattr(import_module(PARTS[name]), "files", None)
        if exports is not None:
            made |= exports(table, larder)
    return made


def part_gaps(table: Table, larder: Artifacts) -> list[dict[str, Any]]:
    """Rows of ``incomplete.not_run`` on questions that only an analysis asks."""
    found: list[dict[str, Any]] = []
    for name in parts_of(table.plan):
        gaps = getattr(import_module(PARTS[name]), "gaps", None)
        if gaps is not None:
            found += gaps(table, larder)
    return found
