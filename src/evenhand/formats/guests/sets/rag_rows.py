"""Rows of question, answer and contexts: read by a tool's own names, the contexts looked up."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from evenhand.formats.encoding import decode
from evenhand.formats.gold_csv import rows_of as table_of
from evenhand.formats.guests.outputs import rows_of
from evenhand.formats.guests.sets.coming import Coming, nugget
from evenhand.formats.raw_bytes import read_bytes

__all__ = ["first", "rows_at", "take_row", "text_at", "texts"]


def text_at(path: Path) -> str:
    """The text of a file, packed or not."""
    return decode(read_bytes(path), where=path.name)[0]


def rows_at(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Objects of a JSON array or JSON lines (NaN is None), or the rows of a table with a header."""
    text, file = text_at(path), path.name
    if text.lstrip("\ufeff \t\r\n")[:1] in ("{", "["):
        yield from rows_of(text, file)
        return
    header, rows = table_of(text, file)
    for line, cells in rows:
        yield line, {name: cell for name, cell in zip(header, cells, strict=False) if cell}


def first(thing: Mapping[str, Any], names: Iterable[str]) -> Any:
    """The value of the first of *names* that has one."""
    return next((thing[name] for name in names if thing.get(name)), None)


def texts(value: Any, joined: str = "") -> list[str]:
    """A list of texts: as it is, spelled out in a cell (``['a', 'b']``), joined by *joined*, or one text."""
    if isinstance(value, str):
        if value.lstrip().startswith("[") and value.rstrip().endswith("]"):
            try:
                value = ast.literal_eval(value.strip())
            except (ValueError, SyntaxError, MemoryError, RecursionError):
                return [value]
            return [str(one) for one in value]
        return [one for one in value.split(joined) if one.strip()] if joined else [value]
    return [str(one) for one in value or () if one is not None]


def take_row(
    coming: Coming,
    line: int,
    *,
    name: Any,
    ask: Any,
    contexts: Iterable[str],
    reference: Any = None,
    places: Iterable[str] = (),
    **more: Any,
) -> None:
    """Take one row: each context is a nugget of its own, all needed; rows without a question are counted.

    *places* names the document of each context, or its ``document#start-end``, where the tool knows it.
    """
    if not isinstance(ask, str) or not ask.strip():
        coming.lose("rows have no question")
        return
    of = [*places]
    evidence = [
        nugget(spans)
        for i, context in enumerate(contexts)
        if (spans := coming.at(context, of[i] if i < len(of) else ""))
    ]
    if not evidence and more.get("expect", "answer") == "answer":
        coming.lose("questions have no context that is in the corpus, and are left out")
        return
    answer = reference if isinstance(reference, str) else ""
    names = str(name) if name not in (None, "") else f"q{len(coming.rows) + 1:03d}"
    coming.take(line, {"id": names, "text": ask, "evidence": evidence, "reference": answer, **more})
