"""What every labelling tool is given and gives back: items found again, grades read, losses counted."""

from __future__ import annotations

import json
import re
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from evenhand.errors import InputError
from evenhand.formats.gold.jsonl import strict
from evenhand.gold.offsets import from_utf16
from evenhand.model.judging import EvidenceMark
from evenhand.model.label import Label, Shown
from evenhand.text.plural import counted

__all__ = [
    "CANNOT",
    "GRADE",
    "SKIP",
    "Reading",
    "Taken",
    "by_item",
    "dumped",
    "item_uuid",
    "json_lines",
    "place",
    "spelled",
]

BREAK = re.compile(r"\\r\\n|\\n|\\r|\r\n|\r|\n")
GRADE, CANNOT, SKIP = "grade", "cannot-tell", "skip"


def item_uuid(item: str) -> str:
    """The UUID by which tools that want one know an item."""
    return str(uuid5(NAMESPACE_URL, f"evenhand:item:{item}"))


def place(shown: Shown) -> dict[str, Any]:
    """Where the text of an item lies, for a tool's metadata: flat, and nothing that could bias."""
    return {
        "item": shown.item,
        "question_id": shown.question,
        "doc": shown.doc,
        "start": shown.start,
        "end": shown.end,
        "text_sha256": shown.text_sha256,
        "title": shown.title,
        "heading": " › ".join(shown.heading),
    }


