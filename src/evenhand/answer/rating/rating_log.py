"""The log of one rater of one pack, read line by line: what stands, what was taken back, what was seen."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from evenhand.model.answer import RATED

__all__ = ["ACTS", "Act", "RaterBook"]

ACTS = ("rate", "skip", "comment", "undo", "checks")


@dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    """One line of the log. ``number`` counts from 1 and is the store's.

    ``act``: ``rate`` (``field``, ``said``), ``skip`` (``reason``), ``comment``, ``undo`` (``undoes`` a
    number), ``checks``: what checks found was sent to this rater (``early``: asked for before its time).
    ``checks_shown_before_rating``: they had been sent when this was said.
    """

    token: str
    act: str
    item: str = ""
    field: str = ""
    said: str = ""
    reason: str = ""
    comment: str = ""
    undoes: int = 0
    early: bool = False
    checks_shown_before_rating: bool = False
    sheet: str = ""
    shown_at: str = ""
    at: str = ""
    active_ms: int | None = None
    number: int = 0

    def as_json(self) -> dict[str, Any]:
        """The line: what is empty is left out; a rating always says whether the checks were on screen."""
        row = {
            name: getattr(self, name)
            for name in self.__dataclass_fields__
            if name not in ("number", "checks_shown_before_rating")
            and getattr(self, name) not in ("", 0, None, False)
        }
        if self.active_ms == 0:
            row["active_ms"] = 0
        if self.act == "rate":
            row["checks_shown_before_rating"] = self.checks_shown_before_rating
        return row

    @classmethod
    def of_json(cls, row: Mapping[str, Any], number: int) -> Act:
        """The act of a line."""
        return cls(**row, number=number)

    @property
    def what(self) -> tuple[Any, ...]:
        """What was said, without the when and how: the same token must say the same."""
        return (self.act, self.item, self.field, self.said, self.reason, self.comment)


@dataclass
class RaterBook:
    """What stands after the acts so far.

    Each item has a pile of ratings and skips; an undo takes one out wherever it lies. The last rating of a
    field stands; an item whose last act is a skip is skipped. An undo of what does not stand changes nothing:
    two browsers may take back the same. Linear in the acts.
    """

    length: int = 0  # the number of the last line read
    tokens: dict[str, Act] = field(default_factory=dict)
    _piles: dict[str, list[Act]] = field(default_factory=dict)
    _seen: dict[str, int] = field(default_factory=dict)  # item → the line that says checks were sent
    _early: set[str] = field(default_factory=set)
    _comments: dict[str, str] = field(default_factory=dict)
    _order: dict[int, Act] = field(default_factory=dict)  # number → rating or skip that stands, as they came

    @classmethod
    def of(cls, lines: Iterable[tuple[int, Mapping[str, Any]]]) -> RaterBook:
        """The book of all lines of a log."""
        book = cls()
        for number, line in lines:
            book.add(Act.of_json(line, number))
        return book

    def add(self, act: Act) -> str:
        """Read the next act; returns the item whose ratings or skip it may have changed."""
        self.length = act.number
        self.tokens.setdefault(act.token, act)
        if act.act == "undo":
            gone = self._order.pop(act.undoes, None)
            if gone is not None:
                self._piles[gone.item].remove(gone)
                return gone.item
        elif act.act == "checks":
            self._seen.setdefault(act.item, act.number)
            if act.early:
                self._early.add(act.item)
        elif act.act == "comment":
            self._comments[act.item] = act.comment
        else:
            self._piles.setdefault(act.item, []).append(act)
            self._order[act.number] = act
        return act.item

    def given(self, item: str) -> dict[str, Act]:
        """Field → the rating that stands, in the order of the rubric."""
        found = {act.field: act for act in self._piles.get(item, ()) if act.act == "rate"}
        return {name: found[name] for name in RATED if name in found}

    def skipped(self, item: str) -> Act | None:
        """The skip that stands for an item."""
        pile = self._piles.get(item)
        return pile[-1] if pile and pile[-1].act == "skip" else None

    def comment(self, item: str) -> str:
        """The last comment on an item."""
        return self._comments.get(item, "")

    def done(self, item: str, asked: Sequence[str]) -> bool:
        """Whether every field that is asked has an answer, or the item is skipped."""
        return self.skipped(item) is not None or all(name in self.given(item) for name in asked)

    def seen(self, item: str) -> bool:
        """Whether what checks found on the item was ever sent to this rater."""
        return item in self._seen

    def early(self, item: str) -> bool:
        """Whether it was asked for before its time."""
        return item in self._early

    def after_checks(self, item: str) -> tuple[str, ...]:
        """The fields whose standing rating was given when the checks had been sent."""
        first = self._seen.get(item)
        return tuple(
            name
            for name, act in self.given(item).items()
            if act.checks_shown_before_rating or (first is not None and first < act.number)
        )

    def last(self, item: str = "", name: str = "") -> Act | None:
        """The rating or skip that would be taken back next: of all, of one item, or of one field of it."""
        for act in reversed(self._order.values()):
            if (not item or act.item == item) and (not name or act.field == name):
                return act
        return None

    @property
    def items(self) -> tuple[str, ...]:
        """Items with a rating or skip that stands."""
        return tuple(item for item, pile in self._piles.items() if pile)

    @property
    def acts(self) -> Iterable[Act]:
        """The ratings and skips that stand, as they came."""
        return self._order.values()
