"""How much a packed file may unpack to: a small file must not fill the memory."""

from __future__ import annotations

import io
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from evenhand.errors import InputError

if TYPE_CHECKING:
    from typing import BinaryIO

__all__ = ["VARIABLE", "Bounded", "allowed", "too_large"]

VARIABLE = "EVENHAND_MAX_UNPACKED"
FLOOR, RATIO = 256 << 20, 100  # texts and runs pack to a tenth, seldom to a thirtieth
BLOCK = 1 << 20
_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}


def allowed(packed: int, *, floor: int = FLOOR, ratio: int = RATIO) -> int:
    """The bytes that *packed* bytes may unpack to: what the environment says, else by their number."""
    own = os.environ.get(VARIABLE, "").strip()
    if not own:
        return max(floor, ratio * packed)
    found = re.fullmatch(r"([0-9]+)\s*([kmgt]?)(?:i?b)?", own.lower())
    if found is None:
        raise InputError(f"{VARIABLE} is {own!r}", mend=f"write bytes, or for example {VARIABLE}=8G")
    return int(found[1]) * _UNITS[found[2]]


def too_large(where: str | Path, limit: int) -> InputError:
    """The error for a file that unpacks to more than *limit* bytes."""
    size = f"{limit / (1 << 20):,.0f} MiB" if limit >= 1 << 20 else f"{limit:,} bytes"
    return InputError(
        f"{where} unpacks to more than {size}, which is far more than such a file should hold",
        mend=f"look at what it is; if it is meant, allow more: {VARIABLE}=8G",
    )


class Bounded(io.RawIOBase):
    """An unpacking stream that ends in an error beyond *limit* bytes."""

    def __init__(self, stream: BinaryIO, where: str | Path, limit: int) -> None:
        self.stream, self.where, self.limit = stream, where, limit
        self.count = 0

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, place: memoryview) -> int:  # type: ignore[override]
        """Fill *place* from the stream."""
        data = self.stream.read(len(place))
        self.count += len(data)
        if self.count > self.limit:
            raise too_large(self.where, self.limit)
        place[: len(data)] = data
        return len(data)

    def readall(self) -> bytes:
        """All that is left, block by block."""
        made = bytearray()
        place = memoryview(bytearray(BLOCK))
        while got := self.readinto(place):
            made += place[:got]
        return bytes(made)
