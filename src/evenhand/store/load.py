"""Taking in what `dump` gave: all or nothing, verified, and nothing that is there is changed."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
from sqlalchemy import select, tuple_
from sqlalchemy.exc import IntegrityError

from evenhand.errors import InputError, nearest
from evenhand.labelling.desk.entry_log import Book
from evenhand.model.judging import Access, Desk, Entry, Event, EvidenceMark, Task
from evenhand.model.pool import Pool, Pooled, PoolItem
from evenhand.model.seal import seal as seal_of
from evenhand.store import schema as s
from evenhand.store.desks import book
from evenhand.store.dump import SCHEMA
from evenhand.store.pools import add_pool, item_rows
from evenhand.store.rows import entry_row, event_row, item_of, plain, task_row, to_json

if TYPE_CHECKING:
    from sqlalchemy import Connection, Table

__all__ = ["load"]

Record = Mapping[str, Any]
END: Record = {}
BATCH = 400  # rows written at once; SQLite takes so many keys in one question


def load(connection: Connection, records: Iterable[Record]) -> int:
    """Take in records; returns how many were new. Raises InputError at the first that does not fit."""
    loader = Loader(connection)
    number = 0
    for number, record in enumerate(chain(records, [END]), 1):
        try:
            loader.take(record, first=number == 1)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise InputError(
                f"record {number} is not of the form of {SCHEMA}: {type(error).__name__}: {error}",
                mend="import what `evenhand store export` wrote, unchanged",
            ) from error
        except InputError as error:
            raise InputError(f"record {number}: {error.what}", mend=error.mend) from error
        except IntegrityError as error:
            raise InputError(
                f"record {number} or one before it contradicts what is in the store: {error.orig}",
                mend="import into a new store, and compare: nothing is ever overwritten",
            ) from error
    if number < 2:
        raise InputError("there is nothing to import", mend="give what `evenhand store export` wrote")
    return loader.fresh


class Loader:
    """One import, in one transaction."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.fresh = 0
        self.rows: dict[tuple[Any, ...], dict[str, Any]] = {}  # waiting to be written, by key
        self.at: tuple[str, tuple[str, ...]] = ("", ())
        self.table: Table | None = None
        self.but: tuple[str, ...] = ()
        self.homes: dict[str, str] = {}  # desk by task
        self.books: dict[str, Book] = {}
        self.seen: set[tuple[str, str]] = set()  # what others may point at
        self.takers: dict[str, Callable[[Record], None]] = {
            "payload": self.payload,
            "line": self.line,
            "text": self.text,
            "item": self.item,
            "pool": self.pool,
            "desk": self.desk,
            "task": self.task,
            "entry": self.entry,
            "event": self.event,
            "access": self.access,
            "revocation": self.revocation,
        }

    def take(self, record: Record, *, first: bool) -> None:
        """Take in one record."""
        if record is END:
            self.flush()
            return
        kind = str(record["record"])
        if first or kind == "store":
            if kind != "store" or record.get("schema") != SCHEMA:
                raise InputError(
                    f"it begins with {kind!r} of schema {record.get('schema')!r}",
                    mend=f"an export begins with the record 'store' of schema {SCHEMA!r}",
                )
            return
        if kind not in self.takers:
            raise InputError(f"a record of kind {kind!r}", mend=nearest(kind, self.takers))
        self.takers[kind](record)

    def _keep(self, table: Table, row: dict[str, Any], *keys: str, but: tuple[str, ...] = ()) -> None:
        """Insert a row with others of its table, unless the same one is there."""
        if self.at != (table.name, keys) or len(self.rows) >= BATCH:
            self.flush()
        self.at, self.table, self.but = (table.name, keys), table, but
        key = tuple(row[name] for name in keys)
        if key in self.rows:
            self._same(key, self.rows[key], row)
        self.rows[key] = row

    def flush(self) -> None:
        """Write the rows that wait, and compare those that are there already."""
        rows, self.rows = self.rows, {}
        if not rows:
            return
        table, names = self.table, self.at[1]
        assert table is not None  # noqa: S101 - set with the first row
        columns = [table.c[name] for name in names]
        there = self.connection.execute(select(table).where(tuple_(*columns).in_(list(rows)))).mappings()
        for old in there:
            key = tuple(old[name] for name in names)
            self._same(key, dict(old), rows.pop(key))
        if rows:
            self.connection.execute(table.insert(), list(rows.values()))
            self.fresh += len(rows)

    def _same(self, key: tuple[Any, ...], old: Mapping[str, Any], new: Mapping[str, Any]) -> None:
        changed = [name for name, value in new.items() if name not in self.but and old[name] != value]
        if changed:
            what = " ".join(str(part)[:20] for part in key)
            raise InputError(
                f"{self.at[0].removeprefix('eh_')} {what} is in this store with another {changed[0]}",
                mend="import into a new store, and compare: nothing is ever overwritten",
            )

    def payload(self, record: Record) -> None:
        """Content under its seal."""
        if seal_of(record["body"]) != record["seal"]:
            raise _false("payload", record["seal"])
        row = {
            "seal": record["seal"],
            "kind": plain(record["kind"], "a kind"),
            "body": to_json(record["body"]),
        }
        self.seen.add(("sheet", row["seal"]))
        self._keep(s.content, row, "seal")

    def line(self, record: Record) -> None:
        """A line of a log."""
        row = {
            "log": plain(record["log"], "a log"),
            "number": int(record["number"]),
            "token": record["token"],
            "body": to_json(record["body"]),
        }
        self._keep(s.line, row, "log", "number")

    def text(self, record: Record) -> None:
        """A text under its hash."""
        data = record["body"].encode("utf-8", "surrogatepass")
        if hashlib.sha256(data).hexdigest() != record["sha256"]:
            raise _false("text", record["sha256"])
        self._keep(s.text, {"sha256": record["sha256"], "body": data}, "sha256")

    def item(self, record: Record) -> None:
        """An item; its id is verified."""
        body = record["body"]
        item = PoolItem(
            id=record["id"],
            question=record["question"],
            doc=record["doc"],
            start=record["start"],
            end=record["end"],
            text_sha256=record["text_sha256"],
            heading=tuple(body["heading"]),
            title=body["title"],
        )
        # the way a heading is written may differ between chunkings: the first to come stays
        self.seen.add(("item", item.id))
        self._keep(s.item, item_rows([item])[0], "id", but=("body",))

    def pool(self, record: Record) -> None:
        """A pool; its seal is verified."""
        self.flush()
        connection, mark = self.connection, record["seal"]
        if connection.execute(select(s.pool.c.seal).where(s.pool.c.seal == mark)).first() is not None:
            return
        items = self._placed(record["items"])
        found = record["found"]
        pool = Pool(
            name=record["name"],
            items=tuple(items),
            questions=dict(record["questions"]),
            runs=tuple(Pooled(system=a, seal=b, kind=c) for a, b, c in record["body"]["runs"]),
            found_item=np.array(found["item"], dtype=np.int32),
            found_run=np.array(found["run"], dtype=np.int32),
            found_rank=np.array(found["rank"], dtype=np.int32),
            by=record["by"],
            settings=record["body"]["settings"],
        )
        if pool.seal != mark:
            raise _false("pool", mark)
        add_pool(connection, pool, None, at=record["at"])
        self.fresh += 1

    def _placed(self, places: list[list[Any]]) -> list[PoolItem]:
        """The items of a pool as they came into it."""
        held: dict[str, PoolItem] = {}
        names = [str(name) for name, *_ in places]
        for start in range(0, len(names), BATCH):
            query = select(s.item).where(s.item.c.id.in_(names[start : start + BATCH]))
            held.update((row.id, item_of(row)) for row in self.connection.execute(query))
        if missing := [name for name in names if name not in held]:
            raise InputError(
                f"a pool holds item {missing[0]}, which is not there", mend="import the whole export"
            )
        return [
            replace(held[name], stratum=stratum, probability=probability, size=size, priority=priority)
            for name, stratum, probability, size, priority in places
        ]

    def desk(self, record: Record) -> None:
        """A desk without its tasks."""
        desk = Desk(
            id=record["id"],
            pool=record["pool"],
            judge=record["judge"],
            sheet=record["sheet"],
            kind=record["kind"],
            settings=record["body"],
            at=record["at"],
        )
        self._there("pool", s.pool.c.seal, desk.pool)
        self._there("sheet", s.content.c.seal, desk.sheet)
        row = {
            "id": desk.id,
            "pool": desk.pool,
            "judge": plain(desk.judge, "a judge's name"),
            "kind": desk.kind,
            "sheet": desk.sheet,
            "total": int(record["total"]),
            "at": desk.at,
            "body": to_json(dict(desk.settings)),
        }
        self.seen.add(("desk", desk.id))
        self._keep(s.desk, row, "id")

    def task(self, record: Record) -> None:
        """A task of a desk."""
        task = Task(
            id=record["id"],
            desk=record["desk"],
            position=int(record["position"]),
            item=record["item"],
            kind=record["kind"],
            about=tuple(record["body"]),
        )
        self._there("desk", s.desk.c.id, task.desk)
        self._there("item", s.item.c.id, task.item)
        self.homes[task.id] = task.desk
        self._keep(s.task, task_row(task), "id")

    def entry(self, record: Record) -> None:
        """The next entry of a book."""
        body = record["body"]
        entry = Entry(
            desk=record["desk"],
            number=int(record["number"]),
            task=record["task"],
            token=record["token"],
            kind=record["kind"],
            grade=record["grade"],
            undoes=record["undoes"] or 0,
            sheet=record["sheet"],
            shown_at=record["shown_at"],
            at=record["at"],
            active_ms=record["active_ms"],
            mode=body["mode"],
            reason=body["reason"],
            comment=body["comment"],
            evidence=tuple(EvidenceMark(start=a, end=b, quote=q) for a, b, q in body["evidence"]),
        )
        self._there("sheet", s.content.c.seal, entry.sheet)
        if entry.task not in self.homes:
            query = select(s.task.c.desk).where(s.task.c.id == entry.task)
            self.homes[entry.task] = self.connection.execute(query).scalar() or ""
        if self.homes[entry.task] != entry.desk:
            raise InputError(
                f"entry {entry.number} of desk {entry.desk} answers a task of another desk",
                mend="import the whole export, unchanged",
            )
        if entry.desk not in self.books:
            self.flush()
            self.books[entry.desk] = Book(book(self.connection, entry.desk))
        read = self.books[entry.desk]
        row = entry_row(entry)
        if entry.number > read.length:
            read.add(entry)
            row["done"] = read.done
        self._keep(s.entry, row, "desk", "number")

    def event(self, record: Record) -> None:
        """An event."""
        event = Event(
            desk=record["desk"],
            token=record["token"],
            kind=record["kind"],
            task=record["task"],
            at=record["at"],
            body=record["body"],
        )
        self._there("desk", s.desk.c.id, event.desk)
        self._keep(s.event, event_row(event), "desk", "token")

    def access(self, record: Record) -> None:
        """Somebody who had access elsewhere: it opens nothing here."""
        one = Access(id=record["id"], name=record["name"], role=record["role"], at=record["at"])
        row = {"id": one.id, "name": one.name, "role": one.role, "at": one.at}
        self.seen.add(("access", one.id))
        self._keep(s.access, row, "id")

    def revocation(self, record: Record) -> None:
        """The end of an access."""
        self._there("access", s.access.c.id, record["access"])
        self._keep(s.revocation, {"access": record["access"], "at": record["at"]}, "access")

    def _there(self, what: str, column: Any, name: str) -> None:
        if (what, name) in self.seen:
            return
        if self.connection.execute(select(column).where(column == name)).first() is None:
            raise InputError(f"there is no {what} {name!r}", mend="import the whole export, unchanged")
        self.seen.add((what, name))


def _false(what: str, mark: str) -> InputError:
    return InputError(
        f"{what} {mark[:12]}… is not what its hash says", mend="the export was changed: export again"
    )
