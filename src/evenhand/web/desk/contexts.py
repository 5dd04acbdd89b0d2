"""What each page shows, frozen: its HTML and its ``.json`` twin are made of one of these and nothing else.

Nothing here that a judge may receive holds a rank, a score, a system, a pool, a kind of task, a name or
anybody else's label; an item is `evenhand.labelling.desk.blind.payload`, in adjudication with its unnamed
sides.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Protocol

from evenhand.web.desk.forms import As, ItemForm, ResultForm

__all__ = [
    "AccessLine",
    "Context",
    "DeskLine",
    "DeskPage",
    "DesksPage",
    "Health",
    "Items",
    "Kept",
    "Message",
    "OverviewPage",
    "OwnDesk",
    "Progress",
    "Revoked",
    "Side",
    "Taken",
]


Item = Annotated[Mapping[str, Any], As(ItemForm)]
Result = Annotated[Mapping[str, Any], As(ResultForm)]


class Context(Protocol):
    """What a page shows: a frozen dataclass."""

    __dataclass_fields__: ClassVar[dict[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a desk is.

    Widths are half-widths (0..1) of a Wilson interval at *level*, over the desk's own labels above the
    lowest; the share itself is not told, nor any agreement. ``pace_s`` is the median of active seconds over
    the last answers. What cannot be said is None, with *reason*.
    """

    done: int
    total: int
    skipped: int
    labels: int
    pace_s: float | None
    left_s: float | None
    half_width: float | None
    half_width_at_end: float | None
    next_width: float | None
    next_labels: int | None
    level: float
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """What one of the unnamed sides of a dispute said."""

    side: str
    kind: str
    grade: float | None
    label: str
    mode: str
    evidence: tuple[Mapping[str, Any], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Items:
    """The next items of a desk, the version of its guideline, and how far it is."""

    items: tuple[Item, ...]
    sheet: str
    progress: Progress


@dataclass(frozen=True, slots=True, kw_only=True)
class DeskPage:
    """A desk: its sheet (version ``sheet_seal``, its guideline also as HTML) and its next items."""

    desk: str
    kind: str
    sheet: Mapping[str, Any]
    sheet_seal: str
    guideline_html: str
    items: tuple[Item, ...]
    progress: Progress


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """What became of each answer of a delivery, in its order."""

    results: tuple[Result, ...]
    sheet: str
    progress: Progress


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnDesk:
    """One of the visitor's own desks, and its address."""

    desk: str
    at: str
    kind: str
    ask: str
    done: int
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DesksPage:
    """The visitor's own desks."""

    desks: tuple[OwnDesk, ...]
    owner: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class DeskLine:
    """A desk as its owner sees it: who, how far, how fast; nothing of what was answered."""

    desk: str
    pool: str
    judge: str
    kind: str
    sheet: str
    done: int
    total: int
    skipped: int
    pace_s: float | None
    left_s: float | None
    last: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessLine:
    """Somebody's link; ``sessions`` counts the browsers that came in by it."""

    access: str
    name: str
    role: str
    since: str
    revoked: str
    sessions: int


@dataclass(frozen=True, slots=True, kw_only=True)
class OverviewPage:
    """All desks and all links, for an owner."""

    desks: tuple[DeskLine, ...]
    people: tuple[AccessLine, ...]
    done: int
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A page that only says something: an error and its mend, or where to go."""

    status: int
    what: str
    mend: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """How many events of a delivery were new."""

    new: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Revoked:
    """The link that was ended, by its id, with every session that came in by it."""

    revoked: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """``ok``, or ``no store``."""

    status: str
