"""A unit twice in one ranking: found by hash, made sure of by its bytes, told with its lines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from evenhand.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

__all__ = ["Repeats", "repeated"]


def repeated(
    key: NDArray[np.uint64], same: Callable[[NDArray[np.int64], NDArray[np.int64]], bool]
) -> tuple[NDArray[np.int64], int, int] | None:
    """Rows whose *key* occurred in an earlier row, ascending; the first of them and the row it repeats.

    None when no key occurs twice. *same* must say whether pairs of rows are truly the same; when it does
    not, two different things have one key, which is told as three empty results.
    """
    ordered = np.sort(key)
    if not np.any(ordered[1:] == ordered[:-1]):
        return None
    order = np.argsort(key, kind="stable")
    twin = key[order[1:]] == key[order[:-1]]
    later, earlier = order[1:][twin], order[:-1][twin]
    if not same(later, earlier):
        return later[:0], -1, -1
    rows = np.sort(later)
    second = int(rows[0])
    return rows, second, int(np.flatnonzero(key == key[second])[0])


@dataclass
class Repeats:
    """How many rows repeat one before them, and what is to be said of the first."""

    file: str
    count: int = 0
    what: str = ""

    def add(self, count: int, *, first: str, second: str, unit: bytes, question: bytes) -> None:
        """So many more; ``first``, ``second``: where the first such pair stands, such as "line 3"."""
        self.count += count
        if not self.what:
            self.what = (
                f"{self.file}, {second} and {first}: unit {unit.decode()!r} of question "
                f"{question.decode()!r} occurs twice in the run"
            )

    def error(self) -> InputError:
        """What the careful reader says."""
        more = f" ({self.count} such rows in all)" if self.count > 1 else ""
        return InputError(
            self.what + more,
            mend="remove one; eval and convert take --lenient, which keeps the first and counts the rest",
        )
