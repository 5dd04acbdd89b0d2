"""Where a store lies, making one (only when asked to), and opening it."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenhand.errors import InputError, Unreachable
from evenhand.plugins import need

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import URL, Connection, Engine

    from evenhand.store.sql import SqlStore

__all__ = ["DEFAULT", "create_store", "engine_of", "open_store", "reached", "revision", "shown", "upgrade"]

DEFAULT = "judgements.sqlite"
WAIT = 30  # seconds to wait for another writer
MAGIC = b"SQLite format 3\x00"
REVISION = "0002"  # the newest in `migrations`; a test holds them together


def create_store(where: str | Path) -> SqlStore:
    """Make a store at a path (SQLite) or URL (PostgreSQL), or bring an older one to the present form.

    The one place that makes a database or a table; nothing that is in the store is touched.
    """
    from evenhand.store.sql import SqlStore

    engine = engine_of(where, make=True)
    try:
        with reached(engine), engine.execution_options(eh_write=True).begin() as connection:
            _usable(where, revision(connection) or "", old=True)
            upgrade(connection)
    except BaseException:
        engine.dispose()
        raise
    return SqlStore(engine)


def open_store(where: str | Path) -> SqlStore:
    """The store at a path or URL; an absent one is an error, and nothing is made."""
    from evenhand.store.sql import SqlStore

    engine = engine_of(where)
    try:
        with reached(engine), engine.connect() as connection:
            _usable(where, revision(connection))
    except BaseException:
        engine.dispose()
        raise
    return SqlStore(engine)


def _usable(where: str | Path, here: str | None, *, old: bool = False) -> None:
    newest = REVISION
    if here is None:
        raise _absent(where)
    if here > newest:
        raise InputError(
            f"the store {shown(where)} was made by a newer evenhand",
            mend="upgrade evenhand, or export it there",
        )
    if here < newest and not old:
        raise InputError(
            f"the store {shown(where)} has an older form ({here}; this evenhand writes {newest})",
            mend=f"evenhand store init {shown(where)} brings it up to date and keeps all that is in it",
        )


def shown(where: str | Path) -> str:
    """The place in words, without a password."""
    if not _is_url(where):
        return str(where)
    return _url(where).render_as_string(hide_password=True)


def _is_url(where: str | Path) -> bool:
    return isinstance(where, str) and "://" in where


def _absent(where: str | Path) -> InputError:
    return InputError(f"there is no store at {shown(where)}", mend=f"evenhand store init {shown(where)}")


def _url(where: str | Path) -> URL:
    sqlalchemy = need("sqlalchemy", extra="web")
    if not _is_url(where):
        made: URL = sqlalchemy.URL.create("sqlite+pysqlite", database=str(Path(where).absolute()))
        return made
    try:
        url: URL = sqlalchemy.make_url(where)
    except (sqlalchemy.exc.ArgumentError, ValueError) as error:
        raise InputError(
            "the URL of the store is not understood",
            mend="write postgresql://user@host/database, or the path of a file",
        ) from error
    kind = url.drivername.split("+")[0]
    if kind in ("postgres", "postgresql"):
        need("psycopg", extra="postgres")
        return url.set(drivername="postgresql+psycopg")
    raise InputError(
        f"a store cannot be kept in {kind!r}", mend="use PostgreSQL (postgresql://…) or the path of a file"
    )


def engine_of(where: str | Path, *, make: bool = False) -> Engine:
    """An engine whose acknowledged commits are on the disk; *make* allows a new SQLite file."""
    sqlalchemy = need("sqlalchemy", extra="web")
    url = _url(where)
    if url.get_backend_name() == "postgresql":
        # its driver opens sockets below Python's: whoever watches those hears of it here
        sys.audit("evenhand.connect", url.host or url.query.get("host", ""))
        # whatever the server's habit: a save that is acknowledged lies on its disk
        args = {} if "options" in url.query else {"options": "-c synchronous_commit=on"}
        engine: Engine = sqlalchemy.create_engine(
            url, connect_args=args, pool_pre_ping=True, pool_size=10, max_overflow=30
        )
        return engine
    path = Path(url.database or "")
    if not path.exists() and not make:
        raise _absent(where)
    _is_sqlite(path, make=make)
    engine = sqlalchemy.create_engine(
        url, connect_args={"timeout": WAIT, "isolation_level": None}, pool_size=10, max_overflow=40
    )

    # isolation_level None hands transactions to us: a writer takes its turn at BEGIN, not half-way through
    def connected(raw: Any, _: Any) -> None:
        for pragma in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON"):
            raw.execute(f"PRAGMA {pragma}").close()

    def begun(connection: Connection) -> None:
        writes = connection.get_execution_options().get("eh_write")
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    sqlalchemy.event.listen(engine, "connect", connected)
    sqlalchemy.event.listen(engine, "begin", begun)
    return engine


def _is_sqlite(path: Path, *, make: bool) -> None:
    try:
        if not path.exists():
            if not path.parent.is_dir():
                raise InputError(f"the folder of the store {path} does not exist", mend="make it first")
            return
        with path.open("rb") as file:
            head = file.read(len(MAGIC))
    except OSError as error:
        raise InputError(
            f"the store {path} cannot be read: {error.strerror or error}",
            mend="mend its permissions, or name another file",
        ) from error
    if head != MAGIC and not (make and head == b""):
        raise InputError(f"{path} is not a store: no SQLite file", mend="name another file")


@contextmanager
def reached(engine: Engine) -> Iterator[None]:
    """Turn what a driver says of a database that cannot be had into our two lines."""
    from sqlalchemy.exc import DatabaseError, IntegrityError

    try:
        yield
    except DatabaseError as error:
        place = engine.url.render_as_string(hide_password=True)
        said = (str(error.orig).strip().splitlines() or ["no answer"])[0]
        if isinstance(error, IntegrityError):
            raise InputError(
                f"this does not go with what is in the store: {said}",
                mend="pools, items, sheets and desks are stored before what points at them, and each once",
            ) from error
        if engine.dialect.name == "postgresql":
            raise Unreachable(
                f"PostgreSQL at {place}: {said}", mend="is it running, and may this user make tables there?"
            ) from error
        if "locked" in said:
            raise Unreachable(
                f"the store {engine.url.database} was held by another writer for {WAIT} seconds",
                mend="try again; nothing was written",
            ) from error
        raise InputError(
            f"the store {engine.url.database}: {said}", mend="is it a store, and may it be written?"
        ) from error


def _config(connection: Connection | None = None) -> Any:
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", "evenhand.store:migrations")
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    return config


def revision(connection: Connection) -> str | None:
    """The revision of the tables that are there; None when there are none. Revisions sort as text."""
    from sqlalchemy import inspect, text

    if not inspect(connection).has_table("eh_revision"):
        return None
    row = connection.execute(text("SELECT version_num FROM eh_revision")).first()
    return None if row is None else str(row[0])


def upgrade(connection: Connection, to: str = "head") -> None:
    """Bring the tables to a revision, in the caller's transaction."""
    need("alembic", extra="web")
    from alembic import command

    if connection.dialect.name == "postgresql":
        from sqlalchemy import text

        # two that make the store at once: the second finds it made
        connection.execute(text("SELECT pg_advisory_xact_lock(72617)"))
    command.upgrade(_config(connection), to)