def spelled(label: Label) -> str:
    """The answer as a tool's choice: ``2``, ``0.5``, ``cannot-tell``, ``skip``."""
    return label.kind if label.grade is None else f"{label.grade:g}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """What an import gave: labels, and what it could not carry, each with its count, in words."""

    labels: tuple[Label, ...]
    lost: tuple[str, ...]


@dataclass
class Reading:
    """An import under way. *grades* spells a tool's own choices: ``{"relevant": 2}``; *words* the sheet's.

    *judge* is who labelled, where the file does not say; an annotation of nobody is lost. *control* names
    the question of the tool whose answer is the grade; empty: as the tool's format is written by us.
    """

    shown: Iterable[Shown]
    grades: Mapping[str, float] = field(default_factory=dict)
    judge: str = ""
    file: str = ""
    words: Mapping[str, float] = field(default_factory=dict)
    control: str = ""
    labels: list[Label] = field(default_factory=list)
    losses: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.shown = list(self.shown)
        self._by_name: dict[str, Shown] = {}
        self._by_words: dict[tuple[str, str], Shown] = {}
        for one in self.shown:
            unit = f"{one.doc}#{one.start}-{one.end}"
            for name in (one.item, item_uuid(one.item), f"{one.question} {unit}"):
                self._by_name[name] = one
            self._by_words[one.ask.strip(), one.text.strip()] = one

    def lose(self, what: str) -> None:
        """Count something that is not carried over."""
        self.losses[what] += 1

    def named(self, *names: str) -> tuple[str, ...]:
        """The names under which a grade stands: the control that was named, else *names*."""
        return (self.control,) if self.control else names

    def only(self, given: Iterable[str], *names: str) -> str:
        """The name in *given* under which the grade stands: the control, the first of *names*, or another.

        Empty where there is none. Raises InputError where several others stand there: none is preferred.
        """
        wanted = self.named(*names)
        there = [name for name in wanted if name in set(given)]
        if len(there) > 1 and there[0] != wanted[0]:
            raise InputError(
                f"{self.file} holds {' and '.join(map(repr, there))}: which is the grade is not known",
                mend=f"add --control {there[0]}",
            )
        return there[0] if there else ""

    def find(self, *names: Any, ask: Any = "", text: Any = "") -> Shown | None:
        """The item by one of its names, else by the words of question and text; None is counted as lost."""
        for name in names:
            if isinstance(name, str) and name in self._by_name:
                return self._by_name[name]
        found = None
        if isinstance(ask, str) and isinstance(text, str):
            found = self._by_words.get((ask.strip(), text.strip()))
        if found is None:
            self.lose("annotations are of items that are not in the pool")
        return found

    def take(self, shown: Shown, judge: Any, said: Any, **more: Any) -> None:
        """One label; *said* is the choice as the tool wrote it. What cannot be read is counted as lost."""
        answer = self.answer(said)
        name = str(judge) if judge not in (None, "") else self.judge
        if not name:
            self.lose("annotations name no annotator (give --judge)")
        elif answer is None:
            spelled_out = shlex.quote(f"{str(said)[:40]}=1")
            self.lose(
                f"annotations have no grade that is understood ({str(said)[:40]!r}): spell it, --grade "
                f"{spelled_out}"
            )
        else:
            kind, grade = answer
            known = {key: value for key, value in more.items() if value not in (None, "", ())}
            self.labels.append(
                Label(
                    question=shown.question,
                    doc=shown.doc,
                    start=shown.start,
                    end=shown.end,
                    text_sha256=shown.text_sha256,
                    judge=name,
                    kind=kind,
                    grade=grade,
                    **known,
                )
            )

    def answer(self, said: Any) -> tuple[str, float | None] | None:
        """Kind and grade of a choice as the tool wrote it; None where it is not understood."""
        if isinstance(said, bool) or said is None:
            return None
        word = str(said).strip()
        if word in self.grades:
            return GRADE, float(self.grades[word])
        if word in (CANNOT, SKIP):
            return word, None
        if word.casefold() in self.words:
            return GRADE, float(self.words[word.casefold()])
        try:
            grade = float(word)
        except ValueError:
            return None
        return (GRADE, grade) if abs(grade) < float("inf") else None

    def marks(self, shown: Shown, spans: Iterable[Any]) -> tuple[EvidenceMark, ...]:
        """Evidence of (start, end, words or None), each once.

        Offsets are code points. Where the words do not stand there, but do at the same offsets in UTF-16, as
        old browsers counted, the words decide.
        """
        made = []
        for start, end, words in spans:
            mark = _mark(shown.text, start, end, words)
            if mark is None:
                self.lose("pieces of evidence do not fit the text")
            elif mark in made:
                self.lose("spans are given twice: each counts once")
            else:
                made.append(mark)
        return tuple(sorted(made, key=lambda m: (m.start, m.end)))

    def done(self) -> Taken:
        """All of it."""
        return Taken(
            labels=tuple(self.labels), lost=tuple(counted(n, what) for what, n in sorted(self.losses.items()))
        )


def _mark(text: str, start: Any, end: Any, words: Any) -> EvidenceMark | None:
    if not all(isinstance(x, int) and not isinstance(x, bool) for x in (start, end)) or not 0 <= start < end:
        return None
    ways = [(start, end)]
    if isinstance(words, str):
        with suppress(InputError):  # an offset inside a character is of another count
            ways.append(from_utf16(text, start, end))
    for first, last in ways:
        if last <= len(text) and (not isinstance(words, str) or _lines(text[first:last]) == _lines(words)):
            return EvidenceMark(start=first, end=last, quote=text[first:last])
    return None


def _lines(words: str) -> str:
    """*words* with each line break as one character, also where it is written as a backslash and an n."""
    return BREAK.sub("\n", words)


def json_lines(text: str, file: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Objects of a JSON array, or of JSON lines, with the line (or place) of each."""
    stripped = text.lstrip("\ufeff \t\r\n")
    if stripped.startswith("["):
        rows = list(enumerate(_strict(text, f"{file}"), start=1))
    else:
        rows = [
            (n, _strict(line, f"{file}:{n}")) for n, line in enumerate(text.split("\n"), 1) if line.strip()
        ]
    for n, row in rows:
        if not isinstance(row, dict):
            raise InputError(f"{file}:{n}: is no object", mend="give the file as the tool exported it")
        yield n, row


def _strict(text: str, where: str) -> Any:
    try:
        return strict(text)
    except ValueError as error:
        raise InputError(f"{where}: {error}", mend="give the file as the tool exported it") from error


def dumped(rows: Iterable[Mapping[str, Any]]) -> str:
    """JSON lines in ASCII: any text survives any tool."""
    return "".join(json.dumps(row, allow_nan=False) + "\n" for row in rows)


def by_item(labels: Iterable[Label]) -> dict[str, list[Label]]:
    """Labels by the item they are of."""
    found: dict[str, list[Label]] = {}
    for label in labels:
        found.setdefault(label.item, []).append(label)
    return found
