"""``votes.jsonl``: what each model said of each item, one vote a line; lines are added as votes arrive."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from evenhand.errors import InputError, nearest
from evenhand.formats.encoding import decode
from evenhand.formats.gold_json import strict
from evenhand.formats.raw_bytes import read_bytes, write_bytes
from evenhand.model.vote import Vote

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

NEEDED = ("question", "doc", "start", "end", "text_sha256", "judge", "sheet", "outcome")
TEXTS = ("mode", "family", "model", "prompt", "call", "rung", "why")
KEYS = (*NEEDED, "grade", *TEXTS, "repeat", "told")
WHOLE = ("start", "end", "repeat")
MEND = "write what `evenhand judge panel` writes: one object a line"


def vote_json(vote: Vote) -> dict[str, Any]:
    """The object of one line, keys in fixed order; what is empty is left out."""
    row: dict[str, Any] = {name: getattr(vote, name) for name in NEEDED}
    if vote.grade is not None:
        row["grade"] = int(vote.grade) if float(vote.grade).is_integer() else vote.grade
    row |= {name: getattr(vote, name) for name in TEXTS if getattr(vote, name)}
    if vote.repeat:
        row["repeat"] = vote.repeat
    if vote.told:
        row["told"] = dict(vote.told)
    return row


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


def votes_text(votes: Iterable[Vote]) -> str:
    """All lines by item, judge and repeat; votes that are the same thing said again keep their order."""
    order = sorted(votes, key=lambda vote: (vote.item, vote.judge, vote.repeat))
    return "".join(_line(vote) for vote in order)


def _line(vote: Vote) -> str:
    row = vote_json(vote)
    text = json.dumps(row, ensure_ascii=False, allow_nan=False)
    try:
        text.encode()
    except UnicodeEncodeError:  # half a surrogate pair in a quote
        text = json.dumps(row, allow_nan=False)
    return text + "\n"


def parse_votes(text: str, file: str) -> list[Vote]:
    """The votes of a text of JSON lines; a last line torn off while it was written is left out."""
    lines = text.split("\n")
    found = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            row = strict(line)
        except ValueError as error:
            if number == len(lines):
                break
            raise InputError(f"{file}:{number}: {error}", mend=MEND) from error
        found.append(vote_of(row, f"{file}:{number}"))
    return found


def read_votes(path: str | os.PathLike[str]) -> list[Vote]:
    """The votes of a ``votes.jsonl``, every field checked, faults named with their line."""
    text, _ = decode(read_bytes(path), where=Path(path).name)
    return parse_votes(text, Path(path).name)


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


def write_votes(path: str | os.PathLike[str], votes: Iterable[Vote]) -> None:
    """Write all votes in a stable order under a temporary name and move it into place."""
    write_bytes(path, votes_text(votes).encode())


def append_votes(path: str | os.PathLike[str], votes: Iterable[Vote]) -> None:
    """Add votes at the end and flush them to the disk; a torn last line of before is cut off first."""
    data = "".join(_line(vote) for vote in votes).encode()
    if not data:
        return
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("a+b") as file:
        end = file.seek(0, os.SEEK_END)
        whole = _whole(file, end)
        if whole < end:
            file.truncate(whole)
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _whole(file: Any, end: int) -> int:
    """Where the last whole line ends; a last line that can be read only lacks its line feed."""
    if not end:
        return 0
    file.seek(end - 1)
    if file.read(1) == b"\n":
        return end
    at, tail = end, b""
    while at and b"\n" not in tail:
        step = min(at, 65536)
        at -= step
        file.seek(at)
        tail = file.read(step) + tail
    begin = at + tail.rfind(b"\n") + 1
    last = tail[tail.rfind(b"\n") + 1 :]
    try:
        strict(last.decode())
    except (ValueError, UnicodeDecodeError):
        return begin
    file.seek(0, os.SEEK_END)
    file.write(b"\n")
    return end + 1
