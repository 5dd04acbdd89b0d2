"""The schema, revision by revision (alembic)."""
