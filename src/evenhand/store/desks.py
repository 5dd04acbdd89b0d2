"""Desks and their books in SQL: the part where nothing may be lost and nothing may be doubled."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sqlalchemy import ColumnElement, Connection, Row, and_, exists, select

from evenhand.errors import InputError
from evenhand.model.judging import Entry, Saved, Task
from evenhand.store.rows import entry_of, entry_row, task_of, unknown
from evenhand.store.schema import desk, entry, task

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["book", "done_of", "next_task", "save", "undo"]


def _row(connection: Connection, name: str, *, lock: bool = False) -> Row[Any]:
    query = select(desk).where(desk.c.id == name)
    # one writer a desk at a time (SQLite has one writer in all); readers and other desks go on
    row = connection.execute(query.with_for_update(key_share=True) if lock else query).first()
    if row is None:
        raise unknown("desk", name)
    return row


def _standing(*more: ColumnElement[bool]) -> Any:
    """Entries that nothing took back, the last first."""
    undone = entry.alias("undone")
    return (
        select(entry)
        .where(
            entry.c.kind != "undo",
            ~exists().where(and_(undone.c.desk == entry.c.desk, undone.c.undoes == entry.c.number)),
            *more,
        )
        .order_by(entry.c.number.desc())
    )


def _last(connection: Connection, name: str) -> tuple[int, int]:
    """(number, done) of the last entry of a desk."""
    row = connection.execute(
        select(entry.c.number, entry.c.done)
        .where(entry.c.desk == name)
        .order_by(entry.c.number.desc())
        .limit(1)
    ).first()
    return (0, 0) if row is None else (row.number, row.done)


def done_of(connection: Connection, name: str) -> tuple[int, int]:
    """(tasks with a standing entry, all tasks)."""
    total = _row(connection, name).total
    return _last(connection, name)[1], total


def save(connection: Connection, new: Entry) -> Saved:
    """Write an entry under its desk's next number, unless it is there."""
    if new.kind == "undo":
        raise InputError("an undo is not saved", mend="call undo, which finds what to take back")
    total = _row(connection, new.desk, lock=True).total
    number, done = _last(connection, new.desk)
    at = connection.execute(select(task.c.desk).where(task.c.id == new.task)).first()
    if at is None or at.desk != new.desk:
        raise InputError(
            f"desk {new.desk} has no task {new.task!r}", mend="answer a task that was asked at this desk"
        )
    same = connection.execute(
        select(entry).where(entry.c.desk == new.desk, entry.c.task == new.task, entry.c.token == new.token)
    ).first()
    if same is not None:
        there = entry_of(same)
        if there.said != new.said:
            raise InputError(
                f"token {new.token!r} was used for another answer to this task",
                mend="name each act by a random token of its own",
            )
        return Saved(entry=there, fresh=False, done=done, total=total)
    row = connection.execute(_standing(entry.c.desk == new.desk, entry.c.task == new.task).limit(1)).first()
    if row is not None:
        stands = entry_of(row)
        if stands.said == new.said and stands.sheet == new.sheet:
            return Saved(entry=stands, fresh=False, done=done, total=total)
    kept = replace(new, number=number + 1)
    done += row is None
    connection.execute(entry.insert(), [{**entry_row(kept), "done": done}])
    return Saved(entry=kept, fresh=True, done=done, total=total)


def undo(connection: Connection, name: str, *, token: str, at: str, of_task: str = "") -> Saved | None:
    """Take back the last entry that stands."""
    total = _row(connection, name, lock=True).total
    number, done = _last(connection, name)
    same = connection.execute(
        select(entry).where(entry.c.desk == name, entry.c.token == token, entry.c.kind == "undo")
    ).first()
    if same is not None:
        return Saved(entry=entry_of(same), fresh=False, done=done, total=total)
    only = [entry.c.desk == name, *([entry.c.task == of_task] if of_task else [])]
    rows = connection.execute(_standing(*only).limit(1)).first()
    if rows is None:
        return None
    below = connection.execute(
        _standing(entry.c.desk == name, entry.c.task == rows.task, entry.c.number < rows.number).limit(1)
    ).first()
    made = Entry(
        desk=name,
        task=rows.task,
        token=token,
        kind="undo",
        sheet=rows.sheet,
        at=at,
        number=number + 1,
        undoes=rows.number,
    )
    done -= below is None
    connection.execute(entry.insert(), [{**entry_row(made), "done": done}])
    return Saved(entry=made, fresh=True, done=done, total=total)


def next_task(connection: Connection, name: str, *, after: int) -> Task | None:
    """The first open task behind a position, then from the start."""
    _row(connection, name)
    undone = entry.alias("undone")
    open_ = ~exists().where(
        entry.c.task == task.c.id,
        entry.c.kind != "undo",
        ~exists().where(and_(undone.c.desk == entry.c.desk, undone.c.undoes == entry.c.number)),
    )
    for part in (task.c.position > after, task.c.position <= after):
        row = connection.execute(
            select(task).where(task.c.desk == name, part, open_).order_by(task.c.position).limit(1)
        ).first()
        if row is not None:
            return task_of(row)
    return None


def book(connection: Connection, name: str, *, after: int = 0) -> Iterator[Entry]:
    """The entries of a desk, in order."""
    _row(connection, name)
    rows = connection.execute(
        select(entry).where(entry.c.desk == name, entry.c.number > after).order_by(entry.c.number)
    )
    return (entry_of(row) for row in rows)
