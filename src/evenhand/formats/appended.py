"""Lines added to a file of JSON lines as they arrive; what was torn off before is cut away."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from evenhand.formats.gold_json import strict

__all__ = ["append_lines"]


def append_lines(path: str | os.PathLike[str], data: bytes) -> None:
    """Add *data* (whole lines) at the end and flush it to the disk; a torn last line of before goes first."""
    if not data:
        return
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("a+b") as file:
        end = file.seek(0, os.SEEK_END)
        whole = _whole(file, end)
        if whole < end:
            file.truncate(whole)
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


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
