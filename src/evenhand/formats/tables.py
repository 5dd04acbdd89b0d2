"""Tables of commas, semicolons or tabs: one writer and one reader; no cell acts as a formula."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from evenhand.errors import InputError

if TYPE_CHECKING:
    import polars as pl

__all__ = ["ESCAPED", "bare", "bare_column", "inert", "inert_column", "rows_of", "table_text"]

ESCAPED = "cells that a spreadsheet would take for a formula: an apostrophe stands before them"
# begins a formula, also behind quotes (a table of tabs has no quoting), blanks and our own apostrophe
_FORMULA = "^['\"\\s]*[=+\\-@\t\r\uff1d\uff0b\uff0d\uff20]"
_NUMBER = r"^[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$"
_ACTS, _COUNTS = re.compile(_FORMULA), re.compile(_NUMBER.replace("$", r"\Z"))
LONGEST = 1 << 30  # a document is longer than the 128 kB that csv allows a cell


def _acts(cell: str) -> bool:
    return _ACTS.match(cell) is not None and _COUNTS.match(cell) is None


def inert(value: Any) -> Any:
    """A cell that no spreadsheet takes for a formula; `bare` undoes it, numbers stay numbers."""
    return f"'{value}" if isinstance(value, str) and _acts(value) else value


def bare(cell: str) -> str:
    """A cell without the apostrophe that `inert` put before it, and with any other that it has."""
    return cell[1:] if cell[:1] == "'" and _acts(cell[1:]) else cell


def inert_column(column: pl.Series) -> pl.Series:
    """`inert` of each text."""
    import polars as pl

    acts = column.str.contains(_FORMULA) & ~column.str.contains(_NUMBER)
    return pl.select(pl.when(acts).then("'" + column).otherwise(column).alias(column.name)).to_series()


def bare_column(column: pl.Series) -> pl.Series:
    """`bare` of each text."""
    import polars as pl

    rest = column.str.slice(1)
    acts = column.str.starts_with("'") & rest.str.contains(_FORMULA) & ~rest.str.contains(_NUMBER)
    return pl.select(pl.when(acts).then(rest).otherwise(column).alias(column.name)).to_series()


def table_text(rows: Iterable[Iterable[Any]], *, tabs: bool = False, end: str = "\n") -> str:
    """Rows, the header first, as text; with *tabs* nothing is quoted, as BEIR's own readers have it.

    Raises InputError for a cell with a tab or a line end where nothing is quoted.
    """
    spell = _unquoted if tabs else _quoted
    return "".join(f"{(chr(9) if tabs else ',').join(map(spell, row))}{end}" for row in rows)


def _quoted(value: Any) -> str:
    cell = "" if value is None else str(inert(value))
    # Python's own writer leaves a lone carriage return without quotes, and its reader ends the line there
    return '"' + cell.replace('"', '""') + '"' if re.search('[,"\r\n]', cell) else cell


def _unquoted(value: Any) -> str:
    cell = "" if value is None else str(inert(value))
    if re.search(r"[\t\r\n]", cell):
        raise InputError(f"{cell!r} does not fit a table separated by tabs", mend="write JSON or CSV instead")
    return cell


@contextmanager
def _long_cells() -> Iterator[None]:
    limit = csv.field_size_limit(LONGEST)
    try:
        yield
    finally:
        csv.field_size_limit(limit)


def rows_of(
    text: str, file: str, *, separator: str = "", quoted: bool = True, escaped: bool = True
) -> tuple[list[str], Iterator[tuple[int, list[str]]]]:
    """Header and (line number, cells) without the apostrophes of `inert`; blank rows are passed over.

    Without *separator* it is the one of comma, semicolon and tab that the header has most of. *quoted*:
    cells may stand in quotes (not so in tables of BEIR and TREC). Without *escaped* apostrophes stay: for
    texts that are never written here, where one before a formula is part of the text.
    """
    header = text.lstrip("\n\r").split("\n", 1)[0]
    mark = separator or max(",;\t", key=header.count)
    quoting: Any = csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=mark, strict=True, quoting=quoting)

    def numbered() -> Iterator[tuple[int, list[str]]]:
        before = 0
        while True:
            try:
                with _long_cells():
                    cells = next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                raise InputError(
                    f"{file}:{before + 1}: is not a row of CSV: {error}",
                    mend="quote a cell that holds the separator, and double quotes inside it",
                ) from None
            yield before + 1, [bare(cell) for cell in cells] if escaped else cells
            before = reader.line_num

    rows = ((line, cells) for line, cells in numbered() if any(cell.strip() for cell in cells))
    _, names = next(rows, (1, []))
    return [name.strip() for name in names], rows
