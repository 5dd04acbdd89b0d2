"""Rows of other tools that hold a question, what was retrieved and what was answered."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any

from evenhand.errors import InputError
from evenhand.formats.answers.jsonl import generation_of
from evenhand.model.answer import Generation, Item, Passage
from evenhand.model.gold import EXPECTATIONS
from evenhand.model.json_text import loads
from evenhand.text.plural import counted

__all__ = [
    "NOTHING",
    "OURS",
    "Brought",
    "Taking",
    "answer_row",
    "id_of_words",
    "passage_of",
    "passages_of",
    "rows_of",
    "words_of",
]

OURS = "evenhand"  # the key of a tool's metadata under which a generation of ours lies whole
ASK = ("user_input", "input", "question", "query", "prompt", "inputs")
SAID = ("response", "actual_output", "actualOutput", "answer", "output", "generated_answer", "outputs")
GIVEN = ("retrieved_contexts", "retrieval_context", "retrievalContext", "contexts", "passages", "documents")
NAMED = ("retrieved_context_ids", "context_ids", "passage_ids")
IDS = ("id", "question_id", "query_id", "qid", "topic", "name")
REFERENCE = ("reference", "expected_output", "expectedOutput", "ground_truth", "ground_truths", "gt_answer")
META = ("metadata", "additional_metadata", "additionalMetadata")
# how DeepEval spells a passage with its source in a file
MARKED = re.compile(r"deepeval_source=(?P<source>.*?),deepeval_context=(?P<text>.*)", re.DOTALL)
NOTHING = ("", "none", "null", "nan", "<na>")  # what tables write for a cell that holds nothing
KNOWN = frozenset([*ASK, *SAID, *GIVEN, *NAMED, *IDS, *REFERENCE, *META, "expect", "system", "state", "why"])


@dataclass(frozen=True, slots=True, kw_only=True)
class Brought:
    """What an import gave, and what it could not carry, each with its count, in words."""

    generations: tuple[Generation, ...]
    lost: tuple[str, ...]


@dataclass
class Taking:
    """An import under way; *system* names who answered, where the file does not say.

    ``joined`` stands between passages where a tool writes them as one text.
    """

    file: str
    system: str = ""
    joined: str = ""
    made: list[Generation] = field(default_factory=list)
    places: dict[tuple[str, str], int] = field(default_factory=dict)
    losses: Counter[str] = field(default_factory=Counter)
    again: Counter[str] = field(default_factory=Counter)

    def lose(self, what: str) -> None:
        """Count something that is not carried over."""
        self.losses[what] += 1

    def take(self, one: Generation) -> None:
        """Add a generation. A second one of a system and topic with other words gets a name of its own."""
        if (one.system, one.topic) in self.places:
            self.lose("rows share their id with an earlier one, and are numbered anew")
            self.again[one.topic] += 1
            topic = f"{one.topic} ({self.again[one.topic] + 1})"
            one = replace(one, topic=topic, items=tuple(replace(item, topic=topic) for item in one.items))
        self.places[one.system, one.topic] = len(self.made)
        self.made.append(one)

    def join(self, one: Generation) -> None:
        """Add a generation of ours: rows of one system and topic are its items."""
        at = self.places.get((one.system, one.topic))
        if at is not None and self.made[at].ask == one.ask and one.items:
            self.made[at] = replace(self.made[at], items=(*self.made[at].items, *one.items))
        else:
            self.take(one)

    def answer(
        self,
        *,
        topic: str,
        ask: str,
        text: str | None,
        passages: Iterable[Passage],
        system: str = "",
        state: str = "",
        why: str = "",
        expect: str = "",
        model: str = "",
        extra: Mapping[str, Any] | None = None,
    ) -> None:
        """One answer. No text at all is a fault (nothing was measured), an empty one invalid."""
        name = system or self.system
        if not name:
            raise InputError(
                f"{self.file}: does not say which system answered", mend="name it: --system NAME"
            )
        if not state:
            state = "fault" if text is None else "made" if text.strip() else "invalid"
            why = why or {"fault": "the file has no response", "invalid": "the response is empty"}.get(
                state, ""
            )
        if state == "fault" and text is None:
            self.lose("rows have no response: they count as not run")
        item = Item(topic=topic, kind="answer", text=text or "", system=name)
        self.take(
            Generation(
                topic=topic,
                ask=ask,
                system=name,
                state=state,
                passages=tuple(passages),
                items=(item,) if state == "made" else (),
                expect=expect,
                why=why,
                model=model,
                extra=dict(extra or {}),
            )
        )

    def done(self) -> Brought:
        """All of it."""
        return Brought(
            generations=tuple(self.made),
            lost=tuple(counted(n, what) for what, n in sorted(self.losses.items())),
        )


def rows_of(text: str, file: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Objects of a JSON array, of one object with a list in it, or of JSON lines; NaN is "not measured"."""
    stripped = text.lstrip("\ufeff \t\r\n")
    rows: list[tuple[int, Any]] = []
    whole = _whole(stripped, file)
    if whole is not None:
        inner = whole if isinstance(whole, list) else _listed(whole)
        rows = list(enumerate(inner, start=1))
    else:
        for n, line in enumerate(text.split("\n"), start=1):
            if line.strip():
                rows.append((n, _parsed(line, f"{file}:{n}")))
    for n, row in rows:
        if not isinstance(row, dict):
            raise InputError(f"{file}:{n}: is no object", mend="give the file as the tool exported it")
        yield n, row


