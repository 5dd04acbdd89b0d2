"""A study's generator at work: who is asked what, what came, what is still missing."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenhand.answer.generation.prompts import Template
from evenhand.answer.generation.requests import CLOSED_BOOK, MAX_TOKENS, Ask, generation, request
from evenhand.errors import InputError
from evenhand.formats.study_file.answers import SOURCES
from evenhand.llm.providers.families import limit_of
from evenhand.store.calls.journal import call_key
from evenhand.study.panel.ask import is_local
from evenhand.study.steps.model_client import OF_A_CALL
from evenhand.study.steps.model_costs import Spent

if TYPE_CHECKING:
    from evenhand.llm.scheduling.caller import Caller
    from evenhand.model.answer import Generation
    from evenhand.model.call import Request
    from evenhand.model.plan.sections import AnswersPlan
    from evenhand.protocols import Chat

__all__ = ["WRITER", "Job", "Standing", "Writing", "asks_itself", "name_of", "templates_of", "writing_of"]

WRITER = "writer"  # the caller's name for the model
SECONDS = 1.0  # generations are written in groups, at the latest after so long


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One request: what is asked, by which template; ``key`` names its call."""

    ask: Ask
    template: Template
    key: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """The generations that count, in the order of the jobs; jobs without one; and what does not count.

    ``other``: lines of another prompt, model, question or other passages.
    """

    made: tuple[Generation, ...]
    missing: tuple[Job, ...]
    failed: tuple[Job, ...] = ()
    other: int = 0


def asks_itself(plan: AnswersPlan) -> bool:
    """Whether a study run asks by itself: recordings, programs and functions here, which cost nothing."""
    return is_local(plan.model) if plan.model else plan.source.startswith("python:")


def name_of(plan: AnswersPlan) -> str:
    """What the generator is called: its name, else the model's, else that of the function or address."""
    if plan.name:
        return plan.name
    if plan.model:
        door, _, model = plan.model.partition(":")
        return Path(model).stem if door == "recorded" else model
    return plan.source.removeprefix("python:")


def templates_of(plan: AnswersPlan, folder: Path) -> tuple[Template, ...]:
    """What is asked: the main arm, and the one without passages where it is planned."""
    own = (folder / plan.prompt).read_text("utf-8") if plan.prompt else ""
    main = Template(
        kind=plan.kind,
        multiple_choice=plan.multiple_choice,
        short_answer=plan.short_answer,
        options=int(plan.checks.get("options", 4)),
        language=plan.language,
        own=own,
    )
    return (main, Template(kind="closed-book", language=plan.language)) if plan.closed_book else (main,)


@dataclass(frozen=True, kw_only=True)
class Writing:
    """A plan bound to its model: *asks* in their order; ``file`` holds what came."""

    plan: AnswersPlan
    asks: tuple[Ask, ...]
    templates: tuple[Template, ...]
    chat: Chat
    file: Path
    spent: Spent = field(default_factory=Spent)
    unasked: Counter[str] = field(default_factory=Counter)  # calls that were not made, by why
    whys: dict[str, str] = field(default_factory=dict)  # why calls were not made, with figures

    @cached_property
    def called(self) -> tuple[str, ...]:
        """Names of the model in replies; none where a recording or an object of the user's does not say."""
        door, _, model = self.plan.model.partition(":")
        own = () if door in ("recorded", "command", "python") else (model,)
        return (*own, *self.plan.also_called)

    @cached_property
    def jobs(self) -> tuple[Job, ...]:
        """Every request to be made, the arm without passages after the main one."""
        made = []
        for template in self.templates:
            for ask in self.asks:
                told = ask if template.kind != "closed-book" else closed(ask)
                key = call_key(self.chat.seal, self.request(told, template).seal)
                made.append(Job(ask=told, template=template, key=key))
        return tuple(made)

    def request(self, ask: Ask, template: Template) -> Request:
        """What is asked."""
        limit = self.plan.max_tokens or limit_of(self.chat, MAX_TOKENS[template.kind])
        return request(ask, template, max_tokens=limit, seed=self.plan.seed)

    def requests(self, jobs: Iterable[Job]) -> Iterator[tuple[str, Request]]:
        """The pairs that a caller takes."""
        for job in jobs:
            yield WRITER, self.request(job.ask, job.template)

    def kept(self) -> list[Generation]:
        """All lines of the file."""
        from evenhand.formats.answers.jsonl import read_answers

        return read_answers(self.file) if self.file.exists() else []

    def standing(self, kept: Iterable[Generation]) -> Standing:
        """The last generation of each job; a fault never takes the place of anything else."""
        return standing_of(self.jobs, kept)

    def ask(self, jobs: Sequence[Job], caller: Caller) -> Iterator[Generation]:
        """Ask, and give each generation when it is there; they are written in small groups."""
        from evenhand.formats.answers.jsonl import answers_text
        from evenhand.formats.append_lines import append_lines

        by_task = {job.ask.task(job.template): job for job in jobs}
        held: list[Generation] = []
        since = time.monotonic()
        try:
            for call in caller.ask(self.requests(jobs), total=len(jobs)):
                self.spent.count(call)
                if call.outcome == "fault" and not call.tries:
                    self.unasked[call.why] += 1
                    continue
                job = by_task[call.task]
                made = generation(call, job.ask, job.template, called=self.called)
                held.append(made)
                yield made
                if time.monotonic() - since > SECONDS:
                    append_lines(self.file, answers_text(held).encode())
                    held, since = [], time.monotonic()
        finally:
            append_lines(self.file, answers_text(held).encode())
            self.whys.update(caller.whys)

    def tidy(self) -> list[Generation]:
        """Write the file anew: what no longer counts first, as it came, then what does, in order."""
        return tidy(self.file, self.kept, self.jobs)


