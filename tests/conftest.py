"""Fixtures for all tests."""

from tests.private_postgres import postgres

__all__ = ["postgres"]
