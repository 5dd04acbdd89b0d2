"""A tool's own passages, by id, made spans: by their words, else as documents of that name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evenhand.formats.guests.importing import Coming
from evenhand.formats.guests.rag_table import rows_at

__all__ = ["passages_of", "placed"]

IDS = ("_id", "id", "doc_id", "passage_id")
TEXTS = ("text", "content", "contents", "passage")


def passages_of(coming: Coming) -> dict[str, str]:
    """Texts by id, of the file of chunks; none where there is none."""
    made: dict[str, str] = {}
    for _, row in rows_at(coming.chunks) if coming.chunks is not None else ():
        name = next((row[key] for key in IDS if row.get(key) is not None), None)
        text = next((row[key] for key in TEXTS if row.get(key) is not None), None)
        if name is not None and text is not None:
            made[str(name)] = str(text)
    return made


def placed(name: str, passages: Mapping[str, str], coming: Coming) -> list[dict[str, Any]]:
    """Where a passage lies: its document by name, else its words."""
    if coming.document(name) is not None or name not in passages:
        one = coming.whole(name)
        return [one] if one else []
    return coming.found(passages[name])
