"""``answers.jsonl``: what was generated, one topic of one system a line, every field checked."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from evenhand.errors import InputError, nearest
from evenhand.formats.encoding import decode
from evenhand.formats.json_lines import json_line, json_rows
from evenhand.formats.raw_bytes import read_bytes, write_bytes
from evenhand.model.answer import Citation, Finding, Generation, Item, Passage
from evenhand.model.gold import EXPECTATIONS

__all__ = [
    "answers_text",
    "finding_json",
    "generation_json",
    "generation_of",
    "parse_answers",
    "read_answers",
    "write_answers",
]

MEND = (
    "write what `evenhand answers generate` writes, one object a line; `evenhand answers import` makes such "
    "lines of any with a question and a response"
)
TEXT, WHOLE, FLAG, TEXTS = "a text", "a whole number from 0", "true or false", "a list of texts"
FIELDS: dict[type, dict[str, str]] = {
    Passage: {
        "unit": TEXT,
        "text": TEXT,
        "marker": TEXT,
        "doc": TEXT,
        "start": WHOLE,
        "end": WHOLE,
        "title": TEXT,
    },
    Citation: {"marker": TEXT, "start": WHOLE, "end": WHOLE, "quote": TEXT},
    Item: {
        "topic": TEXT,
        "kind": TEXT,
        "text": TEXT,
        "system": TEXT,
        "number": WHOLE,
        "options": TEXTS,
        "key": WHOLE,
        "answer": TEXT,
        "citations": "a list of objects",
        "claims": TEXTS,
        "abstained": FLAG,
        "language": TEXT,
    },
    Generation: {
        "topic": TEXT,
        "ask": TEXT,
        "system": TEXT,
        "state": TEXT,
        "passages": "a list of objects",
        "items": "a list of objects",
        "expect": TEXT,
        "why": TEXT,
        "model": TEXT,
        "prompt": TEXT,
        "call": TEXT,
        "extra": "an object",
    },
}
NEEDED: dict[type, tuple[str, ...]] = {
    Passage: ("unit", "text"),
    Citation: ("marker",),
    Item: ("kind", "text"),
    Generation: ("topic", "ask", "system"),
}
EMPTY: tuple[Any, ...] = ("", None, (), {})


def generation_json(one: Generation) -> dict[str, Any]:
    """The object of one line, keys in fixed order; what is empty is left out.

    Items do not repeat topic and system, and their numbers only where they are not those of their order.
    """
    row = _filled(one, but=("passages", "items", "extra"))
    row["passages"] = [_filled(passage) for passage in one.passages]
    if one.items:
        row["items"] = [_item(item, i, one) for i, item in enumerate(one.items)]
    if one.extra:
        row["extra"] = dict(one.extra)
    return row


def _filled(thing: Any, but: tuple[str, ...] = ()) -> dict[str, Any]:
    """The fields of a record that hold something, and those that a line must have."""
    needed = NEEDED[type(thing)]
    return {
        name: list(value) if isinstance(value, tuple) else value
        for name in FIELDS[type(thing)]
        if name not in but and ((value := getattr(thing, name)) not in EMPTY or name in needed)
    }


def _item(item: Item, place: int, of: Generation) -> dict[str, Any]:
    row = _filled(item, but=("topic", "system", "number", "citations"))
    if item.topic != of.topic or item.system != of.system:
        row |= {"topic": item.topic, "system": item.system}
    if item.number != place:
        row["number"] = item.number
    if item.citations:
        row["citations"] = [_filled(citation) for citation in item.citations]
    return row


def generation_of(row: Any, where: str) -> Generation:
    """The generation of one object; an `InputError` names *where*, the field, and what is expected of it."""
    made = _fields(row, Generation, where)
    made["passages"] = tuple(
        Passage(**_placed(_fields(one, Passage, f"{where}: passages[{i}]"), f"{where}: passages[{i}]"))
        for i, one in enumerate(made.get("passages", ()))
    )
    items = []
    for i, one in enumerate(made.get("items", ())):
        place = f"{where}: items[{i}]"
        fields = {"topic": made["topic"], "system": made["system"], "number": i} | _fields(one, Item, place)
        fields["citations"] = tuple(
            Citation(**_placed(_fields(c, Citation, f"{place}.citations[{j}]"), f"{place}.citations[{j}]"))
            for j, c in enumerate(fields.get("citations", ()))
        )
        for name in ("options", "claims"):
            fields[name] = tuple(fields.get(name, ()))
        items.append(_made(Item, fields, place))
    made["items"] = tuple(items)
    if made.get("expect", "") not in ("", *EXPECTATIONS):
        raise InputError(f"{where}: expect is {made['expect']!r}", mend=nearest(made["expect"], EXPECTATIONS))
    generation: Generation = _made(Generation, made, where)
    return generation


def _made(kind: type, fields: Mapping[str, Any], where: str) -> Any:
    try:
        return kind(**fields)
    except InputError as error:
        raise InputError(f"{where}: {error.what}", mend=error.mend) from error


def _fields(row: Any, kind: type, where: str) -> dict[str, Any]:
    if not isinstance(row, dict):
        raise InputError(f"{where}: is no JSON object", mend=MEND)
    known = FIELDS[kind]
    for name in row:
        if name not in known:
            raise InputError(f"{where}: has a field {name!r}", mend=nearest(name, known))
    for name in NEEDED[kind]:
        if name not in row:
            raise InputError(f"{where}: has no {name!r}", mend=MEND)
    made = {}
    for name, value in row.items():
        if value is None and name not in NEEDED[kind]:
            continue
        if not _fits(value, known[name]):
            raise InputError(f"{where}: {name} is {_told(value)}", mend=f"give {known[name]}")
        made[name] = value
    return made


def _fits(value: Any, wanted: str) -> bool:
    if wanted == TEXT:
        return isinstance(value, str)
    if wanted == FLAG:
        return isinstance(value, bool)
    if wanted == WHOLE:
        return isinstance(value, int) and not isinstance(value, bool) and value >= 0
    if wanted == "an object":
        return isinstance(value, dict)
    return isinstance(value, list) and (wanted != TEXTS or all(isinstance(one, str) for one in value))


def _told(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _placed(fields: dict[str, Any], where: str) -> dict[str, Any]:
    start, end = fields.get("start"), fields.get("end")
    if (start is None) != (end is None) or (start is not None and end is not None and start > end):
        raise InputError(
            f"{where}: start is {start} and end is {end}", mend="give both, 0 <= start <= end, or neither"
        )
    return fields


def answers_text(generations: Iterable[Generation]) -> str:
    """All lines, in the order given."""
    return "".join(json_line(generation_json(one)) for one in generations)


def parse_answers(text: str, file: str) -> list[Generation]:
    """The generations of a text of JSON lines; a last line torn off while it was written is left out.

    A second line of the same system and topic is a later try (see
    `evenhand.answer.diagnosis.failure_rates.standing`).
    """
    return [generation_of(row, where) for row, where in json_rows(text, file, mend=MEND, torn=True)]


def read_answers(path: str | os.PathLike[str]) -> list[Generation]:
    """The generations of an ``answers.jsonl``; faults are named with their line."""
    text, _ = decode(read_bytes(path), where=Path(path).name)
    return parse_answers(text, Path(path).name)


def write_answers(path: str | os.PathLike[str], generations: Iterable[Generation]) -> None:
    """Write all generations under a temporary name and move the file into place."""
    write_bytes(path, answers_text(generations).encode())


def finding_json(one: Finding) -> dict[str, Any]:
    """A finding as plain JSON; what is empty is left out, but ``passed`` is always there."""
    row: dict[str, Any] = {"item": one.item, "check": one.check, "passed": one.passed}
    row |= {"why": one.why} if one.why else {}
    row |= {name: list(getattr(one, name)) for name in ("sought", "found", "missing") if getattr(one, name)}
    return row | ({"where": [list(place) for place in one.where]} if one.where else {})
