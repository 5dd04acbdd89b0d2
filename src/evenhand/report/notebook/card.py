"""What a notebook shows of a noun: a title, facts, tables, notes and one picture of an interval."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from jinja2 import Environment

__all__ = ["Bar", "Card", "Grid", "cut", "facts", "render"]

WORDS = 160  # characters of a text


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """A table: what its columns are called, its rows as texts; ``numbers`` are the columns to the right."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    caption: str = ""
    numbers: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """An interval on a line from *first* to *last*; ``zero``: where nothing is, of a difference."""

    point: float
    low: float
    high: float
    first: float
    last: float
    zero: float | None = None
    told: str = ""

    def at(self, value: float) -> float:
        """Where a value lies, in units of the picture (0 to 300, within its margin)."""
        return 6 + 288 * (value - self.first) / (self.last - self.first)


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """One noun; all its words are text and are escaped where they are shown."""

    title: str
    facts: tuple[tuple[str, str], ...] = ()
    grids: tuple[Grid, ...] = ()
    notes: tuple[str, ...] = ()
    bar: Bar | None = None


def facts(*pairs: tuple[str, Any]) -> tuple[tuple[str, str], ...]:
    """Those of the pairs that say something."""
    return tuple((name, str(text)) for name, text in pairs if text not in (None, "", 0, ()))


def cut(text: str) -> str:
    """A text on one line, shortened."""
    words = " ".join(text.split())
    return words if len(words) <= WORDS else words[: WORDS - 1] + "…"


def render(cards: Sequence[Card]) -> str:
    """Cards as HTML that needs nothing else and takes the colours of what is around it."""
    return _pages().get_template("card.html").render(cards=cards)


@cache
def _pages() -> Environment:
    from evenhand.report.output.html import environment

    return environment()
