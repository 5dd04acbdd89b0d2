"""Lines added to a file of JSON lines as they arrive; what was torn off before is cut away."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

from evenhand.formats.gold.jsonl import strict

__all__ = ["alone", "append_lines"]


def append_lines(path: str | os.PathLike[str], data: bytes) -> None:
    """Add *data* (whole lines) at the end and flush it to the disk; a torn last line of before goes first."""
    if not data:
        return
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    with _opened(target) as file:
        end = file.seek(0, os.SEEK_END)
        whole = _whole(file, end)
        if whole < end:
            file.truncate(whole)
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


@contextmanager
def alone(path: Path) -> Iterator[None]:
    """While a file is read and written anew: who adds lines waits, and adds them to the new one."""
    try:
        import fcntl  # noqa: F401 - asked whether it is there
    except ImportError:  # pragma: no cover - Windows, where an open file cannot be replaced
        yield
        return
    with _opened(path):
        yield


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    """The file, open to be added to, and locked against other processes that add or write it anew."""
    while True:
        with path.open("a+b") as file:
            _lock(file.fileno())
            # it may have been written anew while we waited: then this one no longer has the name
            same = False
            with suppress(FileNotFoundError):
                same = os.path.samestat(os.fstat(file.fileno()), path.stat())
            if same:
                yield file
                return


def _lock(file: int) -> None:
    """Wait until nobody else has the file locked; the system lets go of it when it is closed."""
    try:
        import fcntl
    except ImportError:  # pragma: no cover - Windows
        return
    with suppress(OSError):  # a drive without locks
        fcntl.flock(file, fcntl.LOCK_EX)


def _whole(file: Any, end: int) -> int:
    """Where the last whole line ends; a last line that can be read only lacks its line feed."""
    if not end:
        return 0
    file.seek(end - 1)
    if file.read(1) == b"\n":
        return end
    at, tail = end, b""
    while at and b"\n" not in tail:
        step = min(at, 65536)
        at -= step
        file.seek(at)
        tail = file.read(step) + tail
    begin = at + tail.rfind(b"\n") + 1
    last = tail[tail.rfind(b"\n") + 1 :]
    try:
        strict(last.decode())
    except (ValueError, UnicodeDecodeError):
        return begin
    file.seek(0, os.SEEK_END)
    file.write(b"\n")
    return end + 1
