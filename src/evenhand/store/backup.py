"""A copy of a store while it is in use."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

from evenhand.errors import InputError

if TYPE_CHECKING:
    from sqlalchemy import Engine

__all__ = ["backup"]


def backup(engine: Engine, target: Path) -> None:
    """Copy a SQLite store to a new file by SQLite's backup: a moment's state, whoever is writing.

    The copy is read through before it gets its name. For PostgreSQL use the export, or the server's own
    pg_dump.
    """
    if engine.dialect.name != "sqlite":
        raise InputError(
            "a PostgreSQL store is not copied to a file of SQLite", mend="evenhand store export, or pg_dump"
        )
    if target.exists():
        raise InputError(f"{target} exists already", mend="name a new file: nothing is overwritten")
    if not target.absolute().parent.is_dir():
        raise InputError(f"the folder of {target} does not exist", mend="make it first")
    temporary = target.with_name(f".{uuid4().hex}.tmp")
    source = str(engine.url.database)
    try:
        # a connection of its own: the backup starts again when the database changes under another one
        with (
            closing(sqlite3.connect(source, timeout=30)) as here,
            closing(sqlite3.connect(temporary)) as there,
        ):
            here.execute("PRAGMA busy_timeout = 30000")
            here.backup(there)
            there.execute("PRAGMA journal_mode = DELETE")  # one file, and no -wal beside it
            if (said := there.execute("PRAGMA integrity_check").fetchone()[0]) != "ok":
                raise InputError(f"the copy of {source} is damaged: {said}", mend="look at the disk")
        temporary.rename(target)
    except sqlite3.DatabaseError as error:
        raise InputError(
            f"the store {source} could not be copied: {error}", mend="is there room on the disk?"
        ) from error
    finally:
        temporary.unlink(missing_ok=True)
