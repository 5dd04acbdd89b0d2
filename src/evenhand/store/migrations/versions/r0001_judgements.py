"""Pools, desks and the books of their judges."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from evenhand.store.migrations.frozen import freeze

revision = "0001"
down_revision = None

SERIAL = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "eh_content",
        sa.Column("number", SERIAL, primary_key=True, autoincrement=True),
        sa.Column("seal", sa.String(64), nullable=False, unique=True),
        sa.Column("kind", sa.String(80), nullable=False),
        sa.Column("body", sa.Text, nullable=False),
    )
    op.create_index("ix_eh_content_kind", "eh_content", ["kind"])
    op.create_table(
        "eh_line",
        sa.Column("log", sa.String(200), primary_key=True),
        sa.Column("number", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("token", sa.String(200)),
        sa.Column("body", sa.Text, nullable=False),
        sa.UniqueConstraint("log", "token", name="eh_line_token"),
    )
    op.create_table(
        "eh_text",
        sa.Column("sha256", sa.String(64), primary_key=True),
        sa.Column("body", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "eh_item",
        sa.Column("id", sa.String(20), primary_key=True),
        sa.Column("question", sa.Text, nullable=False),
        sa.Column("doc", sa.Text, nullable=False),
        sa.Column("start", sa.BigInteger, nullable=False),
        sa.Column("end", sa.BigInteger, nullable=False),
        sa.Column("text_sha256", sa.String(64), sa.ForeignKey("eh_text.sha256"), nullable=False),
        sa.Column("body", sa.Text, nullable=False),
    )
    op.create_table(
        "eh_pool",
        sa.Column("number", SERIAL, primary_key=True, autoincrement=True),
        sa.Column("seal", sa.String(64), nullable=False, unique=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("by", sa.String(20), nullable=False),
        sa.Column("length", sa.BigInteger, nullable=False),
        sa.Column("at", sa.String(40), nullable=False),
        sa.Column("body", sa.Text, nullable=False),
    )
    op.create_table(
        "eh_pool_question",
        sa.Column("pool", sa.String(64), sa.ForeignKey("eh_pool.seal"), primary_key=True),
        sa.Column("position", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("question", sa.Text, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.UniqueConstraint("pool", "question", name="eh_pool_question_once"),
    )
    op.create_table(
        "eh_pool_item",
        sa.Column("pool", sa.String(64), sa.ForeignKey("eh_pool.seal"), primary_key=True),
        sa.Column("position", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("item", sa.String(20), sa.ForeignKey("eh_item.id"), nullable=False),
        sa.Column("stratum", sa.Text, nullable=False),
        sa.Column("probability", sa.Float(53), nullable=False),
        sa.Column("size", sa.Float(53), nullable=False),
        sa.Column("priority", sa.Float(53), nullable=False),
        sa.UniqueConstraint("pool", "item", name="eh_pool_item_once"),
    )
    op.create_index("ix_eh_pool_item_item", "eh_pool_item", ["item"])
    op.create_table(
        "eh_pool_found",
        sa.Column("pool", sa.String(64), sa.ForeignKey("eh_pool.seal"), primary_key=True),
        sa.Column("item", sa.LargeBinary, nullable=False),
        sa.Column("run", sa.LargeBinary, nullable=False),
        sa.Column("rank", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "eh_desk",
        sa.Column("number", SERIAL, primary_key=True, autoincrement=True),
        sa.Column("id", sa.String(20), nullable=False, unique=True),
        sa.Column("pool", sa.String(64), sa.ForeignKey("eh_pool.seal"), nullable=False),
        sa.Column("judge", sa.Text, nullable=False),
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("sheet", sa.String(64), sa.ForeignKey("eh_content.seal"), nullable=False),
        sa.Column("total", sa.BigInteger, nullable=False),
        sa.Column("at", sa.String(40), nullable=False),
        sa.Column("body", sa.Text, nullable=False),
    )
    op.create_index("ix_eh_desk_pool", "eh_desk", ["pool"])
    op.create_table(
        "eh_task",
        sa.Column("id", sa.String(20), primary_key=True),
        sa.Column("desk", sa.String(20), sa.ForeignKey("eh_desk.id"), nullable=False),
        sa.Column("position", sa.BigInteger, nullable=False),
        sa.Column("item", sa.String(20), sa.ForeignKey("eh_item.id"), nullable=False),
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.UniqueConstraint("desk", "position", name="eh_task_place"),
    )
    op.create_table(
        "eh_entry",
        sa.Column("desk", sa.String(20), sa.ForeignKey("eh_desk.id"), primary_key=True),
        sa.Column("number", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("task", sa.String(20), sa.ForeignKey("eh_task.id"), nullable=False),
        sa.Column("token", sa.String(80), nullable=False),
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("grade", sa.Float(53)),
        sa.Column("undoes", sa.BigInteger),
        sa.Column("sheet", sa.String(64), sa.ForeignKey("eh_content.seal"), nullable=False),
        sa.Column("shown_at", sa.String(40), nullable=False),
        sa.Column("at", sa.String(40), nullable=False),
        sa.Column("active_ms", sa.BigInteger),
        sa.Column("done", sa.BigInteger, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.UniqueConstraint("desk", "task", "token", name="eh_entry_once"),
        sa.UniqueConstraint("desk", "undoes", name="eh_entry_undone_once"),
    )
    op.create_index("eh_entry_task", "eh_entry", ["task", "number"])
    op.create_index("eh_entry_token", "eh_entry", ["desk", "token"])
    freeze(
        "eh_content",
        "eh_line",
        "eh_text",
        "eh_item",
        "eh_pool",
        "eh_pool_question",
        "eh_pool_item",
        "eh_pool_found",
        "eh_desk",
        "eh_task",
        "eh_entry",
    )
