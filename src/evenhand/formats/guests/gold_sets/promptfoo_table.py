"""promptfoo's tests as a table: assertions in ``__expected`` columns, metadata in ``__metadata:key``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from evenhand.formats.guests.importing import OURS
from evenhand.formats.tables import table_text
from evenhand.model.json_text import loads

if TYPE_CHECKING:
    from evenhand.model.gold import Question

__all__ = ["table_of", "test_of"]

WHOLE = f"__metadata:{OURS}"


def test_of(row: Mapping[str, str]) -> dict[str, Any]:
    """A row of CSV: ``__expected`` columns hold ``type: value``, ``__metadata:key`` the metadata."""
    checks = []
    for name, cell in row.items():
        if name.startswith("__expected") and not name.startswith("__expected:"):
            kind, found, value = cell.partition(":")
            known = found and " " not in kind.strip()
            kind = kind.strip().partition("(")[0] if known else "equals"
            checks.append({"type": kind, "value": value.strip() if known else cell})
    meta: dict[str, Any] = {
        name.removeprefix("__metadata:"): cell for name, cell in row.items() if name.startswith("__metadata:")
    }
    if OURS in meta:
        meta[OURS] = loads(meta[OURS])
    given = {name: cell for name, cell in row.items() if not name.startswith("__")}
    return {"vars": given, "assert": checks, "metadata": meta}


def table_of(rows: list[tuple[Question, list[dict[str, Any]]]]) -> str:
    """Questions with their assertions as CSV; no cell acts as a formula."""
    checks = [[f"{one['type']}: {one.get('value', '')}".rstrip(": ") for one in of] for _, of in rows]
    most = max(map(len, checks), default=0)
    table = [["question", "__description", *(f"__expected{i + 1}" for i in range(most)), WHOLE]]
    for (q, _), of in zip(rows, checks, strict=True):
        table.append([q.text, str(q.id), *of, *[""] * (most - len(of)), json.dumps(q.as_json())])
    return table_text(table)
