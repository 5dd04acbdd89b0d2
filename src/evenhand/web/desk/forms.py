"""The forms of what desks receive, for the description: what is sent is made elsewhere, as plain JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler
    from pydantic_core import CoreSchema

__all__ = ["As", "FindingForm", "ItemForm", "RatedForm", "RatedResultForm", "ResultForm"]


class As:
    """In an annotation: described as *form*, whatever the type says."""

    def __init__(self, form: type) -> None:
        self.form = form

    def __get_pydantic_core_schema__(self, _: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """That of the form."""
        return handler.generate_schema(self.form)


@dataclass(frozen=True, kw_only=True)
class MarkForm:
    """Marked words: code points of the text as it was sent, and the words themselves."""

    start: int
    end: int
    quote: str


@dataclass(frozen=True, kw_only=True)
class SideForm:
    """What one of the unnamed sides of a dispute said."""

    side: str
    kind: str
    grade: float | None
    label: str
    mode: str
    evidence: tuple[MarkForm, ...]


@dataclass(frozen=True, kw_only=True)
class ItemForm:
    """All that a desk receives of a task: `blind.payload`, in adjudication with its sides.

    ``position`` (from 0) and ``total`` are the desk's own; ``sheet`` is the version of the guideline in use.
    """

    task: str
    position: int
    total: int
    question: str
    text: str
    heading: tuple[str, ...]
    title: str
    sheet: str
    sides: tuple[SideForm, ...] = ()


@dataclass(frozen=True, kw_only=True)
class UndoneForm:
    """What was taken back, so that it can be given anew."""

    task: str
    kind: str
    grade: float | None
    mode: str
    reason: str
    comment: str
    evidence: tuple[MarkForm, ...]


@dataclass(frozen=True, kw_only=True)
class ResultForm:
    """What became of one act: saved under its ``token``, or not, and then ``what`` and ``mend`` say why.

    ``fresh``: it was not known before; ``number``: its place in the desk's book; of an undo, ``undone`` and
    its ``item``.
    """

    token: str
    saved: bool
    fresh: bool = False
    number: int | None = None
    what: str = ""
    mend: str = ""
    undone: UndoneForm | None = None
    item: ItemForm | None = None


@dataclass(frozen=True, kw_only=True)
class CitationForm:
    """A citation as the item makes it: whether it leads anywhere is for a check to say."""

    marker: str
    start: int | None
    end: int | None
    quote: str


@dataclass(frozen=True, kw_only=True)
class PassageForm:
    """A passage that the writer saw."""

    marker: str
    title: str
    text: str


@dataclass(frozen=True, kw_only=True)
class RatedForm:
    """All that a rater receives of a generated item: `evenhand.answer.rating.batch.shown`.

    ``key``: which option is the right one, of multiple choice; ``fields``: by what it is rated;
    ``given``: the rater's own ratings that stand; ``skipped``: the reason why it was skipped.
    """

    task: str
    position: int
    total: int
    kind: str
    ask: str
    text: str
    options: tuple[str, ...]
    key: int | None
    answer: str
    citations: tuple[CitationForm, ...]
    passages: tuple[PassageForm, ...]
    fields: tuple[str, ...]
    given: Mapping[str, str]
    skipped: str
    comment: str


@dataclass(frozen=True, kw_only=True)
class UnratedForm:
    """What was taken back of a rubric desk."""

    task: str
    act: str
    field: str
    said: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class RatedResultForm:
    """What became of one act at a rubric desk; as a `ResultForm`."""

    token: str
    saved: bool
    fresh: bool = False
    number: int | None = None
    what: str = ""
    mend: str = ""
    undone: UnratedForm | None = None
    item: RatedForm | None = None


@dataclass(frozen=True, kw_only=True)
class FindingForm:
    """What one check found in an item: what it looked for, and what of it was there or missing."""

    check: str
    asks: str
    passed: bool | None
    why: str
    sought: tuple[Any, ...]
    found: tuple[Any, ...]
    missing: tuple[Any, ...]
