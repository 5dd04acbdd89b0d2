"""A store as a file of JSON lines, and back."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from evenhand.errors import InputError
from evenhand.model.json_text import loads

if TYPE_CHECKING:
    from evenhand.protocols import Store

__all__ = ["export_store", "read_export"]


def export_store(store: Store, target: Path) -> int:
    """Write everything but the hashes of tokens to a new file, one JSON object a line; returns how many.

    Equal stores give equal bytes, whatever database they lie in. ASCII, so that any text survives.
    """
    if target.exists():
        raise InputError(f"{target} exists already", mend="name a new file: nothing is overwritten")
    temporary = target.with_name(f".{uuid4().hex}.tmp")
    n = 0
    try:
        with temporary.open("x", encoding="ascii", newline="\n") as file:
            for record in store.dump():
                file.write(json.dumps(record, separators=(",", ":"), allow_nan=False) + "\n")
                n += 1
        temporary.rename(target)
    except OSError as error:
        raise InputError(
            f"{target} cannot be written: {error.strerror or error}",
            mend="does its folder exist, is there room?",
        ) from error
    finally:
        temporary.unlink(missing_ok=True)
    return n


def read_export(source: Path) -> Iterator[dict[str, Any]]:
    """The records of an export, line by line."""
    try:
        with source.open("rb") as file:
            for number, line in enumerate(file, 1):
                try:
                    record = loads(line)
                except ValueError as error:
                    raise InputError(
                        f"{source.name}, line {number} is not JSON: {error}",
                        mend="import what `evenhand store export` wrote, whole and unchanged",
                    ) from error
                if not isinstance(record, dict):
                    raise InputError(
                        f"{source.name}, line {number} is no JSON object",
                        mend="import what `evenhand store export` wrote, whole and unchanged",
                    )
                yield record
    except OSError as error:
        raise InputError(
            f"{source} cannot be read: {error.strerror or error}", mend="check the path"
        ) from error
