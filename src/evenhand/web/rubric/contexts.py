"""What the pages of the rubric desk show, frozen; an item is `batch.shown` and nothing else.

No page, item or answer holds what a check found: that is `Found`, sent by itself when its time has come.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from evenhand.web.desk.forms import As, FindingForm, RatedForm, RatedResultForm

__all__ = ["Found", "RubricItems", "RubricKept", "RubricPage", "RubricProgress", "RubricTaken"]

Item = Annotated[Mapping[str, Any], As(RatedForm)]
Result = Annotated[Mapping[str, Any], As(RatedResultForm)]
Finding = Annotated[Mapping[str, Any], As(FindingForm)]


@dataclass(frozen=True, slots=True, kw_only=True)
class RubricProgress:
    """How far a rater is, in items; ``pace_s`` is the median of active seconds over the last items."""

    done: int
    total: int
    skipped: int
    pace_s: float | None
    left_s: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RubricItems:
    """Items of a desk, the version of the rubric, and how far it is."""

    items: tuple[Item, ...]
    sheet: str
    progress: RubricProgress


@dataclass(frozen=True, slots=True, kw_only=True)
class RubricPage:
    """A desk: its rubric (version ``sheet``, its guideline also as HTML) and its next items.

    ``hide``: until when checks are hidden: faithful (is rated), or item (all of it is).
    """

    desk: str
    rubric: Mapping[str, Any]
    sheet: str
    hide: str
    guideline_html: str
    items: tuple[Item, ...]
    progress: RubricProgress


@dataclass(frozen=True, slots=True, kw_only=True)
class RubricTaken:
    """What became of each act of a delivery, in its order."""

    results: tuple[Result, ...]
    sheet: str
    progress: RubricProgress


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What checks found in one item; ``early``: it was asked for before the item was rated."""

    task: str
    findings: tuple[Finding, ...]
    early: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RubricKept:
    """How many events of a delivery were taken."""

    taken: int
