"""Judgements: one judge, one question, one piece of text, one grade; and the desk they are made at."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from evenhand.errors import InputError, nearest

__all__ = [
    "DESKS",
    "ENTRIES",
    "EVENTS",
    "KINDS",
    "ROLES",
    "SESSIONS",
    "TASKS",
    "Access",
    "Conflict",
    "Desk",
    "Entry",
    "Event",
    "EvidenceMark",
    "Judgement",
    "Saved",
    "Standing",
    "Task",
]

KINDS = ("human", "panel", "adjudicated")
SESSIONS = "web/sessions"  # the log of browsers that came in by a link
ROLES = ("judge", "adjudicator", "owner")
DESKS = ("judge", "adjudication")
TASKS = ("main", "warm-up", "repeat", "attention")
ENTRIES = ("grade", "cannot-tell", "skip", "undo")
EVENTS = (
    "shown",  # the item is on the screen
    "away",  # the page lost the focus or was hidden
    "back",
    "idle",  # nothing was touched for a while
    "changed",  # an answer begun and altered before it was saved
    "guideline",  # the guideline was opened
    "queued",  # an answer waits for the connection
    "delivered",  # … and has arrived
    "opened",  # the desk was opened in a tab
    "unblinded",  # what the desk hides was shown to this person; on the record from here on
)

NAME = re.compile(r"[^\x00-\x1f\x7f-\x9f\ud800-\udfff]{1,80}")
TOKEN = re.compile(r"[\x21-\x7e]{1,80}")


def _known(what: str, word: str, known: tuple[str, ...]) -> None:
    if word not in known:
        raise InputError(f"{what} of kind {word!r}", mend=nearest(word, known))


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """A grade for the characters ``[start, end)`` of a document, whose text had this hash when judged.

    It counts only for a unit of exactly that span and that text. ``grade`` is 0 (irrelevant), 1 (related)
    or 2 (sufficient) on the house scale; other scales keep their numbers, negative is "not relevant".
    Judgements are appended, never edited: a judge's later one supersedes the earlier. ``kind`` is human,
    panel, or adjudicated: a person's ruling, which stands in the place of the human ones on its item.
    """

    question: str
    doc: str
    start: int
    end: int
    text_sha256: str
    grade: float
    judge: str
    kind: str = "human"

    def __post_init__(self) -> None:
        _known("judgement", self.kind, KINDS)
        if not 0 <= self.start < self.end:
            raise InputError(
                f"judgement of {self.question!r} on an empty span {self.start}:{self.end} of {self.doc!r}",
                mend="offsets are 0 <= start < end",
            )
        if self.grade != self.grade or abs(self.grade) == float("inf"):
            raise InputError(
                f"judgement of {self.question!r} has grade {self.grade!r}", mend="a grade is a finite number"
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """Two sources that grade one question × unit differently, and the grade that stands."""

    question: str
    unit: str
    human: float | None
    aligned: float | None
    panel: float | None
    grade: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """One judge's ordered tasks on one pool. ``id`` follows from everything else, so two equal desks are one.

    ``kind`` is ``judge`` or ``adjudication``; ``settings`` is how it was filled (seed, order, per_item,
    overlap, repeats …), all of which goes on the data card. ``sheet`` is the sheet it was opened with;
    an entry names the one its judge saw.
    """

    id: str
    pool: str
    judge: str
    sheet: str
    kind: str = "judge"
    settings: Mapping[str, Any] = field(default_factory=dict)
    at: str = ""

    def __post_init__(self) -> None:
        _known("desk", self.kind, DESKS)
        if not NAME.fullmatch(self.judge):
            raise InputError(
                f"{self.judge!r} is no name for a judge", mend="1 to 80 characters, none of them a control"
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One item at one place of a desk; ``position`` counts from 0.

    ``kind`` never leaves the server: main; warm-up (does not count); repeat (an item of this desk's own,
    again); attention (its grade is known). ``about`` names, for adjudication, the entries in dispute as
    ``desk:number``, in the order of their unnamed sides A, B, …
    """

    id: str
    desk: str
    position: int
    item: str
    kind: str = "main"
    about: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        _known("task", self.kind, TASKS)


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceMark:
    """Characters ``[start, end)`` of the text that the judge saw (code points), and those characters.

    In the document it lies at ``item.start + start``.
    """

    start: int
    end: int
    quote: str

    def __post_init__(self) -> None:
        if not 0 <= self.start < self.end or len(self.quote) != self.end - self.start:
            raise InputError(
                f"evidence {self.start}:{self.end} with a quote of {len(self.quote)} characters",
                mend="offsets count code points, 0 <= start < end, and the quote is what lies between",
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One line of a desk's book: a grade, "cannot tell", a skip with its reason, or an undo. Never edited.

    A later entry on the same task supersedes; an undo takes back entry number ``undoes`` and what stood
    before it stands again. ``token`` is the client's name for the act: sending it again stores nothing.
    ``number`` counts the desk's entries from 1 and is given by the store. ``at`` is when it was saved and
    ``shown_at`` when the item came up (ISO 8601, UTC); ``active_ms`` leaves idle and absent time out.
    """

    desk: str
    task: str
    token: str
    kind: str
    grade: float | None = None
    mode: str = ""  # failure mode, asked on "no"
    reason: str = ""  # why it was skipped
    comment: str = ""
    evidence: tuple[EvidenceMark, ...] = ()
    sheet: str = ""
    shown_at: str = ""
    at: str = ""
    active_ms: int | None = None
    number: int = 0
    undoes: int = 0

    def __post_init__(self) -> None:
        _known("entry", self.kind, ENTRIES)
        if not TOKEN.fullmatch(self.token):
            raise InputError(
                "an entry's token is not 1 to 80 printable ASCII characters",
                mend="name each act by a random token of its own",
            )
        if (self.grade is not None) != (self.kind == "grade"):
            raise InputError(
                f"an entry of kind {self.kind!r} with grade {self.grade!r}",
                mend="a grade goes with kind 'grade' and with no other",
            )
        if self.grade is not None and not abs(self.grade) < float("inf"):
            raise InputError(
                f"an entry has grade {self.grade!r}", mend="a grade is a finite number of the scale"
            )

    @property
    def said(self) -> tuple[Any, ...]:
        """What was answered, without the when and how: two entries that say the same are one answer."""
        return (self.kind, self.grade, self.mode, self.reason, self.comment, self.evidence)


@dataclass(frozen=True, slots=True, kw_only=True)
class Saved:
    """What became of an entry: ``fresh`` is false when it was there already (a retry, a double click).

    ``entry`` is what stands in the book. ``done`` of ``total`` tasks of the desk have an answer or a skip.
    """

    entry: Entry
    fresh: bool
    done: int
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """A task and the entry that stands for it (None: not answered, or taken back)."""

    task: Task
    entry: Entry | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Something that happened at a desk beside its entries; ``task`` may be empty. Never edited.

    ``at`` is the client's clock (ISO 8601, UTC); ``token`` makes a second delivery harmless.
    """

    desk: str
    kind: str
    token: str
    at: str
    task: str = ""
    body: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _known("event", self.kind, EVENTS)
        if not TOKEN.fullmatch(self.token):
            raise InputError(
                "an event's token is not 1 to 80 printable ASCII characters",
                mend="name each event by a random token of its own",
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """A person who may come in. The token itself is nowhere: only its SHA-256 is kept.

    A judge sees the desks under this name; an adjudicator also makes and judges adjudication desks; an
    owner sees the desks of all, and the results. ``revoked`` is empty or when it ended.
    """

    id: str
    name: str
    role: str
    at: str
    revoked: str = ""

    def __post_init__(self) -> None:
        _known("role", self.role, ROLES)
        if not NAME.fullmatch(self.name):
            raise InputError(f"{self.name!r} is no name", mend="1 to 80 characters, none of them a control")
