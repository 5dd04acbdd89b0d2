"""How far a desk is, how fast, and how wide the interval still is: of its own labels, never of agreement."""

from __future__ import annotations

import threading
from collections import deque
from statistics import median
from typing import TYPE_CHECKING

from evenhand.labelling.desk.entry_log import Book
from evenhand.stats.intervals.proportion import n_for_wilson_halfwidth, wilson
from evenhand.web.desk.contexts import Progress

if TYPE_CHECKING:
    from evenhand.model.judging import Entry
    from evenhand.model.sheet import Sheet
    from evenhand.protocols import Store

__all__ = ["Tallies", "Tally"]

LEVEL = 0.95
LAST = 20  # answers behind the pace
STEPS = (0.2, 0.15, 0.1, 0.075, 0.05, 0.04, 0.03, 0.02, 0.01)
LEAST = 5  # labels before a width is told


class Tally:
    """A desk's counts, brought up to date by reading only what its book gained.

    All of its labels count alike, whatever a task is there for: a number that left some out would tell
    which they are.
    """

    def __init__(self, desk: str) -> None:
        self.desk = desk
        self.skipped = 0
        self.last = ""
        self._book = Book()
        self._grades: dict[float, int] = {}
        self._times: deque[int] = deque(maxlen=LAST)
        self._lock = threading.Lock()

    def read(self, store: Store) -> None:
        """Take in what the book gained."""
        with self._lock:
            for entry in store.book(self.desk, after=self._book.length):
                self._count(self._book.standing(entry.task), -1)
                self._book.add(entry)
                self._count(self._book.standing(entry.task), 1)
                self.last = entry.at
                if entry.kind != "undo" and entry.active_ms:
                    self._times.append(entry.active_ms)

    def _count(self, entry: Entry | None, by: int) -> None:
        if entry is None:
            return
        self.skipped += by * (entry.kind == "skip")
        if entry.grade is not None:
            self._grades[entry.grade] = self._grades.get(entry.grade, 0) + by

    def standing(self, task: str) -> Entry | None:
        """What stands for a task."""
        return self._book.standing(task)

    def progress(self, sheet: Sheet, total: int) -> Progress:
        """The counts in the words of a page."""
        with self._lock:
            done, n = self._book.done, sum(self._grades.values())
            above = sum(count for grade, count in self._grades.items() if grade > sheet.levels[0].grade)
            pace = median(self._times) / 1000 if self._times else None
        left = None if pace is None else pace * (total - done)
        width = at_end = step = more = None
        reason = f"after {LEAST} labels" if n < LEAST else ""
        if n >= LEAST:
            width, at_end = _half(above, n), _half(above / n * (n + total - done), n + total - done)
            step = next((one for one in STEPS if one < width - 0.0005), None)
            if step is not None:
                more = max(1, n_for_wilson_halfwidth(above / n, step) - n)
        return Progress(
            done=done,
            total=total,
            skipped=self.skipped,
            labels=n,
            pace_s=pace,
            left_s=left,
            half_width=width,
            half_width_at_end=at_end,
            next_width=step,
            next_labels=more,
            level=LEVEL,
            reason=reason,
        )


def _half(k: float, n: float) -> float:
    found = wilson(min(k, n), n, level=LEVEL)
    assert found.low is not None and found.high is not None  # noqa: PT018, S101 - n is above 0
    return (found.high - found.low) / 2


class Tallies:
    """One tally a desk, made when it is first asked for."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._held: dict[str, Tally] = {}
        self._lock = threading.Lock()

    def of(self, desk: str) -> Tally:
        """The desk's tally, up to date."""
        with self._lock:
            tally = self._held.setdefault(desk, Tally(desk))
        tally.read(self.store)
        return tally
