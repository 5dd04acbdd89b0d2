"""Lines of columns separated by blanks, a block at a time: where each token stands, and nothing more.

Most files separate by one blank (or one tab) and say nothing else: then every sixth separator must be a line
end, which is checked, not searched for. Any other block is cut at runs of blanks as `bytes.split` would, and
lines that have not exactly the columns asked for are put aside, to be judged one by one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO

import numpy as np

from evenhand.formats.runs.id_hash import PAD, Ids, spare

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

__all__ = ["BLOCK", "Block", "Scanner"]

BLOCK = 1 << 20  # what numpy makes of it stays in the cache of a processor
NEWLINE = 10
BLANK = 32
BOM = b"\xef\xbb\xbf"


@dataclass
class Block:
    """Rows of whole lines. ``start``, ``length``: by column, int64[rows]; ``line``: int64[rows], from 1.

    ``held`` is overwritten when the next block is read. ``begin``: where its lines start in it, ``end``:
    behind the last; ``offset``: where held[0] stands in the file; ``lines``: how many, rows or not;
    ``last``: no more will come.
    """

    held: bytearray
    data: NDArray[np.uint8]
    start: list[NDArray[np.int64]]
    length: list[NDArray[np.int64]]
    line: NDArray[np.int64]
    begin: int
    end: int
    offset: int
    lines: int
    last: bool
    ascii: bool

    def __len__(self) -> int:
        return len(self.line)

    def ids(self, column: int) -> Ids:
        """The tokens of one column."""
        return Ids(self.data, self.start[column], self.length[column])

    def text(self, row: int) -> bytes:
        """The line of a row, without its end."""
        begin = max(self.held.rfind(b"\n", self.begin, int(self.start[0][row])) + 1, self.begin)
        return bytes(self.held[begin : self.held.index(b"\n", int(self.start[-1][row]))])

    def keep(self, rows: NDArray[np.bool_]) -> None:
        """Leave all other rows out."""
        self.start = [one[rows] for one in self.start]
        self.length = [one[rows] for one in self.length]
        self.line = self.line[rows]


class Scanner:
    """Reads *stream* (not buffered, already unpacked) block by block.

    `read` gives the next whole lines; `done` says how many rows of them are dealt with: the others come
    again with the next block, which is larger when none was.
    """

    def __init__(self, stream: BinaryIO, columns: int, *, size: int = BLOCK) -> None:
        self.stream = stream
        self.columns = columns
        # what stands before the first line is no blank, so that places in it need no offset
        self.held = bytearray(b"\xff" * PAD + bytes(size + PAD))
        self.begin = self.end = PAD
        self.offset = -PAD
        self.line = 1
        self.over = False
        self.fresh = True
        spare()

    def read(self, aside: Callable[[int, bytes], bool]) -> Block | None:
        """The next block, None at the end. *aside* is asked about lines that are not plain."""
        while True:
            self._fill()
            stop = self.held.rfind(b"\n", self.begin, self.end) + 1
            if stop:
                break
            if self.over:
                return None
            self._room()
        return self._scan(stop, aside)

    def done(self, block: Block, rows: int) -> None:
        """The first *rows* rows, and what stands aside before the next, are dealt with."""
        if rows == len(block):
            self.begin = block.end
            self.line += block.lines
        elif rows:
            first = int(block.start[0][rows])
            self.begin = max(self.held.rfind(b"\n", block.begin, first) + 1, block.begin)
            self.line = int(block.line[rows])
        else:
            self._room()

    def _room(self) -> None:
        """Twice the space, for what is held does not hold one whole thing."""
        if self.end + PAD >= len(self.held) - PAD:
            self.held = self.held + bytearray(len(self.held))  # arrays over the old one keep it alive

    def _fill(self) -> None:
        size = self.end - self.begin
        if self.begin != PAD and not self.fresh:
            self.offset += self.begin - PAD
            self.held[PAD : PAD + size] = self.held[self.begin : self.end]
            self.begin, self.end = PAD, PAD + size
        room = len(self.held) - PAD - 1 - self.end  # one byte stays free for a missing line end
        with memoryview(self.held) as view:
            while room and not self.over:
                got = self.stream.readinto(view[self.end : self.end + room])  # type: ignore[attr-defined]
                if not got:
                    self.over = True
                    break
                self.end += got
                room -= got
        if self.fresh:
            self.fresh = False
            if self.held[self.begin : self.begin + 3] == BOM:
                self.begin += 3
        if self.over and self.end > self.begin and self.held[self.end - 1] != NEWLINE:
            self.held[self.end] = NEWLINE
            self.end += 1

    def _scan(self, stop: int, aside: Callable[[int, bytes], bool]) -> Block:
        data = np.frombuffer(self.held, dtype=np.uint8)
        part = data[self.begin : stop]
        last = self.over and stop == self.end
        block = Block(
            self.held,
            data,
            [],
            [],
            np.zeros(0, np.int64),
            self.begin,
            stop,
            self.offset,
            0,
            last,
            bool(part.max() < 128),
        )
        if not self._regular(block, data[:stop]):
            self._any(block, part, aside)
        return block

    def _regular(self, block: Block, part: NDArray[np.uint8]) -> bool:
        """Rows of a block in which single blanks or tabs separate, and no line differs; False for another."""
        width = self.columns
        ends = np.flatnonzero(part <= BLANK)
        rows, over = divmod(len(ends), width)
        if over or not rows:
            return False
        end = ends.reshape(rows, width).T.copy()
        if not (part.take(end[-1]) == NEWLINE).all():
            return False
        low = int(np.count_nonzero(part < BLANK))
        if low != rows and (
            low != rows * width or int(np.count_nonzero(part == ord("\t"))) != rows * (width - 1)
        ):
            return False
        start = np.empty_like(end)
        np.add(end[:-1], 1, out=start[1:])
        start[0, 0] = self.begin
        np.add(end[-1, :-1], 1, out=start[0, 1:])
        end -= start
        if end.min() < 1:
            return False
        block.start, block.length = list(start), list(end)
        block.line = np.arange(self.line, self.line + rows)
        block.lines = rows
        return True

    def _any(self, block: Block, part: NDArray[np.uint8], aside: Callable[[int, bytes], bool]) -> None:
        """Rows of any other block: tokens are what `bytes.split` finds."""
        gap = np.ones(len(part) + 1, dtype=bool)
        gap[1:] = (part == BLANK) | (part - np.uint8(9) <= 4)
        start = np.flatnonzero(gap[:-1] & ~gap[1:])
        stop = np.flatnonzero(~gap[:-1] & gap[1:])
        breaks = np.flatnonzero(part == NEWLINE)
        line = np.searchsorted(breaks, start)
        count = np.bincount(line, minlength=len(breaks))
        first = np.cumsum(count) - count
        keep = count == self.columns
        if not keep.all():
            begin = np.concatenate([[0], breaks[:-1] + 1])
            for i in np.flatnonzero(~keep & (count > 0)):
                text = part[begin[i] : breaks[i]].tobytes()
                keep[i] = aside(self.line + int(i), text)
        rows = np.flatnonzero(keep)
        block.start = [start[first[rows] + i] + self.begin for i in range(self.columns)]
        block.length = [stop[first[rows] + i] + self.begin - block.start[i] for i in range(self.columns)]
        block.line = rows + self.line
        block.lines = len(breaks)
