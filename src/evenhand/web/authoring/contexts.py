"""What each page of authoring shows, frozen; for owners alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

__all__ = [
    "AuthorPage",
    "Checked",
    "DocumentLine",
    "DocumentPage",
    "QuestionLine",
    "QuestionsPage",
    "ReviewPage",
    "Saved",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentLine:
    """A document of the list: its length in characters, and how many questions have evidence in it."""

    doc: str
    title: str
    kind: str
    status: str
    characters: int
    questions: int
    href: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthorPage:
    """Documents that hold ``find`` (``found`` in all, the first of them listed), and what waits."""

    gold: str
    find: str
    documents: tuple[DocumentLine, ...]
    found: int
    total: int
    questions: int
    waiting: int


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionLine:
    """A question of the list."""

    id: str
    text: str
    type: str
    status: str
    provisional: bool
    by: str
    model: str
    on: str
    href: str


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionsPage:
    """Questions that wait for a review, those a model drafted first; and those that do not."""

    gold: str
    waiting: tuple[QuestionLine, ...]
    others: tuple[QuestionLine, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentPage:
    """A document and the form: offsets are code points; ``question`` is the one that is edited, or None.

    ``mark`` stands for the gold file as it was; it is sent along with what is saved.
    """

    gold: str
    mark: str
    me: str
    doc: str
    title: str
    text: str
    body: int
    sections: tuple[Mapping[str, Any], ...]
    questions: tuple[QuestionLine, ...]
    question: Mapping[str, Any] | None
    types: tuple[str, ...]
    tags: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewPage:
    """A question to be reviewed: its evidence within its surroundings, its history, what is to know of it.

    ``closed`` is the reason why it cannot be changed here; empty when it can.
    """

    gold: str
    mark: str
    me: str
    question: Mapping[str, Any]
    provisional: bool
    own: bool
    closed: str
    nuggets: tuple[Mapping[str, Any], ...]
    history: tuple[Mapping[str, Any], ...]
    findings: tuple[str, ...]
    change: str
    next: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """A selection as a span in code points, and where else its words stand."""

    doc: str
    start: int
    end: int
    quote: str
    twins: tuple[Mapping[str, Any], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Saved:
    """What was written, the file's new mark, and what was noticed."""

    id: str
    status: str
    provisional: bool
    mark: str
    notes: tuple[str, ...]
    href: str
    next: str
