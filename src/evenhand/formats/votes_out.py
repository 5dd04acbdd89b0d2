"""Votes to ``votes.jsonl``: added as they arrive, or written anew in a stable order."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenhand.formats.gold_json import strict
from evenhand.formats.raw_bytes import write_bytes

if TYPE_CHECKING:
    from evenhand.model.vote import Vote

__all__ = ["append_votes", "vote_json", "votes_text", "write_votes"]

NEEDED = ("question", "doc", "start", "end", "text_sha256", "judge", "sheet", "outcome")
TEXTS = ("mode", "family", "model", "prompt", "call", "rung", "why")


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
