"""What an adjudicator sees of a dispute: the sides, unnamed, in the order in which the task drew them."""

from __future__ import annotations

from dataclasses import asdict
from string import ascii_uppercase
from typing import TYPE_CHECKING, Any

from evenhand.errors import InputError
from evenhand.web.desk.contexts import Side

if TYPE_CHECKING:
    from evenhand.model.judging import Entry, Task
    from evenhand.protocols import Store

__all__ = ["sides"]


def sides(store: Store, task: Task) -> list[dict[str, Any]]:
    """One side for each entry that the task is about (``desk:number``).

    Neither names nor times nor comments: a manner of writing would name its writer.
    """
    return [_side(store, letter, one) for letter, one in zip(ascii_uppercase, task.about, strict=False)]


def _side(store: Store, letter: str, about: str) -> dict[str, Any]:
    entry = _entry(store, about)
    sheet = store.sheet(entry.sheet)
    label = sheet.level(entry.grade).label if entry.grade is not None else ""
    side = Side(
        side=letter,
        kind=entry.kind,
        grade=entry.grade,
        label=label,
        mode=next((mode.label for mode in sheet.modes if mode.name == entry.mode), ""),
        evidence=tuple({"start": m.start, "end": m.end, "quote": m.quote} for m in entry.evidence),
    )
    return asdict(side)


def _entry(store: Store, about: str) -> Entry:
    desk, _, number = about.rpartition(":")
    entry = next(iter(store.book(desk, after=int(number) - 1)), None) if number.isdigit() else None
    if entry is None:
        raise InputError("a dispute is about an entry that is not there", mend="run `evenhand store check`")
    return entry
