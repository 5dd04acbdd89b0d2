"""How long a stretch of text is, in characters or in the tokens of an embedder."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np

from evenhand.errors import InputError, nearest

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from evenhand.model.text import Corpus, Document, Units

__all__ = ["COUNTS", "Characters", "Ruler", "TokenRuler", "Tokens", "rulers", "token_lengths"]

COUNTS = ("characters", "tokens")


@runtime_checkable
class Tokens(Protocol):
    """The tokenizer of an embedder, as far as cutting needs it."""

    @property
    def name(self) -> str:
        """How reports call it."""

    def offsets(self, text: str) -> NDArray[np.int64]:
        """int64[tokens, 2]: start and end of each token in code points of *text*, without special tokens."""


class Ruler(Protocol):
    """Measures one document; positions are code points of its text, sizes are what is counted."""

    def length(self, start: int, end: int) -> int:
        """How much lies in ``[start, end)``."""

    def reach(self, start: int, size: int) -> int:
        """The greatest end for which ``[start, end)`` holds at most *size*, but always past *start*."""

    def windows(self, start: int, end: int, size: int, overlap: int) -> list[tuple[int, int]]:
        """Windows of *size*, each *overlap* back from the end of the last, that cover ``[start, end)``."""


@dataclass(frozen=True, slots=True)
class Characters:
    """Counts code points."""

    def length(self, start: int, end: int) -> int:
        """Code points in ``[start, end)``."""
        return end - start

    def reach(self, start: int, size: int) -> int:
        """*size* code points on."""
        return start + size

    def windows(self, start: int, end: int, size: int, overlap: int) -> list[tuple[int, int]]:
        """Windows of *size* code points; none lies wholly inside the one before it."""
        last = max(start + 1, end - overlap)
        return [(s, min(s + size, end)) for s in range(start, last, size - overlap) if s < end]


class TokenRuler:
    """Counts tokens; tokens that share a character are one *atom*, which is never cut (case B012)."""

    __slots__ = ("ends", "starts", "total", "upto")

    def __init__(self, offsets: NDArray[np.int64], total: int) -> None:
        rows = offsets[offsets[:, 1] > offsets[:, 0]]
        rows = rows[np.argsort(rows[:, 0], kind="stable")]
        ends = np.maximum.accumulate(rows[:, 1]) if len(rows) else rows[:, 1]
        fresh = np.ones(len(rows), dtype=bool)
        fresh[1:] = rows[1:, 0] >= ends[:-1]
        first = np.flatnonzero(fresh)
        last = np.append(first[1:], len(rows)) - 1 if len(first) else first
        self.starts: list[int] = rows[first, 0].tolist()
        self.ends: list[int] = ends[last].tolist()
        self.upto: list[int] = [0, *(last + 1).tolist()]  # tokens in the atoms before each atom
        self.total = total

    def length(self, start: int, end: int) -> int:
        """Tokens that touch ``[start, end)``."""
        low = bisect_right(self.ends, start)
        high = bisect_left(self.starts, end)
        return self.upto[high] - self.upto[low] if high > low else 0

    def reach(self, start: int, size: int) -> int:
        """Where the first token that no longer fits begins; at least one atom is taken."""
        low = bisect_right(self.ends, start)
        high = max(bisect_right(self.upto, self.upto[low] + size) - 1, low + 1)
        return self.starts[high] if high < len(self.starts) else self.total

    def windows(self, start: int, end: int, size: int, overlap: int) -> list[tuple[int, int]]:
        """Windows of *size* tokens; white space between tokens belongs to the window before it."""
        made: list[tuple[int, int]] = []
        at = start
        while True:
            stop = min(self.reach(at, size), end)
            made.append((at, stop))
            if stop >= end:
                return made
            at = max(self._back(stop, overlap), min(self.reach(at, 1), stop)) if overlap else stop

    def _back(self, end: int, overlap: int) -> int:
        """The least start for which ``[start, end)`` holds at most *overlap* tokens."""
        high = bisect_left(self.starts, end)
        low = bisect_left(self.upto, self.upto[high] - overlap)
        return self.starts[low] if low < high else end


def rulers(corpus: Corpus, count: str, tokens: Tokens | None) -> Iterator[Ruler]:
    """One ruler a document, in order; each document is tokenised once, when its turn comes.

    Raises :class:`InputError` for an unknown *count*, or when tokens are to be counted and nobody said
    whose.
    """
    if count not in COUNTS:
        raise InputError(f"count = {count!r} is not known", mend=nearest(str(count), COUNTS))
    if count == "characters":
        yield from (Characters() for _ in corpus)
        return
    if tokens is None:
        raise InputError(
            'count = "tokens" needs the tokenizer of an embedder, and none is given',
            mend='name an embedder whose tokens are meant (tokens=...), or write count = "characters"',
        )
    for document in corpus:
        yield TokenRuler(_offsets(document, tokens), len(document.text))


def token_lengths(units: Units, tokens: Tokens) -> NDArray[np.int64]:
    """int64[n]: how many tokens each unit touches, counted in its document, which is tokenised once.

    A token across the border of two units counts in both. Linear in the text.
    """
    lengths = np.zeros(len(units), dtype=np.int64)
    for d, document in enumerate(units.corpus):
        low, high = int(units.first[d]), int(units.first[d + 1])
        if low == high:
            continue
        rows = _offsets(document, tokens)
        rows = rows[rows[:, 1] > rows[:, 0]]
        if not len(rows):
            continue
        starts = np.maximum.accumulate(rows[:, 0])
        ends = np.maximum.accumulate(rows[:, 1])
        before = np.searchsorted(ends, units.start[low:high], side="right")
        upto = np.searchsorted(starts, units.end[low:high], side="left")
        lengths[low:high] = np.maximum(upto - before, 0)
    return lengths


def _offsets(document: Document, tokens: Tokens) -> NDArray[np.int64]:
    rows = np.asarray(tokens.offsets(document.text), dtype=np.int64)
    if not rows.size:
        return np.empty((0, 2), dtype=np.int64)
    if rows.ndim != 2 or rows.shape[1] != 2 or rows.min() < 0 or rows.max() > len(document.text):
        raise InputError(
            f"tokenizer {tokens.name!r} gave offsets of shape {rows.shape}, or outside the text, "
            f"for document {document.id!r}",
            mend="offsets(text) must return an int64 array [tokens, 2] of code-point positions in the text",
        )
    return rows
