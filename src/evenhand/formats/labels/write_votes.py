"""Votes to ``votes.jsonl``: added as they arrive, or written anew in a stable order."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from evenhand.formats.append_lines import append_lines
from evenhand.formats.json_lines import json_line
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
    """All lines by item, judge and repeat; votes that are the same thing said again keep their order.

    A stress run asks one judge about one item in several forms: by trial and call they have their order too,
    whichever came in first. Elsewhere another wording of the same is said again, and the last may count.
    """
    return "".join(json_line(vote_json(vote)) for vote in sorted(votes, key=_place))


def _place(vote: Vote) -> tuple[str, str, int, str, str, str, str]:
    trial = str(vote.told.get("trial", ""))
    form = (vote.sheet, vote.prompt, vote.call) if trial else ("", "", "")
    return (vote.item, vote.judge, vote.repeat, trial, *form)


def write_votes(path: str | os.PathLike[str], votes: Iterable[Vote]) -> None:
    """Write all votes in a stable order under a temporary name and move it into place."""
    write_bytes(path, votes_text(votes).encode())


def append_votes(path: str | os.PathLike[str], votes: Iterable[Vote]) -> None:
    """Add votes at the end and flush them to the disk; a torn last line of before is cut off first."""
    append_lines(path, "".join(json_line(vote_json(vote)) for vote in votes).encode())
