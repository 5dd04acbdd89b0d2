"""``votes.jsonl``: what each model said of each item, one vote a line; lines are added as votes arrive."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenhand.errors import InputError, nearest
from evenhand.formats.encoding import decode
from evenhand.formats.gold.jsonl import strict
from evenhand.formats.json_lines import json_rows
from evenhand.formats.labels.write_votes import (
    NEEDED,
    TEXTS,
    append_votes,
    vote_json,
    votes_text,
    write_votes,
)
from evenhand.formats.raw_bytes import read_bytes
from evenhand.model.vote import Vote

if TYPE_CHECKING:
    from evenhand.model.sheet import Sheet

__all__ = [
    "append_votes",
    "holds_votes",
    "parse_votes",
    "read_votes",
    "vote_json",
    "vote_of",
    "votes_text",
    "write_votes",
]

KEYS = (*NEEDED, "grade", *TEXTS, "repeat", "told")
WHOLE = ("start", "end", "repeat")
MEND = "write what `evenhand judge panel` writes: one object a line"


def vote_of(row: Any, where: str) -> Vote:
    """The vote of one object; an `InputError` names *where* and the field."""
    if not isinstance(row, dict):
        raise InputError(f"{where}: is no JSON object", mend=MEND)
    for key in row:
        if key not in KEYS:
            raise InputError(f"{where}: has a field {key!r}", mend=nearest(key, KEYS))
    for key in NEEDED:
        if key not in row:
            raise InputError(f"{where}: has no {key!r}", mend=MEND)
    made = {key: _field(row[key], key, where) for key in row}
    if not 0 <= made["start"] <= made["end"]:
        raise InputError(
            f"{where}: start {made['start']} and end {made['end']}", mend="offsets are 0 <= start <= end"
        )
    if not made["judge"].strip():
        raise InputError(f"{where}: judge is empty", mend="say who judged")
    try:
        return Vote(**made)
    except InputError as error:
        raise InputError(f"{where}: {error.what}", mend=error.mend) from error


def _field(value: Any, key: str, where: str) -> Any:
    if key == "grade":
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise InputError(f"{where}: grade is {value!r}", mend="a grade is a number")
        return float(value)
    if key in WHOLE:
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise InputError(f"{where}: {key} is {value!r}", mend="give a whole number from 0")
    elif key == "told":
        if not isinstance(value, dict):
            raise InputError(f"{where}: told is {value!r}", mend="give an object")
    elif not isinstance(value, str):
        raise InputError(f"{where}: {key} is {value!r}", mend="give a text")
    return value


def parse_votes(text: str, file: str, *, sheets: Iterable[Sheet] = ()) -> list[Vote]:
    """The votes of a text of JSON lines; a last line torn off while it was written is left out."""
    made, by_seal = [], {sheet.seal: sheet for sheet in sheets}
    for row, where in json_rows(text, file, mend=MEND, torn=True):
        vote = vote_of(row, where)
        if vote.sheet in by_seal:
            _on_scale(vote, by_seal[vote.sheet], where)
        made.append(vote)
    return made


def _on_scale(vote: Vote, sheet: Sheet, where: str) -> None:
    if vote.grade is None or any(level.grade == vote.grade for level in sheet.levels):
        return
    levels = ", ".join(f"{level.grade:g} ({level.label})" for level in sheet.levels)
    raise InputError(
        f"{where}: grade is {vote.grade:g}, and sheet {sheet.name} has {levels}",
        mend="give one of these, or take the line out: `evenhand judge panel` asks again",
    )


def read_votes(path: str | os.PathLike[str], *, sheets: Iterable[Sheet] = ()) -> list[Vote]:
    """The votes of a ``votes.jsonl``, every field checked, faults named with file (as given) and line.

    *sheets*: grades of votes that were given under one of them have to be among its levels.
    """
    where = os.fspath(path)
    text, _ = decode(read_bytes(path), where=where)
    return parse_votes(text, where, sheets=sheets)


def holds_votes(path: str | os.PathLike[str]) -> bool:
    """Whether a file of JSON lines holds votes, and not labels: by its first line that is an object."""
    text, _ = decode(read_bytes(path), where=Path(path).name)
    for line in text.split("\n"):
        if line.strip():
            try:
                row = strict(line)
            except ValueError:
                return False  # whoever reads it as labels says what is wrong
            return isinstance(row, dict) and "outcome" in row
    return False
