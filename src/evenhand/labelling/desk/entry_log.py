"""The book of a desk, read from the first entry to the last: what stands, and what was taken back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evenhand.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from evenhand.model.judging import Entry

__all__ = ["Book"]


class Book:
    """What stands after the entries so far.

    Each task has a pile of entries: a grade, "cannot tell" or skip goes on top, an undo takes the top
    away, and the top stands. Linear in the entries.
    """

    def __init__(self, entries: Iterable[Entry] = ()) -> None:
        self.length = 0
        self.done = 0  # tasks with a standing entry
        self._piles: dict[str, list[Entry]] = {}
        for entry in entries:
            self.add(entry)

    def add(self, entry: Entry) -> None:
        """Read the next entry; raises when it cannot follow."""
        where = f"entry {entry.number} of desk {entry.desk}"
        if entry.number != self.length + 1:
            raise InputError(f"{where} follows number {self.length}", mend="a book has no gaps")
        pile = self._piles.setdefault(entry.task, [])
        if entry.kind == "undo":
            if not pile or pile[-1].number != entry.undoes:
                raise InputError(f"{where} takes back number {entry.undoes}, which does not stand", mend=MEND)
            pile.pop()
            self.done -= not pile
        else:
            if entry.undoes:
                raise InputError(f"{where} is no undo and takes back number {entry.undoes}", mend=MEND)
            self.done += not pile
            pile.append(entry)
        self.length += 1

    def standing(self, task: str) -> Entry | None:
        """The entry that stands for a task."""
        pile = self._piles.get(task)
        return pile[-1] if pile else None


MEND = "restore the store from a backup: a book is only ever added to"
