"""What a study's generator is asked, and the passages it gets: gold questions, or the topics of a file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from evenhand.answer.generation.requests import Ask, passages_of
from evenhand.errors import InputError, nearest
from evenhand.study.generation.ask import name_of
from evenhand.study.steps.loop import Step
from evenhand.study.steps.serialize import json_form

if TYPE_CHECKING:
    from evenhand.formats.study_file.topics import Topics
    from evenhand.model.plan.sections import AnswersPlan
    from evenhand.model.plan.study import Plan
    from evenhand.model.run import Run
    from evenhand.study.comparison.steps import Table
    from evenhand.study.steps.loop import Artifacts
    from evenhand.study.steps.participants import Participant

__all__ = ["TOPICS", "answers_field", "asked_steps", "asks_in", "plan_of", "runs_of", "topics_of"]

TOPICS, ABOUT = "topics", "about"  # the topics of a plan, and the runs on them
OTHERS, REST = "others", "rest"  # as a gate calls them: questions that expect no answer


def plan_of(plan: Plan) -> AnswersPlan:
    """The section; asked for only where there is one."""
    if plan.answers is None:
        raise InputError("the study has no [answers]", mend='add [answers] with model = "provider:name"')
    return plan.answers


def answers_field(plan: Plan, field: Sequence[Participant]) -> tuple[Participant, ...]:
    """The entrant that gives the passages, those it is made from first; none where outputs are brought."""
    name = plan_of(plan).system
    if not name:
        return ()
    known = {one.name: one for one in field}
    if name not in known:
        several = [one.name for one in field if one.system.name == name]
        told = f"stands for {', '.join(several)}" if several else "is not there"
        raise InputError(
            f"[answers] system: {name!r} {told}",
            mend=f'name one of them: system = "{several[0]}"' if several else nearest(name, known),
        )
    found: dict[str, Participant] = {}

    def enter(name: str) -> None:
        for member in known[name].of:
            enter(member)
        found.setdefault(name, known[name])

    enter(name)
    return tuple(found.values())


def topics_of(table: Table) -> Topics | None:
    """The topics of a plan on study items."""
    plan = plan_of(table.plan)
    if not plan.topics:
        return None
    from evenhand.formats.study_file.topics import read_topics

    return read_topics(table.folder / plan.topics)


def asked_steps(table: Table) -> Iterator[Step]:
    """Steps that ask the retriever what the comparison does not ask: topics, or the other questions."""
    field = answers_field(table.plan, table.field)
    topics = topics_of(table)
    if topics is not None:
        asks = topics.asks
        yield Step(
            makes=TOPICS,
            needs=(),
            work=lambda _: asks,
            settings={"topics": topics.seal},
            form=json_form(),
        )
        for one in field:
            yield table.run_step(one, asked=TOPICS, runs=ABOUT)
    elif table.others and plan_of(table.plan).kind == "answers":
        for one in field:
            if not _of_gate(table, one):
                yield table.run_step(one, asked=OTHERS, runs=REST)


def _of_gate(table: Table, one: Participant) -> bool:
    """Whether the gate of the study asks it the same anyway."""
    if table.plan.gate is None:
        return False
    from evenhand.study.gate.runs import gate_field

    return one in gate_field(table.plan, table.field)


def runs_of(table: Table) -> tuple[str, ...]:
    """What the larder calls the runs that give the passages."""
    field = answers_field(table.plan, table.field)
    if not field:
        return ()
    name = field[-1].name
    if plan_of(table.plan).kind == "study-items":
        return (f"{ABOUT}/{name}",)
    return (f"run/{name}", *((f"{REST}/{name}",) if table.others else ()))


def asks_in(table: Table, larder: Artifacts) -> tuple[Ask, ...]:
    """Everything that is asked, in the order of the gold set or of the file of topics."""
    plan = plan_of(table.plan)
    runs = [larder[name] for name in runs_of(table)]
    name = name_of(plan)
    if plan.kind == "study-items":
        topics = topics_of(table)
        return tuple(
            _ask(topic, ask, "", name, runs, plan) for topic, ask in (topics.asks if topics else {}).items()
        )
    return tuple(_ask(str(one.id), one.text, one.expect, name, runs, plan) for one in larder["gold"])


def _ask(  # noqa: PLR0917 - one row
    topic: str, ask: str, expect: str, name: str, runs: Sequence[Run], plan: AnswersPlan
) -> Ask:
    run = next((one for one in runs if topic in one.position), None)
    passages = passages_of(run, topic, plan.k) if run is not None else ()
    return Ask(topic=topic, ask=ask, system=name, passages=passages, expect=expect)


def units_ranked(table: Table, larder: Artifacts) -> Mapping[str, list[tuple[str, int, int]]]:
    """Question → places of the units that the retriever ranked, best first."""
    made: dict[str, list[tuple[str, int, int]]] = {}
    for name in runs_of(table):
        run: Any = larder[name]
        units = run.units
        if units is None:
            continue
        for question in run.questions:
            codes = [code for code in run.codes(question).tolist() if code < len(units)]
            made[question] = [
                (str(units.corpus.documents[units.doc[i]].id), int(units.start[i]), int(units.end[i]))
                for i in codes
            ]
    return made
