"""``ratings.jsonl``: how each item was rated by each person, one rating a line, keys in fixed order."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from evenhand.errors import InputError, nearest
from evenhand.formats.encoding import decode
from evenhand.formats.json_lines import json_line, json_rows
from evenhand.formats.raw_bytes import read_bytes, write_bytes
from evenhand.model.answer import Rating

__all__ = [
    "parse_ratings",
    "rating_json",
    "rating_of",
    "ratings_text",
    "read_ratings",
    "write_ratings",
]

NEEDED = ("item", "rater", "given", "checks_shown_before_rating")
TEXTS = ("by", "comment", "at", "sheet")
KEYS = (*NEEDED, "after_checks", *TEXTS, "active_ms")
MEND = "write what `evenhand answers ratings` writes: one object a line"


def rating_json(one: Rating) -> dict[str, Any]:
    """The object of one line. Whether checks were on screen first is always said; else empty is left out."""
    row: dict[str, Any] = {
        "item": one.item,
        "rater": one.rater,
        "by": one.by,
        "given": dict(one.given),
        "checks_shown_before_rating": one.checks_shown_before_rating,
    }
    if one.after_checks:
        row["after_checks"] = list(one.after_checks)
    row |= {name: getattr(one, name) for name in TEXTS[1:] if getattr(one, name)}
    return row | ({"active_ms": one.active_ms} if one.active_ms is not None else {})


def rating_of(row: Any, where: str) -> Rating:
    """The rating of one object; an `InputError` names *where* and the field.

    ``checks_shown_before_rating`` must be said: without it nobody knows whether the rating was blind.
    """
    if not isinstance(row, dict):
        raise InputError(f"{where}: is no JSON object", mend=MEND)
    for key in row:
        if key not in KEYS:
            raise InputError(f"{where}: has a field {key!r}", mend=nearest(key, KEYS))
    for key in NEEDED:
        if key not in row:
            raise InputError(f"{where}: has no {key!r}", mend=MEND)
    made = {key: _field(row[key], key, where) for key in row}
    for key in ("item", "rater"):
        if not made[key].strip():
            raise InputError(f"{where}: {key} is empty", mend="say what was rated, and who rated")
    try:
        return Rating(**made)
    except InputError as error:
        raise InputError(f"{where}: {error.what}", mend=error.mend) from error


def _field(value: Any, key: str, where: str) -> Any:
    if key == "given":
        if not isinstance(value, Mapping) or not all(isinstance(said, str) for said in value.values()):
            raise InputError(f"{where}: given is {value!r}", mend='write {"faithful": "yes"}')
        return dict(value)
    if key == "after_checks":
        if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
            raise InputError(f"{where}: after_checks is {value!r}", mend='write ["correct", "useful"]')
        return tuple(value)
    if key == "checks_shown_before_rating":
        if not isinstance(value, bool):
            raise InputError(f"{where}: {key} is {value!r}", mend="give true or false")
    elif key == "active_ms":
        if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 0):
            raise InputError(f"{where}: active_ms is {value!r}", mend="give whole milliseconds")
    elif not isinstance(value, str):
        raise InputError(f"{where}: {key} is {value!r}", mend="give a text")
    return value


def ratings_text(ratings: Iterable[Rating]) -> str:
    """All lines, in the order given. ASCII where a text holds half a surrogate pair."""
    return "".join(json_line(rating_json(one)) for one in ratings)


def parse_ratings(text: str, file: str) -> list[Rating]:
    """The ratings of a text of JSON lines."""
    return [rating_of(row, where) for row, where in json_rows(text, file, mend=MEND)]


def read_ratings(path: str | os.PathLike[str]) -> list[Rating]:
    """The ratings of a file, every field checked: CSV where its name ends so, else JSON lines."""
    name = Path(path).name
    text, _ = decode(read_bytes(path), where=name)
    if name.lower().endswith(".csv"):
        from evenhand.formats.labels.ratings_table import parse_ratings_csv

        return parse_ratings_csv(text, name)
    return parse_ratings(text, name)


def write_ratings(path: str | os.PathLike[str], ratings: Iterable[Rating]) -> None:
    """Write a file under a temporary name and move it into place: CSV where its name ends so."""
    if Path(path).name.lower().endswith(".csv"):
        from evenhand.formats.labels.ratings_table import ratings_csv

        write_bytes(path, ratings_csv(ratings).encode("utf-8", "replace"))
    else:
        write_bytes(path, ratings_text(ratings).encode())
