"""Every fault of a store, in words: hashes that do not fit, orphans, gaps in a book."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Table, func, select

from evenhand.errors import EvenhandError
from evenhand.labelling.desk.entry_log import Book
from evenhand.model.json_text import loads
from evenhand.model.pool import item_id
from evenhand.model.seal import seal as seal_of
from evenhand.store import schema as s
from evenhand.store.pools import pool_of
from evenhand.store.rows import entry_of

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["faults"]


def faults(connection: Connection) -> Iterator[str]:
    """One sentence a fault; none when the store is whole. Reads everything once."""
    for part in (_file, _orphans, _payloads, _lines, _texts, _items, _pools, _desks, _books, _evidence):
        yield from part(connection)


def _rows(connection: Connection, table: Table, *order: Any) -> Iterator[Any]:
    query = select(table).order_by(*order)
    return iter(connection.execution_options(yield_per=500).execute(query))


def _file(connection: Connection) -> Iterator[str]:
    if connection.dialect.name != "sqlite":
        return
    for (said,) in connection.exec_driver_sql("PRAGMA integrity_check").all():
        if said != "ok":
            yield f"the file is damaged: {said}"


def _orphans(connection: Connection) -> Iterator[str]:
    for table in s.metadata.sorted_tables:
        for column in table.columns:
            for key in column.foreign_keys:
                there = key.column
                lost = select(func.count()).where(column.is_not(None), column.not_in(select(there)))
                n = connection.execute(lost.select_from(table)).scalar_one()
                if n:
                    yield f"{n} rows of {table.name} point at a {column.name} that is not there"
    # items may be kept for tasks to come, texts come only with items
    alone = (
        select(func.count()).select_from(s.text).where(s.text.c.sha256.not_in(select(s.item.c.text_sha256)))
    )
    if n := connection.execute(alone).scalar_one():
        yield f"{n} texts belong to no item"


def _payloads(connection: Connection) -> Iterator[str]:
    for row in _rows(connection, s.content, s.content.c.number):
        if _unlike(row.body, lambda body, mark=row.seal: seal_of(body) == mark):
            yield f"payload {row.seal[:12]}… ({row.kind}) is not what its seal says"


def _lines(connection: Connection) -> Iterator[str]:
    query = select(s.line.c.log, func.count(), func.max(s.line.c.number)).group_by(s.line.c.log)
    for log, n, last in connection.execute(query):
        if n != last:
            yield f"log {log!r} has {n} lines, and the last is number {last}"
    for row in _rows(connection, s.line, s.line.c.log, s.line.c.number):
        if _unlike(row.body, lambda body: isinstance(body, dict)):
            yield f"line {row.number} of log {row.log!r} is no JSON object"


def _texts(connection: Connection) -> Iterator[str]:
    for row in _rows(connection, s.text, s.text.c.sha256):
        if hashlib.sha256(_raw(row.body)).hexdigest() != row.sha256:
            yield f"text {row.sha256[:12]}… is not what its hash says"


def _items(connection: Connection) -> Iterator[str]:
    for row in _rows(connection, s.item, s.item.c.id):
        if row.id != item_id(row.question, row.doc, row.start, row.end, row.text_sha256):
            yield f"item {row.id} is not what its id says"


def _pools(connection: Connection) -> Iterator[str]:
    for mark in list(connection.execute(select(s.pool.c.seal).order_by(s.pool.c.number)).scalars()):
        try:
            whole = pool_of(connection, mark).seal == mark
        except (EvenhandError, ValueError, LookupError, TypeError):
            whole = False
        if not whole:
            yield f"pool {mark[:12]}… is not what its seal says"


def _desks(connection: Connection) -> Iterator[str]:
    count = select(s.task.c.desk, func.count().label("n"), func.max(s.task.c.position).label("last"))
    tasks = {row.desk: (row.n, row.last) for row in connection.execute(count.group_by(s.task.c.desk))}
    for row in _rows(connection, s.desk, s.desk.c.number):
        n, last = tasks.get(row.id, (0, -1))
        if n != row.total or last != n - 1:
            yield f"desk {row.id} should have {row.total} tasks and has {n}, the last at place {last}"


def _books(connection: Connection) -> Iterator[str]:
    homes = {row.id: row.desk for row in _rows(connection, s.task, s.task.c.id)}
    book, at = Book(), ""
    for row in _rows(connection, s.entry, s.entry.c.desk, s.entry.c.number):
        if row.desk != at:
            book, at = Book(), row.desk
        if homes.get(row.task) != row.desk:
            yield f"entry {row.number} of desk {row.desk} answers a task of another desk"
        try:
            book.add(entry_of(row))
        except (EvenhandError, ValueError, LookupError, TypeError) as error:
            yield getattr(error, "what", f"entry {row.number} of desk {row.desk} cannot be read")
            book.length = row.number  # go on behind it
            continue
        if book.done != row.done:
            yield f"entry {row.number} of desk {row.desk} counts {row.done} answered, there are {book.done}"


def _evidence(connection: Connection) -> Iterator[str]:
    query = (
        select(s.entry.c.desk, s.entry.c.number, s.entry.c.body, s.text.c.body.label("text"))
        .join(s.task, s.task.c.id == s.entry.c.task)
        .join(s.item, s.item.c.id == s.task.c.item)
        .join(s.text, s.text.c.sha256 == s.item.c.text_sha256)
        .where(s.entry.c.body.not_like('%"evidence":[]%'))
    )
    for row in connection.execution_options(yield_per=500).execute(query):
        words = _raw(row.text).decode("utf-8", "surrogatepass")
        marks = loads(row.body)["evidence"]
        if any(words[start:end] != quote for start, end, quote in marks):
            yield f"evidence of entry {row.number} of desk {row.desk} is not what its text says there"


def _raw(body: Any) -> bytes:
    """The bytes of a text; a hand that changed it may have made a string of them."""
    return body.encode() if isinstance(body, str) else bytes(body)


def _unlike(body: str, holds: Any) -> bool:
    try:
        return not holds(loads(body))
    except ValueError:
        return True
