"""Rankings for a gate: of all questions, also of those that retrieval means leave out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from evenhand.errors import InputError, nearest

if TYPE_CHECKING:
    from evenhand.gate.rankings import Rankings
    from evenhand.model.plan.study import Plan
    from evenhand.model.run import Run
    from evenhand.study.comparison.steps import Table
    from evenhand.study.steps.loop import Artifacts, Step
    from evenhand.study.steps.participants import Participant

__all__ = ["OTHERS", "gate_field", "ranked", "reranked_from", "rest_runs", "rest_steps"]

OTHERS, REST = "others", "rest"  # questions to ask back or abstain from, and the runs on them


def gate_field(plan: Plan, field: Sequence[Participant]) -> tuple[Participant, ...]:
    """The entrants that the gate looks at, in the order of ``of``, what they are made from first."""
    assert plan.gate is not None  # noqa: S101 - asked for only then
    known = {one.name: one for one in field}
    found: dict[str, Participant] = {}

    def enter(name: str) -> None:
        for member in known[name].of:
            enter(member)
        found.setdefault(name, known[name])

    for name in plan.gate.of:
        if name not in known:
            several = [one.name for one in field if one.system.name == name]
            told = f"stands for {', '.join(several)}" if several else "is not there"
            raise InputError(
                f"[gate] of: {name!r} {told}",
                mend=f'name one of them: of = ["{several[0]}", …]' if several else nearest(name, known),
            )
        enter(name)
    return tuple(found.values())


def rest_steps(table: Table) -> Iterator[Step]:
    """Steps that ask the gate's systems what the comparison does not ask; means do not see these runs."""
    if _deferring(table):
        for one in gate_field(table.plan, table.field):
            yield table.run_step(one, asked=OTHERS, runs=REST)


def _deferring(table: Table) -> bool:
    """Whether the study has questions to ask back or to abstain from."""
    return table.others > 0


def rest_runs(table: Table) -> tuple[str, ...]:
    """What the larder calls the runs on the questions that the comparison leaves out."""
    if not _deferring(table):
        return ()
    return tuple(f"{REST}/{one.name}" for one in gate_field(table.plan, table.field))


def ranked(table: Table, larder: Artifacts, of: Sequence[str] = ()) -> Rankings:
    """The documents that systems (*of*, or those of the gate) ranked, for each question of the gold set."""
    from evenhand.gate.rankings import joined, rankings_of

    assert table.plan.gate is not None  # noqa: S101 - asked for only then
    of = tuple(of) or table.plan.gate.of
    made = rankings_of(_named(larder, "run", of), tuple(larder["questions"]))
    if _deferring(table):
        made = joined(made, rankings_of(_named(larder, REST, of), tuple(larder[OTHERS])))
    return made.take(tuple(larder["gold"].ids))


def _named(larder: Artifacts, runs: str, of: Sequence[str]) -> list[Run]:
    return [replace(larder[f"{runs}/{name}"], system=name) for name in of]


def reranked_from(table: Table) -> dict[str, str]:
    """The systems of the gate that put current documents first, each with the system it reorders."""
    assert table.plan.gate is not None  # noqa: S101 - asked for only then
    return {
        one.name: one.of[0]
        for one in table.field
        if one.name in table.plan.gate.of and one.system.kind == "rerank" and one.system.what == "status"
    }


def gaps(table: Table, larder: Artifacts) -> list[dict[str, Any]]:
    """Rows of ``incomplete.not_run`` on the questions that only the gate asks."""
    from evenhand.report.output.assemble import not_run_rows

    return not_run_rows([larder[name] for name in rest_runs(table)])
