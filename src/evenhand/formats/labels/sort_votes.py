"""``votes.jsonl`` written anew in a stable order, while others may be adding to it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from evenhand.formats.append_lines import alone
from evenhand.formats.json_lines import json_line
from evenhand.formats.labels.votes import read_votes, vote_json, votes_text, write_votes

if TYPE_CHECKING:
    from evenhand.model.vote import Vote

__all__ = ["tidy_votes"]


def tidy_votes(path: str | os.PathLike[str]) -> list[Vote]:
    """Write a file anew in its stable order, whatever order its votes came in; gives all of them.

    Of lines that are the very same one is kept: two processes may have written down what one call said. While
    it is done nobody adds to the file.
    """
    target = Path(path)
    if not target.exists():
        return []
    with alone(target):
        once: dict[str, Vote] = {}
        for vote in read_votes(target):
            line = json_line(vote_json(vote))
            once.pop(line, None)  # the last of them keeps its place: what is said last holds
            once[line] = vote
        every = list(once.values())
        if every and votes_text(every).encode() != target.read_bytes():
            write_votes(target, every)
    return every
