"""Rows of question, answer and contexts: read by a tool's own names, the contexts looked up."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from evenhand.errors import InputError
from evenhand.formats.cells import list_cell
from evenhand.formats.encoding import decode
from evenhand.formats.guests.answers.rows import rows_of
from evenhand.formats.guests.importing import Coming, nugget
from evenhand.formats.raw_bytes import read_bytes
from evenhand.formats.tables import rows_of as table_of

__all__ = ["cell_at", "first", "listed", "rows_at", "take_row", "text_at", "texts"]


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


def listed(value: Any, joined: str = "", *, where: str = "") -> list[Any]:
    """A list: as it is, spelled out in a cell (``['a', 'b']``), joined by *joined*, or of one text.

    None stays in its place: what goes with the others is counted by it. Raises InputError, which says
    *where*, for a cell that is spelled like a list and cannot be read to the letter.
    """
    if not isinstance(value, str):
        return list(value or ())
    try:
        found = list_cell(value)
    except ValueError as error:
        what = f"{where}: {value.strip()[:40]!r} is no list of texts: {error}"
        raise InputError(what, mend='write a list as JSON: ["first text", "second text"]') from error
    if found is not None:
        return [str(one) if isinstance(one, int | float) else one for one in found]
    return [*filter(str.strip, value.split(joined))] if joined else [value]


def texts(value: Any, joined: str = "", *, where: str = "") -> list[str | None]:
    """A list of texts, None where one is missing; see `listed`."""
    return [None if one is None else str(one) for one in listed(value, joined, where=where)]


def cell_at(file: str, line: int, column: str) -> str:
    """Where a cell stands, in words."""
    return f"{file}:{line}: column {column!r}"


def take_row(
    coming: Coming,
    line: int,
    *,
    name: Any,
    ask: Any,
    contexts: Iterable[str | None],
    reference: Any = None,
    places: Iterable[str | None] = (),
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
        if context and (spans := coming.at(context, (of[i] if i < len(of) else None) or ""))
    ]
    if not evidence and more.get("expect", "answer") == "answer":
        coming.lose("questions have no context that is in the corpus, and are left out")
        return
    answer = reference if isinstance(reference, str) else ""
    names = str(name) if name not in (None, "") else f"q{len(coming.rows) + 1:03d}"
    coming.take(line, {"id": names, "text": ask, "evidence": evidence, "reference": answer, **more})
