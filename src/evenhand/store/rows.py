"""Rows of the tables and the nouns they hold."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from evenhand.errors import InputError
from evenhand.model.json_text import loads
from evenhand.model.judging import Access, Desk, Entry, Event, EvidenceMark, Task
from evenhand.model.pool import PoolItem

if TYPE_CHECKING:
    from sqlalchemy import Connection, Row, Table
    from sqlalchemy.sql.dml import Insert

__all__ = [
    "add",
    "entry_of",
    "entry_row",
    "event_of",
    "item_of",
    "item_row",
    "plain",
    "task_of",
    "task_row",
    "to_json",
]

BATCH = 1000


def to_json(thing: Any) -> str:
    """JSON in ASCII with sorted keys: any text survives any database, and equal things have equal rows."""
    return json.dumps(thing, sort_keys=True, separators=(",", ":"), allow_nan=False)


def plain(text: str, what: str) -> str:
    """*text*, if a database can hold it as text; ids and names must be of that kind."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        text = "\x00"
    if "\x00" in text:
        raise InputError(f"{what} holds NUL or half a character", mend="ids and names are ordinary text")
    return text


def add(connection: Connection, table: Table, rows: list[dict[str, Any]]) -> None:
    """Insert rows, passing over those whose key is there already."""
    insert: Insert
    if connection.dialect.name == "postgresql":
        from sqlalchemy.dialects.postgresql import insert as insert_pg

        insert = insert_pg(table).on_conflict_do_nothing()
    else:
        from sqlalchemy.dialects.sqlite import insert as insert_lite

        insert = insert_lite(table).on_conflict_do_nothing()
    for start in range(0, len(rows), BATCH):
        connection.execute(insert, rows[start : start + BATCH])


def item_row(item: PoolItem) -> dict[str, Any]:
    """What `eh_item` keeps: no probability, no stratum."""
    return {
        "id": item.id,
        "question": plain(item.question, "a question's id"),
        "doc": plain(item.doc, "a document's id"),
        "start": item.start,
        "end": item.end,
        "text_sha256": item.text_sha256,
        "body": to_json({"heading": list(item.heading), "title": item.title}),
    }


def item_of(row: Row[Any], place: Row[Any] | None = None) -> PoolItem:
    """The item, and how it came into a pool when *place* is its row there."""
    body = loads(row.body)
    more: dict[str, Any] = {}
    if place is not None:
        more = {
            "stratum": place.stratum,
            "probability": place.probability,
            "size": place.size,
            "priority": place.priority,
        }
    return PoolItem(
        id=row.id,
        question=row.question,
        doc=row.doc,
        start=row.start,
        end=row.end,
        text_sha256=row.text_sha256,
        heading=tuple(body["heading"]),
        title=body["title"],
        **more,
    )


def desk_of(row: Row[Any]) -> Desk:
    """The desk of a row."""
    return Desk(
        id=row.id,
        pool=row.pool,
        judge=row.judge,
        sheet=row.sheet,
        kind=row.kind,
        settings=loads(row.body),
        at=row.at,
    )


def task_row(task: Task) -> dict[str, Any]:
    """The row of a task."""
    return {
        "id": task.id,
        "desk": task.desk,
        "position": task.position,
        "item": task.item,
        "kind": task.kind,
        "body": to_json(list(task.about)),
    }


def task_of(row: Row[Any]) -> Task:
    """The task of a row."""
    return Task(
        id=row.id,
        desk=row.desk,
        position=row.position,
        item=row.item,
        kind=row.kind,
        about=tuple(loads(row.body)),
    )


def entry_row(entry: Entry) -> dict[str, Any]:
    """The row of an entry, but for ``done``."""
    return {
        "desk": entry.desk,
        "number": entry.number,
        "task": entry.task,
        "token": entry.token,
        "kind": entry.kind,
        "grade": entry.grade,
        "undoes": entry.undoes or None,
        "sheet": entry.sheet,
        "shown_at": entry.shown_at,
        "at": entry.at,
        "active_ms": entry.active_ms,
        "body": to_json(
            {
                "mode": entry.mode,
                "reason": entry.reason,
                "comment": entry.comment,
                "evidence": [[mark.start, mark.end, mark.quote] for mark in entry.evidence],
            }
        ),
    }


def entry_of(row: Row[Any]) -> Entry:
    """The entry of a row."""
    body = loads(row.body)
    return Entry(
        desk=row.desk,
        number=row.number,
        task=row.task,
        token=row.token,
        kind=row.kind,
        grade=row.grade,
        undoes=row.undoes or 0,
        sheet=row.sheet,
        shown_at=row.shown_at,
        at=row.at,
        active_ms=row.active_ms,
        mode=body["mode"],
        reason=body["reason"],
        comment=body["comment"],
        evidence=tuple(EvidenceMark(start=s, end=e, quote=q) for s, e, q in body["evidence"]),
    )


def event_row(event: Event) -> dict[str, Any]:
    """The row of an event."""
    return {
        "desk": event.desk,
        "token": event.token,
        "kind": event.kind,
        "task": event.task,
        "at": event.at,
        "body": to_json(dict(event.body)),
    }


def event_of(row: Row[Any]) -> Event:
    """The event of a row."""
    return Event(
        desk=row.desk, token=row.token, kind=row.kind, task=row.task, at=row.at, body=loads(row.body)
    )


def access_of(row: Row[Any], revoked: str | None) -> Access:
    """The access of a row."""
    return Access(id=row.id, name=row.name, role=row.role, at=row.at, revoked=revoked or "")


def unknown(what: str, name: str) -> InputError:
    """There is no such thing in the store."""
    return InputError(f"the store has no {what} {name!r}", mend=f"name a {what} that is in this store")


def as_record(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row without its own number."""
    return {name: value for name, value in row.items() if name != "number"}
