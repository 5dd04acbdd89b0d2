"""Rows of report.json on generated items and what checks found in them."""

from __future__ import annotations

from evenhand.report.schema.shared import Row

__all__ = ["GeneratedRow"]


class PlaceRow(Row):
    """A place of a finding, with its words."""

    place: str
    start: int
    end: int
    words: str


class FindingRow(Row):
    """What one check looked for, what it found, and where."""

    check: str
    passed: bool | None
    why: str
    sought: list[str]
    found: list[str]
    missing: list[str]
    places: list[PlaceRow]


class ItemRow(Row):
    """One generated item; ``cites``: marker, quote, and the unit it leads to."""

    id: str
    number: int
    kind: str
    text: str
    options: list[str]
    key: int | None
    answer: str
    cites: list[dict[str, str | None]]
    findings: list[FindingRow]


class GeneratedRow(Row):
    """An item with its topic, or a topic that gave none."""

    system: str
    topic: str
    ask: str
    expect: str
    units: list[str]
    state: str
    why: str
    item: ItemRow | None
