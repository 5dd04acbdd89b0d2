"""The time, for whoever writes into a store."""

from __future__ import annotations

from datetime import UTC, datetime

__all__ = ["now"]


def now() -> str:
    """ISO 8601 in UTC with milliseconds, of one length, so that times sort as text."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
