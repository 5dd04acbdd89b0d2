"""Vectors in a file, mapped and never loaded: a block at a time, read-only, known by what the file holds."""

from __future__ import annotations

import hashlib
import math
import mmap
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from evenhand.errors import InputError, nearest
from evenhand.model.json_text import loads

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

__all__ = ["FORMS", "Mapped", "opened"]

FORMS = (".npy", ".safetensors")
KINDS = {"F16": "<f2", "F32": "<f4", "F64": "<f8", "I8": "|i1"}  # as safetensors calls them
HEADER = 100_000_000  # bytes of a safetensors header at most, as its own reader has it
MEND = "save them with numpy: np.save('units.npy', array), one row a text, float32 or float16"


@dataclass(frozen=True, eq=False)
class Mapped:
    """A matrix in a file: rows are vectors, of float16, float32, float64 or int8.

    The file is mapped read-only. What was read is given back to the system after each block, so that the
    process holds a few blocks whatever the size of the file. ``sha256`` is that of the bytes of the file,
    read once, in order. Before each block is read the file must have the size, time and number it had when it
    was opened: reading a file that was cut off meanwhile would end the process.
    """

    path: Path
    kind: np.dtype[Any]
    shape: tuple[int, int]
    begin: int  # bytes before the first row

    def __len__(self) -> int:
        return self.shape[0]

    @cached_property
    def _stamp(self) -> tuple[int, ...]:
        return self._now()

    def _now(self) -> tuple[int, ...]:
        told = self.path.stat()
        return told.st_size, told.st_mtime_ns, told.st_ino

    @cached_property
    def _map(self) -> mmap.mmap:
        _ = self._stamp
        with self.path.open("rb") as file:
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)

    @cached_property
    def array(self) -> NDArray[Any]:
        """All rows as a read-only view: nothing is read before it is looked at."""
        count = self.shape[0] * self.shape[1]
        if not count:
            return np.zeros(self.shape, dtype=self.kind)
        return np.frombuffer(self._map, dtype=self.kind, count=count, offset=self.begin).reshape(self.shape)

    @cached_property
    def sha256(self) -> str:
        """SHA-256 of the file's bytes, as 64 hex digits."""
        _ = self._stamp
        with self.path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()

    def unchanged(self) -> None:
        """Raise InputError where another file lies there than was opened: by size, time and number."""
        try:
            same = self._now() == self._stamp
        except OSError:
            same = False
        if not same:
            raise InputError(
                f"{self.path.name} was changed while it was read", mend="let it be, and run the study again"
            )

    def block(self, first: int, size: int) -> NDArray[np.float64]:
        """Rows ``first:first + size`` in float64, copied."""
        array = self.array
        self.unchanged()
        rows = array[first : first + size].astype(np.float64)
        self._let_go()
        return rows

    def take(self, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """Single rows in float64, copied; quickest in ascending order."""
        array = self.array
        self.unchanged()
        self._advise("MADV_RANDOM")  # a row here and there: what lies around it is not wanted
        found = array[rows].astype(np.float64)
        self._let_go()
        self._advise("MADV_NORMAL")
        return found

    def _let_go(self) -> None:
        self._advise("MADV_DONTNEED")

    def _advise(self, what: str) -> None:
        option = getattr(mmap, what, None)  # not on every system; the result does not depend on it
        if option is not None and self.shape[0] * self.shape[1]:
            self._map.madvise(option)


def opened(path: str | Path, *, tensor: str = "", where: str = "") -> Mapped:
    """The matrix in a ``.npy`` file, or one tensor of a ``.safetensors`` file.

    *tensor* names it where the file holds several; *where* is what messages call the setting. Raises
    InputError for a file that cannot be read, is shorter than its header says, or holds no such matrix.
    """
    file = Path(path)
    says = f"{where}: " if where else ""
    readers: dict[str, Callable[[BinaryIO, str, str], tuple[str, tuple[int, ...], int]]] = {
        ".npy": _npy,
        ".safetensors": _safetensors,
    }
    reader = readers.get(file.suffix)
    if reader is None:
        raise InputError(f"{says}{file.name} is no {' or '.join(FORMS)} file", mend=MEND)
    try:
        with file.open("rb") as held:
            kind, shape, begin = reader(held, tensor, f"{says}{file.name}")
            size = held.seek(0, 2)
    except OSError as error:
        raise InputError(
            f"{says}{file.name} cannot be read ({error.strerror})",
            mend="give the path of a .npy or .safetensors file, relative to the study file",
        ) from error
    if len(shape) != 2 or not shape[1] or kind.lstrip("<>|=") not in ("f2", "f4", "f8", "i1"):
        raise InputError(
            f"{says}{file.name} holds {kind.lstrip('<>|=')} of shape {shape}, expected a matrix of numbers",
            mend=MEND,
        )
    made = Mapped(file, np.dtype(kind), (shape[0], shape[1]), begin)
    lacking = begin + math.prod(shape) * made.kind.itemsize - size
    if lacking > 0:
        raise InputError(
            f"{says}{file.name} should hold {shape[0]:,} rows of {shape[1]}, and lacks {lacking:,} bytes",
            mend="it was not written to its end: make it again",
        )
    return made


def _npy(file: BinaryIO, tensor: str, says: str) -> tuple[str, tuple[int, ...], int]:
    if tensor:
        raise InputError(f"{says} holds one matrix without a name", mend="leave the name of the tensor out")
    try:
        version = np.lib.format.read_magic(file)
        read = (
            np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        )
        shape, by_column, kind = read(file)
    except ValueError as error:
        raise InputError(f"{says} is no .npy file ({error})", mend=MEND) from error
    if by_column and len(shape) == 2 and min(shape) > 1:
        raise InputError(
            f"{says} is stored column after column", mend="save it row after row: np.ascontiguousarray(array)"
        )
    return kind.str, shape, file.tell()


def _safetensors(file: BinaryIO, tensor: str, says: str) -> tuple[str, tuple[int, ...], int]:
    # eight bytes for the length of a JSON header, the header, then the numbers: read here rather than by the
    # package, which gives slices of a tensor but not single rows without a copy of all
    length = int.from_bytes(file.read(8), "little")
    try:
        header = loads(file.read(min(length, HEADER)).decode("utf-8"))
        names = [name for name in header if name != "__metadata__"]
        if not tensor and len(names) != 1:
            raise InputError(
                f"{says} holds {len(names)} tensors", mend=f"name one of them: {', '.join(sorted(names)[:8])}"
            )
        if tensor and tensor not in names:
            raise InputError(f"{says} has no tensor {tensor!r}", mend=nearest(tensor, names))
        about = header[tensor or names[0]]
        shape = tuple(int(n) for n in about["shape"])
        return KINDS.get(about["dtype"], about["dtype"]), shape, 8 + length + int(about["data_offsets"][0])
    except (ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
        raise InputError(f"{says} is no .safetensors file", mend=MEND) from error
