"""Answers of a system that somebody brings: a Python function, or an address that is asked over HTTP."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenhand.answer.generation.parse_reply import items_of
from evenhand.answer.generation.prompts import Template
from evenhand.answer.generation.requests import Ask
from evenhand.errors import EvenhandError, InputError
from evenhand.guest_errors import raised
from evenhand.model.answer import Generation, Passage
from evenhand.model.seal import seal
from evenhand.study.generation.ask import Job, Standing, standing_of, templates_of, tidy
from evenhand.study.steps.model_costs import Spent

if TYPE_CHECKING:
    from evenhand.model.plan.sections import AnswersPlan
    from evenhand.protocols import Progress

__all__ = ["Bringing", "answer_of", "bringing_of"]

SHAPE = 'return a text, or {"answer": "…", "citations": [{"passage": "1", "quote": "…"}]}'
TEXTS = ("answer", "response", "text", "output")
GIVEN = ("passages", "contexts", "retrieved_contexts", "documents")


@dataclass(frozen=True, kw_only=True)
class Bringing:
    """A plan bound to what is brought: as `ask.Writing`, without a model of ours."""

    plan: AnswersPlan
    asks: tuple[Ask, ...]
    template: Template
    file: Path
    spent: Spent
    whys: dict[str, str] = field(default_factory=dict)  # nobody is kept from being asked: empty

    @cached_property
    def jobs(self) -> tuple[Job, ...]:
        """Every question; a function whose file has changed is asked anew."""
        from evenhand.study.steps.code_fingerprint import guest_seal

        source = self.plan.source
        version = guest_seal(source) if source.startswith("python:") else ""
        return tuple(
            Job(ask=ask, template=self.template, key=seal(["brought/1", source, version, *_given(ask)]))
            for ask in self.asks
        )

    def kept(self) -> list[Generation]:
        """All lines of the file."""
        from evenhand.formats.answers.jsonl import read_answers

        return read_answers(self.file) if self.file.exists() else []

    def standing(self, kept: Iterable[Generation]) -> Standing:
        """As `Writing.standing`."""
        return standing_of(self.jobs, kept)

    def ask(self, jobs: Sequence[Job], progress: Progress) -> Iterator[Generation]:
        """Ask one after the other; each answer, which may be paid for, is written before the next."""
        from evenhand.formats.answers.jsonl import answers_text
        from evenhand.formats.append_lines import append_lines

        asking = self._asking()
        for done, job in enumerate(jobs, start=1):
            made = replace(_asked(asking, job), call=job.key)
            append_lines(self.file, answers_text([made]).encode())
            yield made
            progress("answer", done, len(jobs))

    def tidy(self) -> list[Generation]:
        """As `Writing.tidy`."""
        return tidy(self.file, self.kept, self.jobs)

    def _asking(self) -> Callable[[str, list[dict[str, Any]]], Any]:
        if self.plan.source.startswith("python:"):
            from inspect import signature

            from evenhand.plugins import find

            try:
                function = find(self.plan.source, "generator")
            except InputError as error:
                raise InputError(f"[answers] from: {error.what}", mend=error.mend) from error
            if not callable(function):
                raise InputError(f"[answers] from: {self.plan.source} is no function", mend=SHAPE)
            try:
                alone = len(signature(function).parameters) == 1
            except (TypeError, ValueError):  # a function in C may not tell its parameters
                alone = False
            return (lambda question, _: function(question)) if alone else function
        return _endpoint(self.plan)


def bringing_of(plan: AnswersPlan, folder: Path, asks: Sequence[Ask]) -> Bringing:
    """What is brought, nothing imported or opened yet."""
    return Bringing(
        plan=plan,
        asks=tuple(asks),
        template=templates_of(plan, folder)[0],
        file=folder / plan.out,
        spent=Spent(),
    )


def _given(ask: Ask) -> list[Any]:
    return [ask.topic, ask.ask, ask.system, [[one.unit, one.marker, one.text] for one in ask.passages]]


def _endpoint(plan: AnswersPlan) -> Callable[[str, list[dict[str, Any]]], Any]:
    """POST of ``{"question", "passages"}``, a JSON reply."""
    from evenhand.llm.clients.http_calls import key_of, post
    from evenhand.llm.clients.transport import client

    try:
        headers = key_of(str(plan.settings.get("key_env", "")), plan.source)
    except InputError as error:
        raise error.reworded(f"[answers] key_env: {error.what}") from error
    line = client(timeout=float(plan.settings.get("timeout", 60.0)))
    retries = int(plan.settings.get("retries", 2))

    def asking(question: str, passages: list[dict[str, Any]]) -> Any:
        content = {"question": question, "passages": passages}
        return post(line, plan.source, content, retries=retries, headers=headers)

    return asking


def _asked(asking: Callable[[str, list[dict[str, Any]]], Any], job: Job) -> Generation:
    """One answer; a function that raises and an endpoint that fails are faults, to be asked again."""
    passages = [
        {"marker": one.marker, "text": one.text, "title": one.title, "unit": one.unit}
        for one in job.ask.passages
    ]
    try:
        said = asking(job.ask.ask, passages)
    except EvenhandError as error:
        return _bare(job.ask, "fault", error.what)
    except Exception as error:  # noqa: BLE001 - a guest may raise anything
        return _bare(job.ask, "fault", f"it raised {raised(error)}")
    return answer_of(said, job.ask, job.template)


def _bare(ask: Ask, state: str, why: str) -> Generation:
    return Generation(
        topic=ask.topic,
        ask=ask.ask,
        system=ask.system,
        passages=ask.passages,
        expect=ask.expect,
        state=state,
        why=" ".join(why.split())[:300],
    )


def answer_of(said: Any, ask: Ask, template: Template) -> Generation:
    """What a guest returned, as a generation.

    A text is an answer. An object has ``answer`` (or ``response``), and may have ``citations``, ``abstained``
    (true or false), ``passages`` of its own (texts, or objects with text, id, doc, start, end), and for study
    items ``items`` as models are asked for them. None: it did not answer, which is a fault.
    """
    if said is None:
        return _bare(ask, "fault", "it returned nothing")
    row: Any = {"answer": said} if isinstance(said, str) else said
    if not isinstance(row, Mapping):
        return _bare(ask, "invalid", f"it returned {type(said).__name__}: {SHAPE}")
    own = next((row[name] for name in GIVEN if isinstance(row.get(name), list)), None)
    passages = ask.passages if own is None else tuple(_passages(own))
    text = next((row[name] for name in TEXTS if isinstance(row.get(name), str)), None)
    data: dict[str, Any] = {"citations": row.get("citations"), "items": row.get("items")}
    data |= {"answer": text} if text is not None else {}
    told = row.get("abstained")
    if isinstance(told, bool):
        data["does"] = "cannot-answer" if told else "answers"
    found = items_of(data, ask, template)
    made = replace(_bare(ask, "made", ""), passages=passages)
    if not found.items:
        return replace(made, state="invalid", why=found.why)
    notes = {name: value for name, value in found.notes.items() if name != "does"}
    return replace(made, items=found.items, extra=notes)


def _passages(rows: list[Any]) -> Iterator[Passage]:
    from evenhand.formats.guests.answers.rows import passage_of

    for place, row in enumerate(rows, start=1):
        made = passage_of(row, place)
        if made is None:
            continue
        ends = (row.get("start"), row.get("end")) if isinstance(row, Mapping) else (None, None)
        whole = all(isinstance(end, int) and not isinstance(end, bool) and end >= 0 for end in ends)
        yield replace(made, start=ends[0], end=ends[1]) if whole and made.doc else made
