"""A file of checksummed lines that is only ever added to: by threads and processes, through kills."""

from __future__ import annotations

import hashlib
import os
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from evenhand.errors import InputError

__all__ = ["Appended", "checked", "made", "marked"]

BLOCK = 1 << 20  # bytes read at a time
PIECE = 1 << 14  # at a time for one line
BINARY = getattr(os, "O_BINARY", 0)


def marked(body: bytes) -> bytes:
    """*body* (without a newline) as a line: its checksum, a blank, itself, the end."""
    return _mark(body) + b" " + body + b"\n"


def checked(line: bytes) -> bytes | None:
    """The body of a line; None when it is torn, changed or blank."""
    mark, _, body = line.rstrip(b"\n").partition(b" ")
    return body if mark and mark == _mark(body) else None


def _mark(body: bytes) -> bytes:
    return hashlib.sha256(body).hexdigest()[:16].encode()


def made(root: Path) -> None:
    """Make the folder of a cache, with a word to git that nobody wants it there."""
    if not root.exists():
        root.mkdir(parents=True, exist_ok=True)
        (root / ".gitignore").write_text("*\n", encoding="utf-8")


class Appended:
    """The file at *path*; it is made with the first line.

    `add` returns when the system has the line, so that a process that is killed has lost none it added; one
    write serves all threads that came while the one before was under way. `sync` returns when all that was
    added before is on the disk, and one flush serves all who wait. As long as it is open, the file holds a
    shared lock, so that nobody rewrites it meanwhile.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file: int | None = None
        self._end: Any = None  # closes the file, at the latest when nobody holds this any more
        self._opening = threading.Lock()
        self._handing = threading.Lock()  # never held over a call of the system
        self.writing = threading.Lock()  # while it is held no thread of ours writes
        self._flushing = threading.Lock()
        self._waiting: list[tuple[bytes, Callable[[int, int], None]]] = []
        self._added = self._written = self._flushed = 0  # lines
        self._tail = self.ahead = 0  # where our last write ended; where the file ends if nobody else writes
        self._failed = False  # lines wait that could not be written
        self.flushes = 0
        if path.exists():
            self._open()

    def _open(self) -> int:
        if self._file is not None:
            return self._file
        with self._opening:  # a second one would stay open, and locked, after `close`
            if self._file is None:
                self._file, self._end = self._opened()
            return self._file

    def _opened(self) -> tuple[int, Any]:
        """The file, and what closes it."""
        try:
            made(self.path.parent.parent)
            self.path.parent.mkdir(parents=True, exist_ok=True)
            while True:
                # read and write: what was added is read back by its place
                file = os.open(self.path, os.O_RDWR | os.O_APPEND | os.O_CREAT | BINARY, 0o666)
                _lock(file, exclusive=False)
                # it may have been rewritten while we waited: then ours is no longer the one by this name
                with suppress(FileNotFoundError):
                    if os.path.sameopenfile(file, again := os.open(self.path, os.O_RDONLY | BINARY)):
                        os.close(again)
                        break
                    os.close(again)
                os.close(file)
        except OSError as error:
            raise self._refused(error) from error
        return file, weakref.finalize(self, os.close, file)

    def add(self, line: bytes, told: Callable[[int, int], None]) -> None:
        """Add a whole line; *told* hears where it begins and ends before this returns, in the file's order.

        Raises InputError when it cannot be written: it is tried again with the next line, or by `sync`.
        """
        with self._handing:
            self._waiting.append((line, told))
            self._added += 1
            mine = self._added
        with self.writing:
            if self._written < mine:  # or whoever wrote before has taken it along
                self._write()

    def _write(self) -> None:
        """Write what waits, in one piece; `writing` is held."""
        with self._handing:
            group = self._waiting[:]
        if not group:
            return
        try:
            file = self._open()
            # a blank line first: whatever another process left torn must not swallow the next one
            data = b"\n" + b"".join(line for line, _ in group)
            if self._tail:
                self.ahead = self._tail + len(data)
            if os.write(file, data) < len(data):
                raise OSError("no room is left")  # noqa: TRY301 - said below, as all of them
            end = os.lseek(file, 0, os.SEEK_CUR)
        except OSError as error:
            self._failed = True
            raise self._refused(error) from error
        self._tail = end
        with self._handing:
            del self._waiting[: len(group)]
            self._written += len(group)
        self._failed = False
        start = end - len(data) + 1
        for line, told in group:
            told(start, start + len(line))
            start += len(line)

    def sync(self) -> None:
        """Return when every line that was added before is durable."""
        if self._failed:
            with self.writing:
                self._write()
        wanted = self._written
        if self._flushed >= wanted:
            return
        with self._flushing:
            # whoever waited here finds its own lines flushed by the one before
            if self._flushed >= wanted or self._file is None:
                return
            covers = self._written
            try:
                os.fsync(self._file)
            except OSError as error:
                raise self._refused(error) from error
            self._flushed = covers
            self.flushes += 1

    @property
    def size(self) -> int:
        """Bytes in the file now, whoever wrote them."""
        if self._file is None and not self.path.exists():
            return 0
        return os.fstat(self._open()).st_size

    def at(self, place: int) -> bytes:
        """The line that begins at *place*."""
        if not hasattr(os, "pread"):  # pragma: no cover - Windows
            with self.path.open("rb") as file:
                file.seek(place)
                return file.readline()
        held, here = b"", self._open()
        while (end := held.find(b"\n")) < 0:
            more = os.pread(here, PIECE, place + len(held))
            if not more:
                return held
            held += more
        return held[: end + 1]

    def lines(self, start: int = 0) -> Iterator[tuple[int, bytes]]:
        """Place and bytes of each line from *start* on; the last one may not be finished."""
        if self._file is None and not self.path.exists():
            return
        with self.path.open("rb", buffering=BLOCK) as file:
            file.seek(start)
            place = start
            for line in file:
                yield place, line
                place += len(line)

    def rewrite(self, lines: Iterator[bytes]) -> None:
        """Put *lines* in the place of all there is; refused while another has the file open."""
        file = self._open()
        temporary = self.path.with_suffix(".tmp")
        try:
            if not _lock(file, exclusive=True):
                raise InputError(
                    f"{self.path} is in use by another run", mend="wait until it has ended, then do it again"
                )
            with temporary.open("wb") as new:
                for line in lines:
                    new.write(line)
                new.flush()
                os.fsync(new.fileno())
            if os.name == "nt":  # pragma: no cover - an open file cannot be replaced there
                self.close()
            temporary.replace(self.path)
        except OSError as error:
            raise self._refused(error) from error
        finally:
            temporary.unlink(missing_ok=True)
            self.close()

    def close(self) -> None:
        """Let go of the file; the next line opens it again."""
        if self._file is not None and self._end is not None:
            self._end()
            self._file = self._end = None

    def _refused(self, error: OSError) -> InputError:
        return InputError(
            f"{self.path} cannot be used: {error.strerror or error}",
            mend="make room or mend its permissions; what stands in it is kept",
        )


def _lock(file: int, *, exclusive: bool) -> bool:
    """Lock an open file against rewriting; whether it was granted. Where there are no such locks, it is."""
    try:
        import fcntl
    except ImportError:  # pragma: no cover - Windows refuses to replace a file that is open
        return True
    how: Any = (fcntl.LOCK_EX | fcntl.LOCK_NB) if exclusive else fcntl.LOCK_SH
    try:
        fcntl.flock(file, how)
    except BlockingIOError:
        return False
    return True
