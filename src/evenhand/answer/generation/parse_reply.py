"""A reply of a generator, read strictly: items of the form asked for, or why there are none."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from evenhand.answer.generation.prompts import DOES, Template
from evenhand.model.answer import Citation, Item

if TYPE_CHECKING:
    from evenhand.answer.generation.requests import Ask

__all__ = ["Found", "items_of", "others_name"]

MOST = 200  # items, options and citations that are looked at
READ = ("answer", "does", "citations", "items")  # of a reply's keys
STUDY = ("multiple-choice", "short-answer")
# what may follow a model's name without making it another: a date, a build of three digits, a channel
_VERSION = re.compile(
    r"(?:[-_@:](?:latest|preview|exp|beta|stable|v\d+(?::\d+)?|\d{3,8}|\d{4}-\d{2}-\d{2}|\d{2}-\d{2,4}))*"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The items of a reply; ``why`` there are none; ``notes`` counts ``short``, ``lost`` and ``over``."""

    items: tuple[Item, ...] = ()
    why: str = ""
    notes: Mapping[str, Any] = field(default_factory=dict)


def others_name(told: str, called: Sequence[str]) -> str:
    """*told* where it names another model than those *called*; empty where it is one of them, or is empty.

    Folders before a name (``models/``, ``openai/``), capitals, and a date, build or channel behind it make
    no other model; any other ending does: ``gpt-5-mini`` and ``gpt-5.1`` are not ``gpt-5``.
    """
    if not told.strip():
        return ""
    came = _plain(told)
    for name in called:
        short, long = sorted((came, _plain(name)), key=len)
        if long.startswith(short) and _VERSION.fullmatch(long[len(short) :]):
            return ""
    return told


def _plain(name: str) -> str:
    last = name.strip().casefold().replace("\\", "/").rsplit("/", 1)[-1].removesuffix(".gguf")
    return re.sub(r"[-_@:]latest$", "", last)


def items_of(data: Mapping[str, Any] | None, ask: Ask, template: Template) -> Found:
    """The items of a reply's JSON object."""
    if data is None:
        return Found(why="the reply holds no JSON object")
    fields: dict[str, Any] = {}
    for key, value in data.items():
        name = str(key).strip().casefold()
        if fields.setdefault(name, value) != value and name in READ:
            return Found(why=f"the reply has two values for {name!r}, under keys of other capitals")
    if template.kind == "study-items":
        return _study(fields.get("items"), ask, template)
    return _answer(fields, ask)


def _answer(fields: Mapping[str, Any], ask: Ask) -> Found:
    text = fields.get("answer")
    if not isinstance(text, str) or not text.strip():
        return Found(why="the reply has no answer")
    does = str(fields.get("does") or "").strip().casefold().replace("_", "-").replace(" ", "-")
    told = {"answers": False, "cannot-answer": True}.get(does)  # asking back is seen by the words
    cited, lost = _citations(fields.get("citations"))
    notes: dict[str, Any] = {"lost": lost} if lost else {}
    if does not in DOES:
        notes["does"] = "not said"
    item = Item(topic=ask.topic, kind="answer", text=text, system=ask.system, citations=cited, abstained=told)
    return Found(items=(item,), notes=notes)


def _study(rows: Any, ask: Ask, template: Template) -> Found:
    if not isinstance(rows, list):
        return Found(why="the reply has no list of items")
    wanted = {"multiple-choice": template.multiple_choice, "short-answer": template.short_answer}
    made: list[Item] = []
    over = lost = 0
    for row in rows[:MOST]:
        item, dropped = _item(row, ask, len(made))
        lost += dropped
        if item is None:
            continue
        if sum(one.kind == item.kind for one in made) >= wanted[item.kind]:
            over += 1  # more than were asked for: the first ones count
            continue
        made.append(item)
    if not made:
        return Found(why="no item of the reply can be read" if rows else "the list of items is empty")
    counts = {"short": template.items - len(made), "over": over, "lost": lost}
    return Found(items=tuple(made), notes={name: n for name, n in counts.items() if n > 0})


def _item(row: Any, ask: Ask, number: int) -> tuple[Item | None, int]:
    """An item, None where it cannot be read; and how many parts of it were lost."""
    if not isinstance(row, Mapping):
        return None, 1
    kind, text = row.get("kind"), row.get("question")
    options = [one for one in _list(row.get("options")) if isinstance(one, str) and one.strip()]
    if kind not in STUDY:
        kind = "multiple-choice" if options else "short-answer"
    if not isinstance(text, str) or not text.strip():
        return None, 1
    cited, lost = _citations(row.get("citations"))
    answer = row.get("answer")
    key = row.get("key")
    good = isinstance(key, int) and not isinstance(key, bool) and key >= 1
    choice = kind == "multiple-choice"
    return Item(
        topic=ask.topic,
        kind=kind,
        text=text,
        system=ask.system,
        number=number,
        options=tuple(options) if choice else (),
        key=int(key) - 1 if choice and good and key is not None else None,
        answer=answer if isinstance(answer, str) and not choice else "",
        citations=cited,
    ), lost


def _citations(rows: Any) -> tuple[tuple[Citation, ...], int]:
    """Citations, each once; and how many could not be read."""
    made: dict[Citation, None] = {}
    lost = 0
    for marker, quote in _pairs(rows):
        if marker:
            made.setdefault(Citation(marker=marker, quote=quote))
        else:
            lost += 1
    return tuple(made), lost


def _pairs(rows: Any) -> Iterator[tuple[str, str]]:
    for row in _list(rows):
        given = row.get("passage") if isinstance(row, Mapping) else row
        quote = row.get("quote") if isinstance(row, Mapping) else ""
        whole = isinstance(given, str | int) and not isinstance(given, bool)
        marker = re.sub(r"^passage\s+|[\[\]()]", "", str(given).strip(), flags=re.IGNORECASE) if whole else ""
        yield marker.strip(), quote.strip() if isinstance(quote, str) else ""


def _list(rows: Any) -> list[Any]:
    return rows[:MOST] if isinstance(rows, list) else []
