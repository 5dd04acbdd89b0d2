"""Files that somebody else may have put there: read whole, if they are regular files of a bounded size."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

__all__ = ["TABLE", "regular_bytes"]

REPORT = 200_000_000  # bytes: a report of ten systems on a hundred thousand questions is smaller
TABLE = 2_000_000_000


def regular_bytes(path: Path, *, most: int = REPORT) -> bytes:
    """The content of *path*, as `Path.read_bytes`, at most so many bytes.

    Raises OSError for a pipe, a device, a folder, and for what is larger, with the reason in words.
    Opening never waits: nobody may ever write into a pipe that lies there.
    """
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    handle = os.open(path, flags)
    try:
        there = os.fstat(handle)
        if stat.S_ISDIR(there.st_mode):
            raise IsADirectoryError(errno.EISDIR, "it is a folder", str(path))
        if not stat.S_ISREG(there.st_mode):
            raise OSError(errno.EINVAL, "it is no regular file", str(path))
        content = b""
        if there.st_size <= most:
            with os.fdopen(handle, "rb", closefd=False) as file:
                content = file.read(most + 1)  # what is said of the size need not be true
        if max(there.st_size, len(content)) > most:
            raise OSError(errno.EFBIG, f"it has more than {most / 1e6:,.0f} MB", str(path))
    finally:
        os.close(handle)
    return content