def closed(ask: Ask) -> Ask:
    """The same question to the arm without passages."""
    return Ask(topic=ask.topic, ask=ask.ask, system=ask.system + CLOSED_BOOK, expect=ask.expect)


def standing_of(jobs: Sequence[Job], kept: Iterable[Generation]) -> Standing:
    """See `Writing.standing`."""
    wanted = {job.key: job for job in jobs}
    found: dict[str, Generation] = {}
    other = 0
    for one in kept:
        job = wanted.get(one.call)
        # the same question and passages of two systems are one call: the line says whose it is
        if job is None or (one.topic, one.system) != (job.ask.topic, job.ask.system):
            other += 1
        elif one.call not in found or found[one.call].state == "fault" or one.state != "fault":
            found[one.call] = one
    return Standing(
        made=tuple(found[job.key] for job in jobs if job.key in found),
        missing=tuple(job for job in jobs if job.key not in found),
        failed=tuple(job for job in jobs if job.key in found and found[job.key].state == "fault"),
        other=other,
    )


def tidy(file: Path, read: Callable[[], list[Generation]], jobs: Sequence[Job]) -> list[Generation]:
    """See `Writing.tidy`; nobody adds to the file between *read* and the new one."""
    from evenhand.formats.answers.jsonl import answers_text, write_answers
    from evenhand.formats.append_lines import alone

    if not file.exists():
        return []
    with alone(file):
        kept, wanted = read(), {job.key for job in jobs}
        order = [one for one in kept if one.call not in wanted]
        order += standing_of(jobs, kept).made
        if order and answers_text(order).encode() != file.read_bytes():
            write_answers(file, order)
    return order


def writing_of(plan: AnswersPlan, folder: Path, asks: Sequence[Ask]) -> Writing:
    """The generator of a plan, its model not opened yet."""
    from evenhand.llm.providers.factory import chat_of
    from evenhand.study.panel.ask import of_section

    if not plan.model:
        raise InputError(
            f"[answers] from: {plan.source!r} is no model, and is not asked by us",
            mend="evenhand run takes it in; model = … is what `evenhand answers generate` asks",
        )
    settings: Mapping[str, Any] = {k: v for k, v in plan.settings.items() if k not in OF_A_CALL}
    settings = dict(settings) | ({"family": plan.family} if plan.family else {})
    try:
        chat = chat_of(plan.model, settings, name=name_of(plan), folder=folder)
        _ = chat.seal, chat.family  # a recording is read now
    except InputError as error:
        raise of_section(error, "answers", name_of(plan)) from error
    return Writing(
        plan=plan,
        asks=tuple(asks),
        templates=templates_of(plan, folder),
        chat=chat,
        file=folder / plan.out,
    )


def is_file(plan: AnswersPlan) -> bool:
    """Whether outputs are brought in a file."""
    return is_source(plan.source)


def is_source(name: str) -> bool:
    """Whether *name*, of ``from``, is that of a file."""
    return bool(name) and not name.startswith(SOURCES)
