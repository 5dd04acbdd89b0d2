"""Calls that are under way, told to other processes: locked bytes of a file, free when a process ends."""

from __future__ import annotations

import errno
import os
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evenhand.errors import InputError
from evenhand.store.append_log import BINARY, made

__all__ = ["Claims"]

fcntl: Any
try:
    import fcntl
except ImportError:  # pragma: no cover - Windows
    fcntl = None

_TAKEN = (errno.EACCES, errno.EAGAIN)


@dataclass
class _Open:
    """A file with locked bytes. A lock is the process's, and closing the file once would end all of them."""

    file: int
    held: set[int] = field(default_factory=set)


_LOCK = threading.Lock()
_FILES: dict[str, _Open] = {}  # of this process, by path; open as long as a byte of them is ours


def _forked() -> None:
    """A child has the parent's open files, and none of its locks."""
    global _LOCK  # noqa: PLW0603 - a thread that is not there any more may have held it
    _LOCK = threading.Lock()
    _FILES.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)


class Claims:
    """Keys in use, in the file at *path*: one byte each, at a place that the key names.

    The system lets go of them with the process, however it ends, so that none is left by a kill. Where there
    are no such locks (Windows, some network drives), every claim is granted.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._name = os.path.realpath(path)

    def take(self, key: str) -> bool:
        """Claim *key*; False while another process, or somebody else in this one, has it."""
        if fcntl is None:  # pragma: no cover - Windows
            return True
        place = int(key[:15], 16)
        with _LOCK:
            opened = _FILES.get(self._name) or _Open(self._opened())
            if place in opened.held:
                return False
            _FILES[self._name] = opened
            opened.held.add(place)  # which keeps the file open
        try:
            # not under our lock: nobody should wait for the system, and for the interpreter after it
            fcntl.lockf(opened.file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, place)
        except OSError as error:
            if error.errno in _TAKEN:
                self._forget(place)
                return False
            # a drive without locks: each process then stands by itself
        return True

    def release(self, key: str) -> None:
        """Let go of *key*, which was taken."""
        place = int(key[:15], 16)
        opened = _FILES.get(self._name)
        if opened is None or place not in opened.held:
            return
        with suppress(OSError):  # a drive without locks
            fcntl.lockf(opened.file, fcntl.LOCK_UN, 1, place)
        self._forget(place)

    def _forget(self, place: int) -> None:
        with _LOCK:
            opened = _FILES.get(self._name)
            if opened is not None:
                opened.held.discard(place)
                if not opened.held:
                    os.close(_FILES.pop(self._name).file)

    def _opened(self) -> int:
        try:
            made(self.path.parent.parent)
            self.path.parent.mkdir(parents=True, exist_ok=True)
            return os.open(self.path, os.O_RDWR | os.O_CREAT | BINARY, 0o666)
        except OSError as error:
            raise InputError(
                f"{self.path} cannot be used: {error.strerror or error}",
                mend="make room or mend its permissions; the file may be taken away when nobody asks",
            ) from error
