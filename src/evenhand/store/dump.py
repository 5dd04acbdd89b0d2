"""Everything in a store as records of plain JSON, in an order that depends on nothing but the content."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sqlalchemy import collate, select

from evenhand.model.json_text import loads
from evenhand.store import schema as s
from evenhand.store.open import reached

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import ColumnElement, Connection, Engine, Table

__all__ = ["SCHEMA", "dump"]

SCHEMA = "evenhand.store/1"


def dump(engine: Engine) -> Iterator[dict[str, Any]]:
    """Records in the order in which they can be taken in; one moment's state, whoever is writing."""
    with reached(engine), engine.connect() as fresh:
        connection = (
            fresh.execution_options(isolation_level="REPEATABLE READ")
            if engine.dialect.name == "postgresql"
            else fresh
        )
        yield {"record": "store", "schema": SCHEMA}
        for row in _rows(connection, s.content, s.content.c.number):
            yield {"record": "payload", "seal": row["seal"], "kind": row["kind"], "body": _loads(row["body"])}
        for row in _rows(connection, s.line, _bytewise(s.line.c.log, connection), s.line.c.number):
            yield {"record": "line", **row, "body": _loads(row["body"])}
        for row in _rows(connection, s.text, s.text.c.sha256):
            words = bytes(row["body"]).decode("utf-8", "surrogatepass")
            yield {"record": "text", "sha256": row["sha256"], "body": words}
        for row in _rows(connection, s.item, s.item.c.id):
            yield {"record": "item", **row, "body": _loads(row["body"])}
        pools = list(_rows(connection, s.pool, s.pool.c.number))
        for row in pools:
            yield _pool(connection, row)
        desks = list(_rows(connection, s.desk, s.desk.c.number))
        for row in desks:
            yield {"record": "desk", **_less(row, "number"), "body": _loads(row["body"])}
        for kind, table, order in (
            ("task", s.task, s.task.c.position),
            ("entry", s.entry, s.entry.c.number),
            ("event", s.event, s.event.c.number),
        ):
            for one in desks:
                for row in _rows(connection, table, order, only=table.c.desk == one["id"]):
                    # an entry's number is part of it; an event's is the database's own, and done is derived
                    kept = _less(row, "done") if kind == "entry" else _less(row, "number")
                    yield {"record": kind, **kept, "body": _loads(row["body"])}
        for row in _rows(connection, s.access, s.access.c.number):
            yield {"record": "access", **_less(row, "number", "token_sha256")}
        for row in _rows(connection, s.revocation, s.revocation.c.access):
            yield {"record": "revocation", **row}


def _pool(connection: Connection, row: dict[str, Any]) -> dict[str, Any]:
    mark = row["seal"]
    asked = _rows(
        connection, s.pool_question, s.pool_question.c.position, only=s.pool_question.c.pool == mark
    )
    places = _rows(connection, s.pool_item, s.pool_item.c.position, only=s.pool_item.c.pool == mark)
    (found,) = _rows(connection, s.pool_found, s.pool_found.c.pool, only=s.pool_found.c.pool == mark)
    return {
        "record": "pool",
        **_less(row, "number", "length"),
        "body": _loads(row["body"]),
        "questions": [[one["question"], _loads(one["body"])] for one in asked],
        "items": [
            [one["item"], one["stratum"], one["probability"], one["size"], one["priority"]] for one in places
        ],
        "found": {
            name: np.frombuffer(bytes(found[name]), dtype="<i4").tolist() for name in ("item", "run", "rank")
        },
    }


def _bytewise(column: ColumnElement[str], connection: Connection) -> ColumnElement[str]:
    """Order by code point, whatever the locale of the server."""
    return collate(column, "C" if connection.dialect.name == "postgresql" else "BINARY")


def _rows(
    connection: Connection, table: Table, *order: Any, only: ColumnElement[bool] | None = None
) -> Iterator[dict[str, Any]]:
    query = select(table).order_by(*order)
    if only is not None:
        query = query.where(only)
    result = connection.execution_options(yield_per=500).execute(query)
    return (dict(row) for row in result.mappings())


def _loads(body: str) -> Any:
    return loads(body)


def _less(row: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in names}
