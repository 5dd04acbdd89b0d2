"""What the settings of a chunking must satisfy."""

from __future__ import annotations

from typing import Any

from evenhand.corpus.unit_length import COUNTS
from evenhand.errors import InputError, nearest

__all__ = ["count_of", "number_of", "overlap_of", "size_of"]


def number_of(value: Any, field: str, *, least: int) -> int:
    """*value*, if it is a whole number of at least *least*."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise InputError(
            f"{field} = {value!r} is not a whole number of at least {least}",
            mend=f"write for example {field} = {max(least, 200 if field == 'size' else least)}",
        )
    return value


def size_of(value: Any) -> int:
    """A size: a whole number of at least 1."""
    return number_of(value, "size", least=1)


def overlap_of(value: Any, size: int) -> int:
    """An overlap that is counted like *size*: at least 0 and smaller than it."""
    if number_of(value, "overlap", least=0) >= size:
        raise InputError(
            f"overlap = {value} is not smaller than size = {size}: the windows would never move on",
            mend=f"write an overlap between 0 and {size - 1}",
        )
    return int(value)


def count_of(value: Any) -> str:
    """What is counted: characters or tokens."""
    if value not in COUNTS:
        raise InputError(f"count = {value!r} is not known", mend=nearest(str(value), COUNTS))
    return str(value)
