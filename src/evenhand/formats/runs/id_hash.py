"""Ids eight bytes at a time: all ids of a block are hashed, compared and ordered at once, as they lie.

An id is (start, length) in a buffer. The buffer must be readable 8 bytes past the end of every id. Bytes are
taken in little-endian order whatever the machine, so that keys are the same everywhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["PAD", "Ids", "above", "by_bytes", "changes", "differ", "keys", "spare", "unlike"]

PAD = 32  # bytes to be kept free before and behind what a buffer holds
FIRST = np.uint64(0x9E3779B97F4A7C15)  # odd numbers without a pattern, so that a product spreads every bit
NEXT = np.uint64(0xC2B2AE3D27D4EB4F)
LAST = np.uint64(0xFF51AFD7ED558CCD)
HALF = np.uint64(32)
THREE = np.uint64(3)
FULL = np.uint64(64)


def spare() -> None:
    """Make the memory of arrays that come and go cheap.

    glibc hands every large array back to the system, and takes its pages anew for the next one, until it
    has seen a larger one freed. One that is never touched costs nothing and saves a tenth of the time.
    """
    np.empty(1 << 24, dtype=np.uint8)


class Ids:
    """Many ids: *data* (uint8, with `PAD` bytes behind), *start* and *length* (int64, one an id)."""

    __slots__ = ("data", "length", "start", "window")

    def __init__(self, data: NDArray[np.uint8], start: NDArray[np.int64], length: NDArray[np.int64]) -> None:
        self.data = data
        # the 8 bytes from every place on, as numbers; no copy
        self.window = np.ndarray((max(len(data) - 7, 0),), np.dtype("<u8"), data, 0, (1,))
        self.start = start
        self.length = length

    def __reduce__(self) -> tuple[Any, ...]:
        return Ids, (self.data, self.start, self.length)

    @classmethod
    def of(cls, ids: Sequence[bytes]) -> Ids:
        """Ids that are at hand as bytes."""
        length = np.fromiter(map(len, ids), np.int64, len(ids))
        data = np.frombuffer(b"".join(ids) + bytes(PAD), dtype=np.uint8)
        return cls(data, np.cumsum(length) - length, length)

    @classmethod
    def copied(cls, data: NDArray[np.uint8], start: NDArray[np.int64], length: NDArray[np.int64]) -> Ids:
        """Ids taken out of *data*, which need not have anything behind it."""
        upto = np.cumsum(length)
        total = int(upto[-1]) if len(upto) else 0
        kept = np.zeros(total + PAD, dtype=np.uint8)
        kept[:total] = data[np.arange(total) + np.repeat(start - upto + length, length)]
        return cls(kept, upto - length, length)

    def packed(self) -> Ids:
        """The same ids in a buffer of their own, none longer than it must be."""
        width = -(-int(self.length.max(initial=0)) // 8)
        if 8 * width * len(self) > 64 + 4 * int(self.length.sum()):
            return Ids.copied(self.data, self.start, self.length)
        words = np.zeros((len(self) * width + PAD // 8,), dtype="<u8")
        table = words[: len(self) * width].reshape(len(self), width)
        for k in range(width):
            rows = np.flatnonzero(self.length > 8 * k) if k else None
            if rows is None or len(rows) == len(self):
                table[:, k] = self.word(k)
            else:
                table[rows, k] = self[rows].word(k)
        return Ids(words.view(np.uint8), np.arange(len(self)) * (8 * width), self.length)

    def __len__(self) -> int:
        return len(self.start)

    def __getitem__(self, rows: NDArray[np.integer[Any]] | NDArray[np.bool_] | slice) -> Ids:
        """Some of the ids, over the same bytes."""
        made = Ids.__new__(Ids)
        made.data, made.window = self.data, self.window
        made.start, made.length = self.start[rows], self.length[rows]
        return made

    def keep(self, rows: NDArray[np.bool_]) -> Ids:
        """The ids without all others."""
        return self[rows]

    def bytes_of(self, i: int) -> bytes:
        """One id."""
        start = int(self.start[i])
        return self.data[start : start + int(self.length[i])].tobytes()

    def word(self, k: int) -> NDArray[np.uint64]:
        """Bytes 8k to 8k + 7 of each id, the first byte lowest; zeros from the end of the id on.

        For k > 0 every id must reach that far.
        """
        made: NDArray[np.uint64] = self.window[self.start + 8 * k if k else self.start]
        left = self.length - 8 * k if k else self.length
        if len(left) and (least := left.min()) < 8:
            if least == left.max():
                beyond: Any = FULL - np.uint64(8 * least)
            else:
                beyond = FULL - (np.minimum(left, 8).view(np.uint64) << THREE)
            made <<= beyond
            made >>= beyond
        return made

    def tail(self, k: int) -> NDArray[np.uint64]:
        """The 8 bytes that end 8k before the end of each id, whatever they are, the last byte highest."""
        end = self.start + self.length
        end -= 8 * (k + 1)
        read: NDArray[np.uint64] = self.window[end]
        return read


def keys(ids: Ids) -> NDArray[np.uint64]:
    """A 64-bit hash of each id, of which the high bits are the good ones.

    Equal ids have equal keys; unequal ones hardly ever do, which is for the caller to make sure of.
    """
    made = ids.word(0)
    made ^= ids.length.view(np.uint64) * LAST
    made *= FIRST
    for k in range(1, -(-int(ids.length.max(initial=0)) // 8)):
        rows = np.flatnonzero(ids.length > 8 * k)
        if len(rows) == len(made):
            made ^= made >> HALF
            made ^= ids.word(k)
            made *= NEXT
        else:
            old = made[rows]
            made[rows] = (old ^ (old >> HALF) ^ ids[rows].word(k)) * NEXT
    return made


def changes(ids: Ids) -> NDArray[np.bool_]:
    """Where an id is not the same as the one before it; the first always is not."""
    found = np.ones(len(ids), dtype=bool)
    found[1:] = ids.length[1:] != ids.length[:-1]
    for k in range(-(-int(ids.length.max(initial=0)) // 8)):
        rows = np.flatnonzero(ids.length > 8 * k) if k else None
        if rows is None or len(rows) == len(ids):
            word = ids.word(k)
        else:
            word = np.zeros(len(ids), dtype=np.uint64)
            word[rows] = ids[rows].word(k)
        found[1:] |= word[1:] != word[:-1]
    return found


def differ(a: Ids, b: Ids) -> NDArray[np.bool_]:
    """Where the ids of *a* and *b*, pair by pair, are not the same bytes."""
    found: NDArray[np.bool_] = a.length != b.length
    for k in range(-(-int(a.length.max(initial=0)) // 8)):
        rows = np.flatnonzero((a.length > 8 * k) & ~found)
        if len(rows) == len(found):
            found |= a.word(k) != b.word(k)
        elif len(rows):
            found[rows] = a[rows].word(k) != b[rows].word(k)
    return found


def above(a: Ids, b: Ids) -> NDArray[np.bool_]:
    """Where the id of *a* comes behind that of *b* in the order of bytes, pair by pair."""
    found = np.zeros(len(a), dtype=bool)
    open_ = np.arange(len(a))
    k = 0
    while len(open_):
        one, two = a[open_], b[open_]
        first, second = one.word(k).byteswap(), two.word(k).byteswap()
        found[open_] = first > second
        # of two ids that are the same so far the longer one is behind
        same = first == second
        ended = same & (np.minimum(one.length, two.length) <= 8 * (k + 1))
        found[open_[ended]] = one.length[ended] > two.length[ended]
        open_ = open_[same & ~ended]
        k += 1
    return found


def unlike(a: Ids, b: Ids) -> bool:
    """Whether any pair of ids with equal keys is not the same: one word of one length has one key only."""
    if (a.length != b.length).any():
        return True
    rows = np.flatnonzero(a.length > 8)
    return len(rows) > 0 and bool(differ(a[rows], b[rows]).any())


def by_bytes(ids: Ids) -> NDArray[np.int64]:
    """The order of the bytes of the ids."""
    longest = int(ids.length.max(initial=0))
    columns: list[NDArray[Any]] = [ids.length]
    for k in reversed(range(-(-longest // 8))):
        rows = np.flatnonzero(ids.length > 8 * k) if k else None
        if rows is None:
            word = ids.word(0)
        else:
            word = np.zeros(len(ids), dtype=np.uint64)
            word[rows] = ids[rows].word(k)
        columns.append(word.byteswap())
    # where only length can tell, words that end early were filled with zeros
    if longest <= 8:
        order = np.argsort(columns[1], kind="stable") if longest else np.arange(len(ids))
        word = columns[-1][order]
        if not np.any(word[1:] == word[:-1]):
            return order
    return np.lexsort(columns)
