"""What the pages of authoring send: a selection to be looked up, a question to be kept."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from evenhand.web.desk.schemas import In, Whole, words

__all__ = ["NuggetIn", "QuestionIn", "SaveIn", "SelectionIn", "SpanIn"]

Doc = Annotated[str, words(2000)]
Short = Annotated[str, words(500)]
Long = Annotated[str, words(20_000)]
Quoted = Annotated[str, words(200_000)]


class SelectionIn(In):
    """A selection in the browser: UTF-16 units of the text as it was sent, and the selected words."""

    doc: Doc
    start: Whole = Field(ge=0)
    end: Whole = Field(ge=1)
    quote: Quoted


class SpanIn(In):
    """Code points of a document, and the words that stand there."""

    doc: Doc
    start: Whole = Field(ge=0)
    end: Whole = Field(ge=1)
    quote: Quoted


class NuggetIn(In):
    """One fact, with the spans each of which is enough."""

    nugget: Short
    vital: bool
    spans: list[SpanIn] = Field(max_length=200)


class QuestionIn(In):
    """The content of a question."""

    text: Long
    type: Short
    tags: list[Short] = Field(max_length=50)
    expect: Literal["answer", "clarify", "abstain"]
    cluster: Short
    reference: Long
    evidence: list[NuggetIn] = Field(max_length=100)


class SaveIn(In):
    """An act on the gold file that had this mark: a question added, edited, accepted or rejected."""

    mark: str = Field(max_length=64)
    do: Literal["add", "edit", "accept", "reject"]
    id: Short = ""
    reason: Long = ""
    question: QuestionIn | None = None
