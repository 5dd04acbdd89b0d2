"""The lines of the journal of calls: kind, key and outcome stand first, to be indexed without the rest."""

from __future__ import annotations

from typing import Any

from evenhand.model.json_text import loads
from evenhand.model.seal import canonical
from evenhand.store.append_log import checked, marked

__all__ = ["half", "line", "parts", "read"]


def half(key: str) -> bytes:
    """Half of a key, as it is held in memory."""
    return bytes.fromhex(key[:32])


def line(kind: bytes, key: str, outcome: str, content: dict[str, Any]) -> bytes:
    """A line of the file; ValueError when *content* holds a number that is none."""
    return marked(b" ".join((kind, key.encode(), outcome.encode(), canonical(content))))


def read(data: bytes) -> tuple[bytes, str, str, dict[str, Any]] | None:
    """Kind, key, outcome and content of a line; None when it cannot be believed."""
    body = checked(data)
    return None if body is None else parts(body)


def parts(body: bytes) -> tuple[bytes, str, str, dict[str, Any]]:
    """The same of a body whose checksum was right."""
    kind, key, outcome, content = body.split(b" ", 3)
    return kind, key.decode(), outcome.decode(), loads(content.decode("utf-8", "surrogatepass"))
