"""``[answers]``: what is generated, from which passages, by whom; the checks made; who judges claims."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from evenhand.answer.checks.run_checks import checks_named
from evenhand.answer.checks.settings import settings_of
from evenhand.answer.generation.prompts import Template
from evenhand.errors import InputError, nearest
from evenhand.formats.study_file.panel import JUDGE_KEYS
from evenhand.formats.study_file.panel import read as read_panel
from evenhand.formats.study_file.toml_reader import Book, Table
from evenhand.formats.study_file.topics import read_topics
from evenhand.model.plan.sections import AnswersPlan, PanelPlan

__all__ = ["KINDS", "VOTES", "WHOLE", "read"]

KINDS = ("answers", "study-items")
VOTES = "answers.votes.jsonl"
WHOLE = {"k": 1, "multiple_choice": 0, "short_answer": 0, "concurrency": 1}
FILES = {"out": ".jsonl", "ratings": ".jsonl"}
SOURCES = ("python:", "http://", "https://")


def read(book: Book, content: Any, folder: Path, *, systems: Sequence[str]) -> AnswersPlan | None:
    """The plan of generated answers; exactly one of ``model`` and ``from`` says who answers."""
    if not isinstance(content, Mapping):
        book.wrong("answers", "", f"found {content!r}, expected a section", mend="write [answers]")
        return None
    plain = AnswersPlan.__dataclass_fields__
    nested = ("checks", "panel")
    table = Table(book, "answers", {key: value for key, value in content.items() if key not in nested})
    made: dict[str, Any] = {
        "kind": table.name("kind", KINDS, "answers"),
        "model": table.take("model", str, ""),
        "source": table.take("from", str, ""),
    }
    for key in ("name", "family", "topics", "language", "prompt", "entailment", "entailment_label"):
        made[key] = table.take(key, str, "")
    for key, least in WHOLE.items():
        made[key] = table.take(key, int, plain[key].default, least=least)
    for key, ending in FILES.items():
        made[key] = table.take(key, str, plain[key].default)
        if not made[key].endswith(ending):
            table.wrong(
                key, f"found {made[key]!r}, expected a {ending} file", mend=f'{key} = "{plain[key].default}"'
            )
    made["closed_book"] = table.take("closed_book", bool, default=False)
    made["also_called"] = table.texts("also_called")
    made["budget"] = table.take("budget", float, None, least=0)
    made["deadline"] = table.take("deadline", float, None, least=0.1)
    made["max_tokens"] = table.take("max_tokens", int, 0, least=16)
    made["seed"] = table.take("seed", int, None, least=0)
    made["system"] = _system(table, systems, outside=bool(made["source"]))
    settings = _who(book, table, made)
    for key, kind in (("call_timeout", float), ("tries", int)):
        if table.has(key):
            settings[key] = table.take(key, kind, None, least=0.1 if kind is float else 1)
    _asked(table, made, folder)
    made["only"], made["checks"] = _checks(book, content.get("checks", {}))
    made["panel"] = _panel(book, content["panel"], folder) if "panel" in content else None
    _entailment(table, made)
    table.known.update(nested)
    table.close(
        elsewhere={"only": "only belongs to [answers.checks]", "judge": "write [answers.panel.judge.NAME]"}
    )
    return AnswersPlan(**made, settings=settings)


def _entailment(table: Table, made: dict[str, Any]) -> None:
    """Claims are borne out by one of a panel and a model of entailment; a label belongs to a model."""
    if made["entailment"] and made["panel"] is not None:
        table.wrong(
            "entailment", "a panel bears out claims already", mend="leave out entailment, or [answers.panel]"
        )
    if made["entailment_label"] and not made["entailment"]:
        table.wrong("entailment_label", "no model has this label", mend='entailment = "models/nli"')


def _system(table: Table, systems: Sequence[str], *, outside: bool) -> str:
    """The retriever; outputs that come from outside may have been given passages by nobody here."""
    name = table.take("system", str, "")
    base = name.partition("/")[0]
    if name and base not in systems:
        table.wrong("system", f"there is no system {name!r}", mend=nearest(name, systems))
    if not name and not outside and systems:
        table.wrong(
            "system", "says not which system gives the passages", mend=f'write system = "{systems[0]}"'
        )
    return str(name)


def _who(book: Book, table: Table, made: dict[str, Any]) -> dict[str, Any]:
    """The settings of whoever answers; what cannot go together is noted."""
    model, source = made["model"], made["source"]
    if bool(model.strip()) == bool(source.strip()):
        book.wrong(
            "answers",
            "",
            "has both a model and from" if model else "says not who answers",
            mend='write model = "provider:name", or from = "answers.jsonl"',
        )
    elif model and ":" not in model:
        table.wrong("model", f"{model!r} does not say who serves it", mend='model = "provider:name"')
    if source and made["closed_book"]:
        table.wrong(
            "closed_book", "outputs that are brought cannot be asked again", mend="leave closed_book out"
        )
    if source.startswith(SOURCES) and made["kind"] == "study-items" and not made["topics"]:
        table.wrong("topics", "says not what items are written about", mend='topics = "topics.toml"')
    if source and not source.startswith(SOURCES) and not source.endswith(".jsonl"):
        table.wrong(
            "from",
            f"found {source!r}, expected a .jsonl file, python:module:function or an address",
            mend="evenhand answers import brings other tools' files into ours",
        )
    known: tuple[str, ...] = ()
    if model and model.partition(":")[0] not in ("recorded", "command"):
        known = JUDGE_KEYS
    elif source.startswith(("http://", "https://")):
        known = ("key_env", "timeout", "retries")
    table.known.update(known)
    return {key: value for key, value in table.content.items() if key in known}


def _asked(table: Table, made: dict[str, Any], folder: Path) -> None:
    """Files that are asked by must be there; study items need topics and a number."""
    if made["kind"] == "study-items":
        if not made["topics"] and made["model"]:
            table.wrong("topics", "says not what items are written about", mend='topics = "topics.toml"')
        try:
            Template(
                kind="study-items",
                multiple_choice=made["multiple_choice"],
                short_answer=made["short_answer"],
            )
        except InputError as error:
            table.wrong("multiple_choice", error.what, mend=error.mend)
    elif made["topics"]:
        table.wrong("topics", "answers are to the questions of the gold set", mend='set kind = "study-items"')
    if made["kind"] == "study-items" and made["closed_book"]:
        table.wrong("closed_book", "items on topics are not written closed book", mend="leave it out")
    for key in ("topics", "prompt"):
        if made[key] and not (folder / made[key]).is_file():
            table.wrong(
                key, f"there is no file {folder / made[key]}", mend="paths are relative to the study file"
            )
        elif key == "topics" and made[key]:
            try:
                read_topics(folder / made[key])
            except InputError as error:
                table.wrong(key, error.what, mend=error.mend)


def _checks(book: Book, content: Any) -> tuple[tuple[str, ...], dict[str, Any]]:
    """``[answers.checks]``: which are made, and what they are set to."""
    if not isinstance(content, Mapping):
        book.wrong(
            "answers.checks", "", f"found {content!r}, expected a section", mend="write [answers.checks]"
        )
        return (), {}
    table = Table(book, "answers.checks", content)
    only = table.texts("only")
    rest = table.rest()
    for look, given in ((lambda: checks_named(only, "only"), "only"), (lambda: settings_of(rest, ""), "")):
        try:
            look()
        except InputError as error:
            key = given or next((name for name in rest if name in error.what), "")
            book.wrong("answers.checks", key, error.what.lstrip(": "), mend=error.mend)
    return only, rest


def _panel(book: Book, content: Any, folder: Path) -> PanelPlan | None:
    """``[answers.panel]``: judges of claims. The sheet is always that on claims."""
    if not isinstance(content, Mapping):
        book.wrong(
            "answers.panel", "", f"found {content!r}, expected a section", mend="write [answers.panel]"
        )
        return None
    for key in ("sheet", "of", "depth", "systems"):
        if key in content:
            book.wrong("answers.panel", key, "unknown key", mend="its judges see a claim and a text, always")
    told = {key: value for key, value in content.items() if key not in ("sheet", "of", "depth", "systems")}
    return read_panel(
        book, {"votes": VOTES, **told}, folder, systems=(), section="answers.panel", sheet="claim"
    )
