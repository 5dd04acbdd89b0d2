"""Tables whose rows can be added and read, and nothing else: the database itself refuses."""

from __future__ import annotations

from alembic import op

__all__ = ["freeze"]

REFUSAL = "evenhand only ever adds: this row is not to be changed or deleted"


def freeze(*tables: str) -> None:
    """Refuse UPDATE and DELETE on *tables*."""
    if op.get_bind().dialect.name == "postgresql":
        op.execute(
            "CREATE OR REPLACE FUNCTION eh_refuse() RETURNS trigger LANGUAGE plpgsql AS "
            f"$$ BEGIN RAISE EXCEPTION '{REFUSAL}'; END $$"
        )
        for table in tables:
            op.execute(
                f"CREATE TRIGGER {table}_frozen BEFORE UPDATE OR DELETE ON {table} "
                "FOR EACH ROW EXECUTE FUNCTION eh_refuse()"
            )
        return
    for table in tables:
        for act in ("update", "delete"):
            op.execute(
                f"CREATE TRIGGER {table}_no_{act} BEFORE {act.upper()} ON {table} "
                f"BEGIN SELECT RAISE(ABORT, '{REFUSAL}'); END"
            )
