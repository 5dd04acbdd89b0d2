"""What happened at a desk beside its entries; who may come in."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from evenhand.store.migrations.frozen import freeze

revision = "0002"
down_revision = "0001"

SERIAL = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "eh_event",
        sa.Column("number", SERIAL, primary_key=True, autoincrement=True),
        sa.Column("desk", sa.String(20), sa.ForeignKey("eh_desk.id"), nullable=False),
        sa.Column("token", sa.String(80), nullable=False),
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("task", sa.String(20), nullable=False),
        sa.Column("at", sa.String(40), nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.UniqueConstraint("desk", "token", name="eh_event_once"),
    )
    op.create_table(
        "eh_access",
        sa.Column("number", SERIAL, primary_key=True, autoincrement=True),
        sa.Column("id", sa.String(20), nullable=False, unique=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("role", sa.String(20), nullable=False),
        sa.Column("at", sa.String(40), nullable=False),
        sa.Column("token_sha256", sa.String(64), unique=True),
    )
    op.create_table(
        "eh_revocation",
        sa.Column("access", sa.String(20), sa.ForeignKey("eh_access.id"), primary_key=True),
        sa.Column("at", sa.String(40), nullable=False),
    )
    freeze(
        "eh_event",
        "eh_access",
        "eh_revocation",
    )
