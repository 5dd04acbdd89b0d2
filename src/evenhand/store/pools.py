"""Pools in SQL: items and texts in rows, who found what in columns of its own."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from sqlalchemy import Connection, select

from evenhand.errors import InputError
from evenhand.model.json_text import loads
from evenhand.model.pool import Pool, Pooled, PoolItem, item_id
from evenhand.store import schema as s
from evenhand.store.rows import add, item_of, item_row, plain, to_json, unknown

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["add_pool", "item_rows", "no_sheet", "pool_of", "text_rows"]


def text_rows(items: Iterable[PoolItem], texts: Iterable[str]) -> list[dict[str, Any]]:
    """Rows of the texts that the items name, each once; refuses one too few and one too many."""
    wanted = {item.text_sha256 for item in items}
    rows: dict[str, bytes] = {}
    for text in texts:
        data = text.encode("utf-8", "surrogatepass")
        mark = hashlib.sha256(data).hexdigest()
        if mark not in wanted:
            raise InputError(
                f"a text of {len(text)} characters has hash {mark[:12]}…, which no item names",
                mend="the corpus has changed since it was pooled: pool again",
            )
        rows[mark] = data
    if missing := sorted(wanted - rows.keys()):
        raise InputError(
            f"{len(missing)} texts are missing, the first with hash {missing[0][:12]}…",
            mend="give the text of every item",
        )
    return [{"sha256": mark, "body": data} for mark, data in sorted(rows.items())]


def item_rows(items: Iterable[PoolItem]) -> list[dict[str, Any]]:
    """Rows of the items, whose ids are verified."""
    rows = []
    for item in items:
        if item.id != item_id(item.question, item.doc, item.start, item.end, item.text_sha256):
            raise InputError(f"item {item.id} is not what its id says", mend="name it by item_id")
        rows.append(item_row(item))
    return rows


def add_pool(connection: Connection, pool: Pool, texts: Iterable[str] | None, *, at: str) -> str:
    """Keep a pool, unless it is there; *texts* None: they and the items are in the store already."""
    mark = pool.seal
    if connection.execute(select(s.pool.c.seal).where(s.pool.c.seal == mark)).first() is not None:
        return mark
    held = text_rows(pool.items, texts) if texts is not None else []
    rows = item_rows(pool.items) if texts is not None else []
    for item in pool.items:
        if item.question not in pool.questions:
            raise InputError(
                f"item {item.id} asks {item.question!r}, which the pool does not have",
                mend="give the words of every question",
            )
    body = {
        "runs": [[run.system, run.seal, run.kind] for run in pool.runs],
        "settings": dict(pool.settings),
    }
    row = {
        "seal": mark,
        "name": plain(pool.name, "a pool's name"),
        "by": pool.by,
        "length": len(pool),
        "at": at,
        "body": to_json(body),
    }
    add(connection, s.pool, [row])
    add(connection, s.text, held)
    add(connection, s.item, rows)
    asked = [
        {"pool": mark, "position": i, "question": plain(name, "a question's id"), "body": to_json(words)}
        for i, (name, words) in enumerate(pool.questions.items())
    ]
    add(connection, s.pool_question, asked)
    places = [
        {
            "pool": mark,
            "position": i,
            "item": item.id,
            "stratum": plain(item.stratum, "a stratum"),
            "probability": item.probability,
            "size": item.size,
            "priority": item.priority,
        }
        for i, item in enumerate(pool.items)
    ]
    add(connection, s.pool_item, places)
    found = {
        "pool": mark,
        "item": _bytes(pool.found_item),
        "run": _bytes(pool.found_run),
        "rank": _bytes(pool.found_rank),
    }
    add(connection, s.pool_found, [found])
    return mark


def pool_of(connection: Connection, seal: str) -> Pool:
    """The pool as it was added."""
    head = connection.execute(select(s.pool).where(s.pool.c.seal == seal)).first()
    if head is None:
        raise unknown("pool", seal)
    place = s.pool_item
    joined = select(s.item).join(place, place.c.item == s.item.c.id)
    rows = connection.execute(joined.where(place.c.pool == seal).order_by(place.c.position)).all()
    places = connection.execute(select(place).where(place.c.pool == seal).order_by(place.c.position)).all()
    found = connection.execute(select(s.pool_found).where(s.pool_found.c.pool == seal)).one()
    asked = connection.execute(
        select(s.pool_question).where(s.pool_question.c.pool == seal).order_by(s.pool_question.c.position)
    )
    body = loads(head.body)
    return Pool(
        name=head.name,
        items=tuple(item_of(row, where) for row, where in zip(rows, places, strict=True)),
        questions={row.question: str(loads(row.body)) for row in asked},
        runs=tuple(Pooled(system=a, seal=b, kind=c) for a, b, c in body["runs"]),
        found_item=_ints(found.item),
        found_run=_ints(found.run),
        found_rank=_ints(found.rank),
        by=head.by,
        settings=body["settings"],
    )


def _bytes(column: NDArray[np.int32]) -> bytes:
    return np.ascontiguousarray(column, dtype="<i4").tobytes()


def _ints(data: bytes) -> NDArray[np.int32]:
    return np.frombuffer(bytes(data), dtype="<i4").astype(np.int32)


def no_sheet(connection: Connection, seal: str) -> InputError:
    """The fault of a pool that has no desk yet, by its name; of one that is not there: it is unknown."""
    name = connection.execute(select(s.pool.c.name).where(s.pool.c.seal == seal)).scalar()
    if name is None:
        return unknown("pool", seal)
    return InputError(
        f"pool {name} ({seal[:12]}) has no sheet in use yet: no desk was filled from it",
        mend="name the sheet that its judges have: --sheet sufficiency, contribution, or a TOML file",
    )
