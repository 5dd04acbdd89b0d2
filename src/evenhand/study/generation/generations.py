"""Generations in a study run: what is there is read; what costs nothing is asked here, others never."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from unicodedata import normalize

from evenhand.errors import InputError
from evenhand.study.generation.ask import Writing, asks_itself, is_file, name_of, writing_of
from evenhand.study.generation.custom_system import Bringing, bringing_of
from evenhand.study.generation.requests import asks_in, plan_of, runs_of
from evenhand.study.steps.code_fingerprint import code_seal
from evenhand.study.steps.loop import Step
from evenhand.study.steps.serialize import json_form

if TYPE_CHECKING:
    from evenhand.answer.generation.requests import Ask
    from evenhand.model.answer import Generation
    from evenhand.model.plan.study import Plan
    from evenhand.study.comparison.steps import Table
    from evenhand.study.steps.loop import Artifacts

__all__ = ["GENERATIONS", "at_work", "gathered", "generations_step"]

GENERATIONS = "generations"  # what the larder calls them


def generations_step(table: Table) -> Step:
    """The step that reads generations, votes on claims and ratings; on every run, since files may grow."""

    def work(larder: Artifacts) -> dict[str, Any]:
        return _told(table, larder)

    return Step(
        makes=GENERATIONS,
        needs=("questions", "gold", *runs_of(table)),
        work=work,
        settings={"plan": table.plan.seal},
        code=code_seal("answer", "judge", "labelling", "study"),
        form=json_form(),
        anew=True,
    )


def at_work(plan: Plan, folder: Any, asks: Sequence[Ask]) -> Writing | Bringing:
    """Whoever answers in this study."""
    answers = plan_of(plan)
    return writing_of(answers, folder, asks) if answers.model else bringing_of(answers, folder, asks)


def _told(table: Table, larder: Artifacts) -> dict[str, Any]:
    from evenhand.formats.answers.jsonl import generation_json
    from evenhand.study.generation.claims_and_ratings import claims_said, ratings_elsewhere, ratings_of

    made, counts = gathered(table, asks_in(table, larder))
    return {
        "rows": [generation_json(one) for one in made],
        **counts,
        "claims": claims_said(table, larder, made),
        "ratings": ratings_of(table, made),
        "ratings_elsewhere": ratings_elsewhere(table, made),
    }


def gathered(table: Table, asks: Sequence[Ask]) -> tuple[list[Generation], dict[str, Any]]:
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
        "reworded": 0,
        "lacks": [_row(job.ask) for job in (*standing.missing, *standing.failed)[:1]],
    }


def _row(ask: Ask, system: str = "") -> dict[str, str]:
    return {"topic": ask.topic, "ask": ask.ask, "system": system or ask.system}


def brought_in(table: Table, asks: Sequence[Ask]) -> tuple[list[Generation], dict[str, Any]]:
    """The generations of the file that ``from`` names, the last of each system and topic, and counts.

    A generation belongs to the question of its id, and where none has that id (or another has its very words)
    to the question of its words. ``other`` belong to none, or come after another line of theirs;
    ``reworded`` go by the id and have other words.
    """
    from evenhand.answer.diagnosis.failure_rates import standing
    from evenhand.formats.answers.jsonl import read_answers

    plan = plan_of(table.plan)
    file = table.folder / plan.source
    if not file.is_file():
        raise InputError(
            f"[answers] from: there is no file {file}",
            mend="evenhand answers import brings other tools' files into ours",
        )
    every = standing(read_answers(file))
    known = {ask.topic: ask for ask in asks}
    if plan.kind == "study-items":  # several topics may be asked in the same words
        made = [one for one in every if one.topic in known or not known]
    else:
        made = _placed(every, asks, where=plan.source)
    there = {(one.system, one.topic) for one in made}
    lacking = [
        (system, topic)
        for system in sorted({one.system for one in made}) or [name_of(plan)]
        for topic in known
        if (system, topic) not in there
    ]
    lacks = lacking + [(one.system, one.topic) for one in made if one.state == "fault" and one.topic in known]
    return [_expecting(one, known) for one in made], {
        "asked": len(made) + len(lacking),
        "missing": len(lacking),
        "lacks": [_row(known[topic], system) for system, topic in lacks[:1]],
        "failed": sum(one.state == "fault" for one in made),
        "other": len(every) - len(made),
        "reworded": sum(
            plan.kind == "answers" and one.topic in known and _words(one.ask) != _words(known[one.topic].ask)
            for one in made
        ),
    }


def _words(ask: str) -> str:
    """The words of a question as they are compared: letter for letter, white space aside."""
    return " ".join(normalize("NFC", ask).split())


def _placed(every: Sequence[Generation], asks: Sequence[Ask], *, where: str) -> list[Generation]:
    """Each generation under the id of its question, the first of each; those of no question are left out."""
    known = {ask.topic: _words(ask.ask) for ask in asks}
    by_words: dict[str, list[str]] = {}
    for topic, words in known.items():
        by_words.setdefault(words, []).append(topic)
    of: dict[tuple[str, str], int] = {}
    for at in sorted(range(len(every)), key=lambda at: known.get(every[at].topic) != _words(every[at].ask)):
        one = every[at]
        same = by_words.get(_words(one.ask), [])
        if one.topic not in same and len(same) > 1:
            raise InputError(
                f"{where}: {one.topic!r} asks {one.ask!r}, the words of {', '.join(same)} alike",
                mend=f'give the line the id of the question that it answers: "topic": "{same[0]}"',
            )
        topic = one.topic if one.topic in same or not same else same[0]
        if topic in known:
            of.setdefault((one.system, topic), at)
    topics = {at: topic for (_, topic), at in of.items()}
    return [replace(every[at], topic=topics[at]) for at in sorted(topics)]


def _expecting(one: Generation, known: dict[str, Ask]) -> Generation:
    """What is expected of a question is said by the gold set, whatever a file says."""
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
        from evenhand.store.calls.journal import Calls
        from evenhand.study.generation.ask import WRITER
        from evenhand.study.panel.ask import readied
        from evenhand.study.steps.model_client import caller_of

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