def _whole(text: str, file: str) -> Any:
    """The file as one JSON value, None where it is JSON lines."""
    if text.startswith("["):
        return _parsed(text, file)
    first = text.split("\n", 1)[0]
    try:
        loads(first, parse_constant=lambda _: None)
    except (ValueError, RecursionError):
        return _parsed(text, file) if text.startswith("{") else None
    return None if text.count("\n") else _parsed(text, file)


def _parsed(text: str, where: str) -> Any:
    try:
        return loads(text, parse_constant=lambda _: None)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{where}: {error}", mend="give the file as the tool exported it") from error


def _listed(whole: Any) -> list[Any]:
    if not isinstance(whole, Mapping):
        return [whole]
    for name in ("samples", "test_cases", "testCases", "goldens", "results", "data", "spans", "traces"):
        if isinstance(whole.get(name), list):
            found: list[Any] = whole[name]
            return found
    return [whole]


def words_of(value: Any, names: Iterable[str] = ()) -> str | None:
    """A text: the value itself, or that of the first of *names* (or of the usual ones) in an object."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool | int | float):
        return str(value)
    if isinstance(value, Mapping):
        for name in (*names, *ASK, *SAID, "text", "content", "value"):
            if value.get(name) is not None and value.get(name) is not value:
                return words_of(value[name], names)
        return None
    if isinstance(value, list) and value:  # messages: the last one speaks
        return words_of(value[-1], ("content",))
    return None


def passage_of(value: Any, place: int, named: Any = None) -> Passage | None:
    """A passage of a text, or of an object with text, id and source; None when there is no text."""
    marked = MARKED.fullmatch(value) if isinstance(value, str) else None
    if marked is not None:
        value = {"text": marked["text"], "source": marked["source"]}
    if isinstance(value, str):
        return Passage(
            unit=str(named) if named is not None else f"passage-{place}", text=value, marker=str(place)
        )
    if not isinstance(value, Mapping):
        return None
    text = next(
        (
            value[k]
            for k in ("text", "content", "page_content", "context", "passage")
            if isinstance(value.get(k), str)
        ),
        None,
    )
    if text is None:
        return None
    meta = value["metadata"] if isinstance(value.get("metadata"), Mapping) else {}
    both = {**meta, **value}
    unit = next(
        (both[k] for k in ("unit", "id", "doc_id", "passage_id", "chunk_id") if both.get(k) is not None),
        named,
    )
    doc = next((both[k] for k in ("doc", "source", "file", "document") if isinstance(both.get(k), str)), "")
    title = both.get("title")
    return Passage(
        unit=str(unit) if unit is not None else f"passage-{place}",
        text=text,
        marker=str(value.get("marker") or place),
        doc=doc,
        title=title if isinstance(title, str) else "",
    )


def answer_row(row: Mapping[str, Any], number: int, taking: Taking) -> None:
    """Take one flat row by whatever names its tool uses; a generation of ours comes back whole."""
    where = f"{taking.file}:{number}"
    meta: Mapping[str, Any] = next((row[name] for name in META if isinstance(row.get(name), Mapping)), {})
    if isinstance(meta.get(OURS), Mapping):
        taking.join(generation_of(dict(meta[OURS]), where))
        return
    ask = _first(row, ASK)
    if isinstance(ask, list):
        taking.lose("rows hold several turns, and are left out")
        return
    asked = words_of(ask)
    if not asked or not asked.strip():
        taking.lose("rows have no question, and are left out")
        return
    given = _first(row, GIVEN)
    passages = list(_passages(given, row, taking))
    extra = {}
    reference = _first(row, REFERENCE)
    if reference is not None:
        extra["reference"] = reference
    for name in row:
        if name not in KNOWN and row[name] not in (None, "", [], {}, False):
            taking.lose(f"columns called {name!r}")
    expect = str(row.get("expect") or meta.get("expect") or "")
    if expect not in ("", *EXPECTATIONS):
        taking.lose(f"rows expect {expect!r}, which is none of {', '.join(EXPECTATIONS)}")
        expect = ""
    named = next((row[name] for name in IDS if row.get(name) not in (None, "")), None)
    taking.answer(
        topic=str(named) if named is not None else id_of_words(asked),
        ask=asked,
        text=words_of(_first(row, SAID)),
        passages=passages,
        system=str(row.get("system") or ""),
        expect=expect,
        extra=extra,
    )


def id_of_words(ask: str) -> str:
    """What a question without an id is called: the hash of its words, the same in every file."""
    return f"q{sha256(ask.strip().encode('utf-8', 'surrogatepass')).hexdigest()[:12]}"


def _first(row: Mapping[str, Any], names: Iterable[str]) -> Any:
    return next((row[name] for name in names if row.get(name) is not None), None)


def _passages(given: Any, row: Mapping[str, Any], taking: Taking) -> Iterator[Passage]:
    ids = _first(row, NAMED)
    texts: Any = given
    if taking.joined and isinstance(given, str):
        texts = [one for one in given.split(taking.joined) if one.strip()]
        if len(texts) > 1:
            taking.lose(f"rows have their passages in one text, which was cut at {taking.joined!r}")
    yield from passages_of(texts, taking, ids if isinstance(ids, list) else ())


def passages_of(given: Any, taking: Taking, ids: Sequence[Any] = ()) -> Iterator[Passage]:
    """The passages of a list, or of one; nothing is no passage.

    One without a text (None, empty, or what a table makes of None) is kept without it, and counted: that it
    was given is known, and what it says is not.
    """
    if _is_nothing(given) or (isinstance(given, list) and all(map(_is_nothing, given))):
        if given not in (None, []):
            taking.lose("rows have nothing for their passages: which they were is not known")
        return
    for place, one in enumerate(given if isinstance(given, list) else [given], start=1):
        named = ids[place - 1] if place <= len(ids) and not _is_nothing(ids[place - 1]) else None
        passage = None if _is_nothing(one) else passage_of(one, place, named)
        if passage is None or _is_nothing(passage.text):
            taking.lose("passages have no text, and what stood there is not known")
            unit = str(named) if named is not None else f"passage-{place}"
            passage = replace(passage or Passage(unit=unit, text="", marker=str(place)), text="")
        yield passage


def _is_nothing(value: Any) -> bool:
    return value is None or (isinstance(value, str) and value.strip().casefold() in NOTHING)
