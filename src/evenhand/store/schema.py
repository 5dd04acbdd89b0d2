"""The tables: one schema over SQLite and PostgreSQL. Rows are added, and neither changed nor taken away.

Whatever a person typed lies in a JSON column, escaped to ASCII, and texts lie as bytes: neither database
then cares about NUL or lone surrogates. `store/migrations` makes the same tables, revision by revision.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

__all__ = [
    "access",
    "content",
    "desk",
    "entry",
    "event",
    "item",
    "line",
    "metadata",
    "pool",
    "pool_found",
    "pool_item",
    "pool_question",
    "revocation",
    "task",
    "text",
]

metadata = MetaData()

# SQLite numbers rows by itself only in a column of type INTEGER
Serial = BigInteger().with_variant(Integer, "sqlite")

content = Table(
    "eh_content",
    metadata,
    Column("number", Serial, primary_key=True, autoincrement=True),
    Column("seal", String(64), nullable=False, unique=True),
    Column("kind", String(80), nullable=False, index=True),
    Column("body", Text, nullable=False),
)

line = Table(
    "eh_line",
    metadata,
    Column("log", String(200), primary_key=True),
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    Column("token", String(200)),
    Column("body", Text, nullable=False),
    UniqueConstraint("log", "token", name="eh_line_token"),
)

text = Table(
    "eh_text",
    metadata,
    Column("sha256", String(64), primary_key=True),
    Column("body", LargeBinary, nullable=False),
)

item = Table(
    "eh_item",
    metadata,
    Column("id", String(20), primary_key=True),
    Column("question", Text, nullable=False),
    Column("doc", Text, nullable=False),
    Column("start", BigInteger, nullable=False),
    Column("end", BigInteger, nullable=False),
    Column("text_sha256", String(64), ForeignKey("eh_text.sha256"), nullable=False),
    Column("body", Text, nullable=False),  # heading, title
)

pool = Table(
    "eh_pool",
    metadata,
    Column("number", Serial, primary_key=True, autoincrement=True),
    Column("seal", String(64), nullable=False, unique=True),
    Column("name", Text, nullable=False),
    Column("by", String(20), nullable=False),
    Column("length", BigInteger, nullable=False),
    Column("at", String(40), nullable=False),
    Column("body", Text, nullable=False),  # runs, settings
)

pool_question = Table(
    "eh_pool_question",
    metadata,
    Column("pool", String(64), ForeignKey("eh_pool.seal"), primary_key=True),
    Column("position", BigInteger, primary_key=True, autoincrement=False),
    Column("question", Text, nullable=False),
    Column("body", Text, nullable=False),  # its words
    UniqueConstraint("pool", "question", name="eh_pool_question_once"),
)

pool_item = Table(
    "eh_pool_item",
    metadata,
    Column("pool", String(64), ForeignKey("eh_pool.seal"), primary_key=True),
    Column("position", BigInteger, primary_key=True, autoincrement=False),
    Column("item", String(20), ForeignKey("eh_item.id"), nullable=False, index=True),
    Column("stratum", Text, nullable=False),
    Column("probability", Float(53), nullable=False),
    Column("size", Float(53), nullable=False),
    Column("priority", Float(53), nullable=False),
    UniqueConstraint("pool", "item", name="eh_pool_item_once"),
)

# who found what, as three columns of little-endian int32: nothing that serves a desk reads this table
pool_found = Table(
    "eh_pool_found",
    metadata,
    Column("pool", String(64), ForeignKey("eh_pool.seal"), primary_key=True),
    Column("item", LargeBinary, nullable=False),
    Column("run", LargeBinary, nullable=False),
    Column("rank", LargeBinary, nullable=False),
)

desk = Table(
    "eh_desk",
    metadata,
    Column("number", Serial, primary_key=True, autoincrement=True),
    Column("id", String(20), nullable=False, unique=True),
    Column("pool", String(64), ForeignKey("eh_pool.seal"), nullable=False, index=True),
    Column("judge", Text, nullable=False),
    Column("kind", String(20), nullable=False),
    Column("sheet", String(64), ForeignKey("eh_content.seal"), nullable=False),
    Column("total", BigInteger, nullable=False),
    Column("at", String(40), nullable=False),
    Column("body", Text, nullable=False),  # settings
)

task = Table(
    "eh_task",
    metadata,
    Column("id", String(20), primary_key=True),
    Column("desk", String(20), ForeignKey("eh_desk.id"), nullable=False),
    Column("position", BigInteger, nullable=False),
    Column("item", String(20), ForeignKey("eh_item.id"), nullable=False),
    Column("kind", String(20), nullable=False),
    Column("body", Text, nullable=False),  # about
    UniqueConstraint("desk", "position", name="eh_task_place"),
)

entry = Table(
    "eh_entry",
    metadata,
    Column("desk", String(20), ForeignKey("eh_desk.id"), primary_key=True),
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    Column("task", String(20), ForeignKey("eh_task.id"), nullable=False),
    Column("token", String(80), nullable=False),
    Column("kind", String(20), nullable=False),
    Column("grade", Float(53)),
    Column("undoes", BigInteger),
    Column("sheet", String(64), ForeignKey("eh_content.seal"), nullable=False),
    Column("shown_at", String(40), nullable=False),
    Column("at", String(40), nullable=False),
    Column("active_ms", BigInteger),
    Column("done", BigInteger, nullable=False),  # tasks of the desk with a standing entry, after this one
    Column("body", Text, nullable=False),  # mode, reason, comment, evidence
    UniqueConstraint("desk", "task", "token", name="eh_entry_once"),
    UniqueConstraint("desk", "undoes", name="eh_entry_undone_once"),
    Index("eh_entry_task", "task", "number"),
    Index("eh_entry_token", "desk", "token"),
)

event = Table(
    "eh_event",
    metadata,
    Column("number", Serial, primary_key=True, autoincrement=True),
    Column("desk", String(20), ForeignKey("eh_desk.id"), nullable=False),
    Column("token", String(80), nullable=False),
    Column("kind", String(20), nullable=False),
    Column("task", String(20), nullable=False),
    Column("at", String(40), nullable=False),
    Column("body", Text, nullable=False),
    UniqueConstraint("desk", "token", name="eh_event_once"),
)

access = Table(
    "eh_access",
    metadata,
    Column("number", Serial, primary_key=True, autoincrement=True),
    Column("id", String(20), nullable=False, unique=True),
    Column("name", Text, nullable=False),
    Column("role", String(20), nullable=False),
    Column("at", String(40), nullable=False),
    Column("token_sha256", String(64), unique=True),
)

revocation = Table(
    "eh_revocation",
    metadata,
    Column("access", String(20), ForeignKey("eh_access.id"), primary_key=True),
    Column("at", String(40), nullable=False),
)
