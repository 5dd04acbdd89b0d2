"""The store over SQLAlchemy Core: one code for SQLite and PostgreSQL, append-only, durable on return.

Each method's contract is that of `evenhand.protocols.Store`. One object may be used by many threads.
"""

from __future__ import annotations

import threading
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

from sqlalchemy import func, select

from evenhand.errors import InputError
from evenhand.labelling.desk.entry_log import Book
from evenhand.model.json_text import loads
from evenhand.model.judging import Access, Desk, Entry, Event, Saved, Standing, Task
from evenhand.model.seal import seal as seal_of
from evenhand.model.sheet import Sheet
from evenhand.store import access_tokens
from evenhand.store import desks as _desks
from evenhand.store import schema as s
from evenhand.store.open import reached
from evenhand.store.pools import add_pool, item_rows, no_sheet, pool_of, text_rows
from evenhand.store.rows import (
    add,
    desk_of,
    event_of,
    event_row,
    item_of,
    plain,
    task_of,
    task_row,
    to_json,
    unknown,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from sqlalchemy import Connection, Engine

    from evenhand.model.pool import Pool, PoolItem

__all__ = ["SqlStore"]


class SqlStore:
    """A `Store` in a database that `create_store` made."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._writer = engine.execution_options(eh_write=True)
        # SQLite has one writer: threads queue here in turn instead of polling its lock
        self._turn: Any = threading.Lock() if engine.dialect.name == "sqlite" else nullcontext()
        self._sheets: dict[str, Sheet] = {}  # by version: sealed, so it may be kept

    @contextmanager
    def _write(self) -> Iterator[Connection]:
        with reached(self.engine), self._turn, self._writer.begin() as connection:
            yield connection

    @contextmanager
    def _read(self) -> Iterator[Connection]:
        with reached(self.engine), self.engine.connect() as connection:
            yield connection

    # things by content, and logs

    def put(self, kind: str, payload: Mapping[str, Any]) -> str:
        """Keep plain JSON under its seal."""
        with self._write() as connection:
            return self._put(connection, kind, payload)

    @staticmethod
    def _put(connection: Connection, kind: str, payload: Mapping[str, Any]) -> str:
        mark = seal_of(payload)
        there = connection.execute(select(s.content.c.kind).where(s.content.c.seal == mark)).scalar()
        if there is None:
            add(
                connection,
                s.content,
                [{"seal": mark, "kind": plain(kind, "a kind"), "body": to_json(payload)}],
            )
        elif there != kind:
            raise InputError(
                f"this payload is in the store already, as {there!r} and not as {kind!r}",
                mend="let the payload name its schema",
            )
        return mark

    def get(self, seal: str) -> dict[str, Any]:
        """The payload under a seal."""
        with self._read() as connection:
            body = connection.execute(select(s.content.c.body).where(s.content.c.seal == seal)).scalar()
        if body is None:
            raise unknown("payload", seal)
        payload: dict[str, Any] = loads(body)
        return payload

    def seals(self, kind: str) -> list[str]:
        """The seals of one kind, as they came."""
        query = select(s.content.c.seal).where(s.content.c.kind == kind).order_by(s.content.c.number)
        with self._read() as connection:
            return list(connection.execute(query).scalars())

    def append(self, log: str, line: Mapping[str, Any], *, token: str = "") -> int:
        """Add a line to a log."""
        with self._write() as connection:
            return self._append(connection, log, line, token=token)

    @staticmethod
    def _append(connection: Connection, log: str, line: Mapping[str, Any], *, token: str = "") -> int:
        if connection.dialect.name == "postgresql":  # two writers of one log wait for each other
            connection.execute(select(func.pg_advisory_xact_lock(func.hashtext(log))))
        if token:
            query = select(s.line.c.number).where(s.line.c.log == log, s.line.c.token == token)
            there = connection.execute(query).scalar()
            if there is not None:
                return int(there)
        last = connection.execute(select(func.max(s.line.c.number)).where(s.line.c.log == log)).scalar()
        number = int(last or 0) + 1
        row = {"log": plain(log, "a log"), "number": number, "token": token or None, "body": to_json(line)}
        connection.execute(s.line.insert(), [row])
        return number

    def lines(self, log: str, *, after: int = 0) -> Iterator[tuple[int, dict[str, Any]]]:
        """The lines of a log."""
        query = select(s.line.c.number, s.line.c.body).where(s.line.c.log == log, s.line.c.number > after)
        with self._read() as connection:
            rows = connection.execute(query.order_by(s.line.c.number)).all()
        return iter([(row.number, loads(row.body)) for row in rows])

    # pools and sheets

    def add_pool(self, pool: Pool, texts: Iterable[str], *, at: str) -> str:
        """Keep a pool and its texts."""
        with self._write() as connection:
            return add_pool(connection, pool, texts, at=at)

    def pool(self, seal: str) -> Pool:
        """The whole pool."""
        with self._read() as connection:
            return pool_of(connection, seal)

    def pools(self) -> list[tuple[str, str, int]]:
        """Seal, name, number of items."""
        query = select(s.pool.c.seal, s.pool.c.name, s.pool.c.length).order_by(s.pool.c.number)
        with self._read() as connection:
            return [(row.seal, row.name, row.length) for row in connection.execute(query)]

    def add_items(self, items: Sequence[PoolItem], texts: Iterable[str]) -> None:
        """Keep items outside of pools."""
        texts_, rows = text_rows(items, texts), item_rows(items)
        with self._write() as connection:
            add(connection, s.text, texts_)
            add(connection, s.item, rows)

    def item(self, item: str) -> PoolItem:
        """One item."""
        with self._read() as connection:
            row = connection.execute(select(s.item).where(s.item.c.id == item)).first()
        if row is None:
            raise unknown("item", item)
        return item_of(row)

    def text(self, text_sha256: str) -> str:
        """The text with this hash."""
        with self._read() as connection:
            body = connection.execute(select(s.text.c.body).where(s.text.c.sha256 == text_sha256)).scalar()
        if body is None:
            raise unknown("text", text_sha256)
        return bytes(body).decode("utf-8", "surrogatepass")

    def question(self, pool: str, question: str) -> str:
        """The words of a question."""
        t = s.pool_question.c
        with self._read() as connection:
            body = connection.execute(select(t.body).where(t.pool == pool, t.question == question)).scalar()
        if body is None:
            raise unknown(f"question of pool {pool[:12]}", question)
        return str(loads(body))

    def use_sheet(self, pool: str, sheet: Sheet, *, by: str, at: str, reason: str = "") -> str:
        """Show this sheet from now on."""
        with self._write() as connection:
            if connection.execute(select(s.pool.c.seal).where(s.pool.c.seal == pool)).first() is None:
                raise unknown("pool", pool)
            last = (
                connection.execute(
                    select(s.line.c.body)
                    .where(s.line.c.log == f"sheet/{pool}")
                    .order_by(s.line.c.number.desc())
                    .limit(1)
                ).scalar()
                or "{}"
            )
            if loads(last).get("sheet") == sheet.seal:
                return sheet.seal
            mark = self._put(connection, "sheet", sheet.as_json())
            line = {"sheet": mark, "by": by, "at": at, "reason": reason}
            self._append(connection, f"sheet/{pool}", line)
            return mark

    def sheet_of(self, pool: str) -> Sheet:
        """The sheet in use."""
        query = select(s.line.c.body).where(s.line.c.log == f"sheet/{pool}")
        with self._read() as connection:
            body = connection.execute(query.order_by(s.line.c.number.desc()).limit(1)).scalar()
            if body is None:
                raise no_sheet(connection, pool)
        return self.sheet(loads(body)["sheet"])

    def sheet(self, seal: str) -> Sheet:
        """A sheet by its version."""
        if seal not in self._sheets:
            self._sheets[seal] = Sheet.of_json(self.get(seal))
        return self._sheets[seal]

    # desks

    def add_desks(self, desks: Sequence[tuple[Desk, Sequence[Task]]]) -> None:
        """Keep desks with their tasks."""
        with self._write() as connection:
            for desk, tasks in desks:
                if connection.execute(select(s.desk.c.id).where(s.desk.c.id == desk.id)).first():
                    continue
                _fitting(desk, tasks)
                row = {
                    "id": desk.id,
                    "pool": desk.pool,
                    "judge": plain(desk.judge, "a judge's name"),
                    "kind": desk.kind,
                    "sheet": desk.sheet,
                    "total": len(tasks),
                    "at": desk.at,
                    "body": to_json(dict(desk.settings)),
                }
                connection.execute(s.desk.insert(), [row])
                if tasks:
                    connection.execute(s.task.insert(), [task_row(task) for task in tasks])

    def desk(self, desk: str) -> Desk:
        """One desk."""
        with self._read() as connection:
            row = connection.execute(select(s.desk).where(s.desk.c.id == desk)).first()
        if row is None:
            raise unknown("desk", desk)
        return desk_of(row)

    def desks(self, *, pool: str = "", judge: str = "", kind: str = "") -> list[Desk]:
        """Desks as they came."""
        wanted = {"pool": pool, "judge": judge, "kind": kind}
        query = select(s.desk).where(*(s.desk.c[name] == word for name, word in wanted.items() if word))
        with self._read() as connection:
            return [desk_of(row) for row in connection.execute(query.order_by(s.desk.c.number))]

    def tasks(self, desk: str) -> list[Task]:
        """All tasks of a desk."""
        self.desk(desk)
        query = select(s.task).where(s.task.c.desk == desk).order_by(s.task.c.position)
        with self._read() as connection:
            return [task_of(row) for row in connection.execute(query)]

    def task(self, task: str) -> Task:
        """One task."""
        with self._read() as connection:
            row = connection.execute(select(s.task).where(s.task.c.id == task)).first()
        if row is None:
            raise unknown("task", task)
        return task_of(row)

    def next_task(self, desk: str, *, after: int = -1) -> Task | None:
        """The first open task behind a position, then from the start."""
        with self._read() as connection:
            return _desks.next_task(connection, desk, after=after)

    def save(self, entry: Entry) -> Saved:
        """Write an entry, once."""
        self.sheet(entry.sheet)
        with self._write() as connection:
            return _desks.save(connection, entry)

    def undo(self, desk: str, *, token: str, at: str, task: str = "") -> Saved | None:
        """Take back the last entry that stands."""
        with self._write() as connection:
            return _desks.undo(connection, desk, token=token, at=at, of_task=task)

    def book(self, desk: str, *, after: int = 0) -> Iterator[Entry]:
        """The audit trail of a desk."""
        with self._read() as connection:
            return iter(list(_desks.book(connection, desk, after=after)))

    def standing(self, desk: str) -> list[Standing]:
        """Each task with what stands for it."""
        book = Book(self.book(desk))
        return [Standing(task=task, entry=book.standing(task.id)) for task in self.tasks(desk)]

    def progress(self, desk: str) -> tuple[int, int]:
        """(done, all)."""
        with self._read() as connection:
            return _desks.done_of(connection, desk)

    def record(self, events: Sequence[Event]) -> int:
        """Keep events, each once."""
        rows = [event_row(event) for event in events]
        with self._write() as connection:
            there = {d: _exists(connection, d) for d in {event.desk for event in events}}
            for desk, known in there.items():
                if not known:
                    raise unknown("desk", desk)
            before = connection.execute(select(func.count()).select_from(s.event)).scalar_one()
            add(connection, s.event, rows)
            after = connection.execute(select(func.count()).select_from(s.event)).scalar_one()
        return int(after - before)

    def events(self, desk: str) -> Iterator[Event]:
        """The events of a desk."""
        query = select(s.event).where(s.event.c.desk == desk).order_by(s.event.c.number)
        with self._read() as connection:
            return iter([event_of(row) for row in connection.execute(query)])

    # who may come in

    def grant(self, name: str, role: str, *, at: str) -> tuple[Access, str]:
        """A new access and its token."""
        with self._write() as connection:
            return access_tokens.grant(connection, name, role, at=at)

    def admit(self, token: str) -> Access | None:
        """Whose token this is."""
        with self._read() as connection:
            return access_tokens.admit(connection, token)

    def revoke(self, access: str, *, at: str) -> None:
        """End an access."""
        with self._write() as connection:
            access_tokens.revoke(connection, access, at=at)

    def accesses(self) -> list[Access]:
        """All that were granted."""
        with self._read() as connection:
            return access_tokens.accesses(connection)

    # whole

    def dump(self) -> Iterator[dict[str, Any]]:
        """Everything, in records."""
        from evenhand.store.dump import dump

        return dump(self.engine)

    def load(self, records: Iterable[Mapping[str, Any]]) -> int:
        """Take in what `dump` gave."""
        from evenhand.store.load import load

        with self._write() as connection:
            return load(connection, records)

    def check(self) -> list[str]:
        """Every fault found."""
        from evenhand.store.checks import faults

        with self._read() as connection:
            return list(faults(connection))

    def backup(self, target: Path) -> None:
        """Copy a SQLite store to a new file while it is in use."""
        from evenhand.store.backup import backup

        backup(self.engine, target)

    def close(self) -> None:
        """Let go of all connections."""
        self.engine.dispose()


def _exists(connection: Connection, desk: str) -> bool:
    return connection.execute(select(s.desk.c.id).where(s.desk.c.id == desk)).first() is not None


def _fitting(desk: Desk, tasks: Sequence[Task]) -> None:
    for position, task in enumerate(tasks):
        if task.desk != desk.id or task.position != position:
            raise InputError(
                f"task {task.id} is at place {task.position} of desk {task.desk}, "
                f"not at place {position} of {desk.id}",
                mend="give the tasks of a desk in its order, from 0",
            )
