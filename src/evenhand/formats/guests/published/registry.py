"""Published sets of labels by people and machines: WiCE, CrowdRAG-25, RAGChecker's and ALCE's.

Each becomes people's labels and machines' votes on the same items, as ``judgements.jsonl`` and
``votes.jsonl`` hold them, so that the same commands read them as one's own.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenhand.errors import InputError, nearest
from evenhand.formats.encoding import decode
from evenhand.formats.gold.jsonl import strict
from evenhand.formats.json_lines import json_rows
from evenhand.formats.raw_bytes import read_bytes
from evenhand.model.label import Label
from evenhand.model.vote import Vote

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["SETS", "Item", "Published", "read_json", "read_lines", "read_published"]

SHEET = "published"  # the sheet of their labels is theirs, not one of ours
SETS = ("wice", "crowdrag25", "ragchecker-meta", "alce-utility")


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """What a set holds; ``notes`` says what was left out, and how names and grades are to be read."""

    labels: tuple[Label, ...]
    votes: tuple[Vote, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Item:
    """What was judged: *text* is hashed; where a set does not give the text, the ids stand for it."""

    question: str
    doc: str
    text: str

    def place(self) -> dict[str, Any]:
        """The fields that labels and votes share."""
        return {
            "question": self.question,
            "doc": self.doc,
            "start": 0,
            "end": max(1, len(self.text)),
            "text_sha256": sha256(self.text.encode("utf-8", "surrogatepass")).hexdigest(),
        }

    def label(self, judge: str, grade: float, *, by: str = "human") -> Label:
        """A person's grade."""
        return Label(**self.place(), judge=judge, grade=float(grade), by=by)

    def vote(self, judge: str, grade: float | None, *, family: str = "", why: str = "") -> Vote:
        """A machine's grade; None is a failed call."""
        outcome = "verdict" if grade is not None else "unparsable"
        return Vote(
            **self.place(), judge=judge, sheet=SHEET, outcome=outcome, grade=grade, family=family, why=why
        )


def read_published(
    folder: str | os.PathLike[str], name: str, *, aspect: str = "", cut: float | None = None
) -> Published:
    """The set called *name* in *folder*. *aspect*: which of several things was judged (default: overall).

    *cut* makes yes and no of a machine's scores: 1 from there on, else 0; people's labels keep their own.
    Raises InputError for a name, an aspect or a file that is not there, or not of that form.
    """
    from evenhand.formats.guests.published import alce_utility, crowdrag25, ragchecker_meta, wice

    readers: Mapping[str, Callable[[Path, str], Published]] = {
        "wice": wice.read,
        "crowdrag25": crowdrag25.read,
        "ragchecker-meta": ragchecker_meta.read,
        "alce-utility": alce_utility.read,
    }
    if name not in readers:
        raise InputError(f"no published set is called {name!r}", mend=nearest(name, SETS))
    root = Path(folder)
    try:
        found = readers[name](root, aspect)
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        raise InputError(
            f"{root} has not the form of {name} ({type(error).__name__}: {error})",
            mend="give the files as they were published",
        ) from error
    if cut is None:
        return found
    votes = tuple(_cut(vote, cut) for vote in found.votes)
    note = f"scores from {cut:g} on count as 1, others as 0"
    return Published(labels=found.labels, votes=votes, notes=(*found.notes, note))


def _cut(vote: Vote, cut: float) -> Vote:
    from dataclasses import replace

    return vote if vote.grade is None else replace(vote, grade=float(vote.grade >= cut))


def aspect_of(aspect: str, known: Sequence[str], default: str) -> str:
    """*aspect*, or the *default*; an unknown one names the nearest."""
    if aspect and aspect not in known:
        raise InputError(f"the set has no aspect {aspect!r}", mend=nearest(aspect, known))
    return aspect or default


def _text(path: Path) -> str:
    if not path.is_file():
        raise InputError(f"there is no file {path}", mend="give the folder with the files as published")
    return decode(read_bytes(path), where=path.name)[0]


def read_json(path: Path) -> Any:
    """A file of one JSON value, packed or not."""
    try:
        return strict(_text(path))
    except ValueError as error:
        raise InputError(f"{path.name}: {error}", mend="give the file as it was published") from error


def read_lines(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a file of JSON lines, packed or not."""
    for row, where in json_rows(_text(path), path.name, mend="give the file as published"):
        if not isinstance(row, dict):
            raise InputError(f"{where}: is no object", mend="give the file as published")
        yield row
