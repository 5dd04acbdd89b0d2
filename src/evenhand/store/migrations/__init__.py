"""Migrations of the database, run by alembic."""
