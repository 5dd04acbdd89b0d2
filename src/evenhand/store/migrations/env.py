"""Run by alembic on the connection that `evenhand.store.open` hands over; never on its own."""

from __future__ import annotations

from alembic import context

from evenhand.store.schema import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    version_table="eh_revision",
    transactional_ddl=False,  # the transaction is the caller's, and holds the whole upgrade
)
context.run_migrations()
