"""A gate as a file: read for production, written by a study."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

from evenhand.errors import InputError
from evenhand.formats.regular_files import regular_bytes
from evenhand.gate.production.exported import Gate, gate_of
from evenhand.model.json_text import loads

if TYPE_CHECKING:
    from typing import Any

__all__ = ["gate_bytes", "load_gate", "write_gate"]

MOST = 1_000_000  # a gate is a few kilobytes


def load_gate(path: str | os.PathLike[str]) -> Gate:
    """The gate of a ``gate.json``; loads neither numpy nor anything heavier, reads nothing later.

    ``load_gate("gate.json").decide({"bm25": [("a.md", 9.1), ...], ...})`` answers or defers: `Gate.decide`.
    Raises InputError naming the file and the key: not there, not JSON, another schema, a number that is NaN.
    """
    file = Path(path)
    try:
        raw = regular_bytes(file, most=MOST)
    except OSError as error:
        raise InputError(
            f"{file} cannot be read: {error.strerror or error}",
            mend="give the gate.json that a gate study wrote",
        ) from error
    try:
        thing = loads(raw.decode("utf-8-sig"), parse_constant=_refused, object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"{file} is not a gate: {error}", mend="give the gate.json that a gate study wrote"
        ) from None
    return gate_of(thing, str(file))


def _refused(name: str) -> Any:
    raise ValueError(f"{name} is not a JSON value")


def _once(items: list[tuple[str, Any]]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for key, value in items:
        if key in made:
            raise ValueError(f"key {key!r} occurs twice in one object")
        made[key] = value
    return made


def gate_bytes(gate: Gate) -> bytes:
    """The bytes of a gate's file: the same gate, the same bytes."""
    return (json.dumps(gate.as_json(), ensure_ascii=False, allow_nan=False, indent=2) + "\n").encode("utf-8")


def write_gate(path: str | os.PathLike[str], gate: Gate) -> None:
    """Write a gate, whole or not at all."""
    from evenhand.formats.raw_bytes import write_bytes

    write_bytes(path, gate_bytes(gate))
