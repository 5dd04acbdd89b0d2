"""Ratings as a table: a row a rating, a column a field of the rubric; no cell acts as a formula."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from evenhand.errors import InputError, nearest
from evenhand.formats.labels.ratings import rating_of
from evenhand.formats.tables import rows_of, table_text
from evenhand.model.answer import RATED, Rating

__all__ = ["parse_ratings_csv", "ratings_csv"]

FIRST = ("item", "rater", "by", "checks_shown_before_rating", "after_checks")
LAST = ("comment", "at", "active_ms", "sheet")
HEAD = (*FIRST, *RATED, *LAST)
FLAGS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def ratings_csv(ratings: Iterable[Rating]) -> str:
    """CSV with a header. ``after_checks`` lists fields rated with checks on screen, between blanks."""
    table: list[Iterable[Any]] = [HEAD]
    for one in ratings:
        flag = "true" if one.checks_shown_before_rating else "false"
        table.append(
            (
                *(one.item, one.rater, one.by, flag, " ".join(one.after_checks)),
                *(one.given.get(name, "") for name in RATED),
                *(one.comment, one.at, "" if one.active_ms is None else one.active_ms, one.sheet),
            )
        )
    return table_text(table, end="\r\n")


def parse_ratings_csv(text: str, file: str) -> list[Rating]:
    """The ratings of a table; faults are named with their line and column."""
    header, rows = rows_of(text, file)
    for name in header:
        if name not in HEAD:
            raise InputError(f"{file}:1: has a column {name!r}", mend=nearest(name, HEAD))
    for name in ("item", "rater", "checks_shown_before_rating"):
        if name not in header:
            raise InputError(f"{file}:1: has no column {name!r}", mend=f"the columns are {', '.join(HEAD)}")
    return [_rating(dict(zip(header, cells, strict=False)), f"{file}:{line}") for line, cells in rows]


def _rating(cells: dict[str, str], where: str) -> Rating:
    row: dict[str, Any] = {name: cell for name, cell in cells.items() if name not in RATED and cell}
    flag = cells.get("checks_shown_before_rating", "").strip().lower()
    if flag not in FLAGS:
        raise InputError(f"{where}: checks_shown_before_rating is {flag!r}", mend="write true or false")
    row["checks_shown_before_rating"] = FLAGS[flag]
    row["given"] = {name: said for name in RATED if (said := cells.get(name, "").strip())}
    if "after_checks" in row:
        row["after_checks"] = row["after_checks"].split()
    if "active_ms" in row:
        if not row["active_ms"].isdecimal():
            raise InputError(f"{where}: active_ms is {row['active_ms']!r}", mend="give whole milliseconds")
        row["active_ms"] = int(row["active_ms"])
    return rating_of({"item": "", "rater": "", **row}, where)
