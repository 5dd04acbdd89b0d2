"""Generations in a study run: what is there is read; what costs nothing is asked here, others never."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from evenhand.errors import InputError
from evenhand.study.answered import Writing, asks_itself, is_file, name_of, writing_of
from evenhand.study.answered_guest import Bringing, bringing_of
from evenhand.study.answers_asked import asks_in, plan_of, runs_of
from evenhand.study.code import code_seal
from evenhand.study.packing import json_form
from evenhand.study.steps import Step

if TYPE_CHECKING:
    from evenhand.answer.generate import Ask
    from evenhand.model.answer import Generation
    from evenhand.model.study import Plan
    from evenhand.study.steps import Larder
    from evenhand.study.table import Table

__all__ = ["GENERATIONS", "at_work", "gathered", "generations_step"]

GENERATIONS = "generations"  # what the larder calls them


def generations_step(table: Table) -> Step:
    """The step that reads generations, votes on claims and ratings; on every run, since files may grow."""

    def work(larder: Larder) -> dict[str, Any]:
        return _told(table, larder)

    return Step(
        makes=GENERATIONS,
        needs=("questions", "gold", *runs_of(table)),
        work=work,
        settings={"plan": table.plan.seal},
        code=code_seal("answer", "judge", "study"),
        form=json_form(),
        anew=True,
    )


def at_work(plan: Plan, folder: Any, asks: Sequence[Ask]) -> Writing | Bringing:
    """Whoever answers in this study."""
    answers = plan_of(plan)
    return writing_of(answers, folder, asks) if answers.model else bringing_of(answers, folder, asks)


def _told(table: Table, larder: Larder) -> dict[str, Any]:
    from evenhand.formats.answers import generation_json
    from evenhand.study.answers_beside import claims_said, ratings_elsewhere, ratings_of

    made, counts = gathered(table, asks_in(table, larder))
    return {
        "rows": [generation_json(one) for one in made],
        **counts,
        "claims": claims_said(table, larder, made),
        "ratings": ratings_of(table, made),
        "ratings_elsewhere": ratings_elsewhere(table, made),
    }


def gathered(table: Table, asks: Sequence[Ask]) -> tuple[list[Generation], dict[str, int]]:
    """The generations that count, in the order of the plan, and how many are missing, failed or of others."""
    plan = plan_of(table.plan)
    if is_file(plan):
        return brought_in(table, asks)
    working = at_work(table.plan, table.folder, asks)
    if asks_itself(plan):
        _ask_here(table, working)
    standing = working.standing(working.kept())
    return list(standing.made), {
        "asked": len(working.jobs),
        "missing": len(standing.missing),
        "failed": len(standing.failed),
        "other": standing.other,
    }


def brought_in(table: Table, asks: Sequence[Ask]) -> tuple[list[Generation], dict[str, int]]:
    """The generations of the file that ``from`` names, the last of each system and topic, and counts."""
    from evenhand.answer.accounting import standing
    from evenhand.formats.answers import read_answers

    plan = plan_of(table.plan)
    file = table.folder / plan.source
    if not file.is_file():
        raise InputError(
            f"[answers] from: there is no file {file}",
            mend="evenhand answers import brings other tools' files into ours",
        )
    every = standing(read_answers(file))
    known = {ask.topic: ask for ask in asks}
    topics = not known and plan.kind == "study-items"
    made = [one for one in every if topics or one.topic in known]
    lacking = sum(
        topic not in {one.topic for one in made if one.system == system}
        for system in {one.system for one in made} or {name_of(plan)}
        for topic in known
    )
    return [_expecting(one, known) for one in made], {
        "asked": len(made) + lacking,
        "missing": lacking,
        "failed": sum(one.state == "fault" for one in made),
        "other": len(every) - len(made),
    }


def _expecting(one: Generation, known: dict[str, Ask]) -> Generation:
    """What is expected of a question is said by the gold set, whatever a file says."""
    from dataclasses import replace

    ask = known.get(one.topic)
    return one if ask is None or one.expect == ask.expect else replace(one, expect=ask.expect)


def _ask_here(table: Table, working: Writing | Bringing) -> None:
    """Ask recordings, programs and functions here for what is not there yet."""
    waiting = working.standing(working.kept()).missing
    if not waiting:
        return
    if isinstance(working, Bringing):
        for _ in working.ask(waiting, table.progress):
            pass
    else:
        from evenhand.store.calls import Calls
        from evenhand.study.answered import WRITER
        from evenhand.study.callers import caller_of
        from evenhand.study.panelled import readied

        readied([working.chat], "answers")
        journal = Calls(table.blobs.root)
        try:
            caller = caller_of(
                working.plan,
                {WRITER: working.chat},
                journal,
                progress=table.progress,
                retry_failed=False,
                stage="answer",
            )
            for _ in working.ask(waiting, caller):
                pass
        finally:
            journal.close()
    working.tidy()
