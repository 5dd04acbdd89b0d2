"""Answers written down as they come: a run that is killed has lost none of them."""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

from evenhand.errors import InputError
from evenhand.model.json_text import loads
from evenhand.model.seal import canonical

__all__ = ["Journal"]


class Journal:
    """A file of JSON lines by key, to which one line at a time is added; the first of a key holds.

    Each line stands with its own checksum and is handed to the system at once: after a kill, all that was
    put is there, and a line that was torn is passed over. Processes may share a file.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._held: dict[str, Any] = {}
        whole = True
        try:
            with path.open("rb") as file:
                for line in file:
                    whole = line.endswith(b"\n")
                    if (entry := _read(line)) is not None:
                        self._held.setdefault(*entry)
        except FileNotFoundError:
            pass
        except OSError as error:
            raise _refused(path, error) from error
        self._gap = b"" if whole else b"\n"  # what was torn must not swallow the next line

    def __len__(self) -> int:
        return len(self._held)

    def get(self, key: str) -> Any | None:
        """What was put under *key*; None when nothing was."""
        return self._held.get(key)

    def put(self, key: str, content: Any) -> None:
        """Write plain JSON down under *key*."""
        body = canonical([key, content])
        line = self._gap + _mark(body) + b" " + body + b"\n"
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            # one write to the end of the file: lines of two processes do not mix
            handle = os.open(
                self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o666
            )
            try:
                if os.write(handle, line) < len(line):
                    raise OSError("no room is left")
            finally:
                os.close(handle)
        except OSError as error:
            raise _refused(self.path, error) from error
        self._gap = b""
        self._held.setdefault(key, content)

    def remove(self) -> None:
        """Take the file away; what it held is no longer needed."""
        self._held.clear()
        with suppress(OSError):
            self.path.unlink()


def _mark(body: bytes) -> bytes:
    return hashlib.sha256(body).hexdigest()[:16].encode()


def _read(line: bytes) -> tuple[str, Any] | None:
    mark, _, body = line.rstrip(b"\n").partition(b" ")
    if mark != _mark(body):
        return None
    key, content = loads(body)
    return key, content


def _refused(path: Path, error: OSError) -> InputError:
    return InputError(
        f"the cache {path.parent.parent} cannot be used: {error.strerror or error}",
        mend="make room or mend its permissions; a cache may be deleted at any time",
    )
