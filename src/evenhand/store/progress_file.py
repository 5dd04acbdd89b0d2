"""How far a command is: a small file beside the cache, so that somebody else can watch.

It lies in ``.evenhand/``, outside results and manifest, and is moved into place whole. The one who writes
holds a lock as long as the command lives; the system takes it away from a process that was killed, so that
a reader knows *stopped* from *running* without trusting a clock or a process number.
"""

from __future__ import annotations

import json
import logging
import os
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self
from uuid import uuid4

from evenhand.errors import EvenhandError
from evenhand.formats.regular_files import regular_bytes
from evenhand.model.json_text import loads
from evenhand.model.pace import Remaining
from evenhand.store.append_log import BINARY, made
from evenhand.store.blobs import safe_name
from evenhand.store.clock import now

__all__ = ["STATES", "Live", "Watched", "watched_in"]

SCHEMA = "evenhand.live/1"
STATES = ("running", "done", "failed", "stopped", "silent")
PREFIX = "live-"
EVERY = 0.5  # seconds between two writings of one stage
STAGES = 40  # kept, the last of them
MOST = 1_000_000  # bytes of what one command leaves
WORDS = 500  # characters of a note or an error
SILENT = 60.0  # seconds without a word, where the system has no locks to ask
TRIES, PAUSE = 20, 0.01  # for a reader who looks at the lock just then
log = logging.getLogger("evenhand")


class Live:
    """Progress (`evenhand.protocols.Progress`) that others can read while it happens.

    Use it as a context manager around the work. *out*: the results folder, as seen from the folder above
    *root*; *command*: what to call again when it was stopped. A second process with the same *study* and
    *what* writes nothing as long as the first lives. When the file cannot be written, that is said in the
    log, once, and the work goes on.
    """

    def __init__(self, root: Path, *, study: str, what: str, split: str, out: str, command: str) -> None:
        self.root = root
        self.path = root / f"{PREFIX}{safe_name(f'{study} {what}')}.json"
        self._told: dict[str, Any] = {
            "schema": SCHEMA, "study": study, "what": what, "split": split, "out": out, "command": command,
            "state": "running", "begun": "", "at": "", "stages": [], "error": "",
        }  # fmt: skip
        self._stages: dict[str, dict[str, Any]] = {}
        self._left: dict[str, Remaining] = {}
        self._written = 0.0
        self._lock = threading.Lock()
        self._held: int | None = None
        self._quiet = False

    def __enter__(self) -> Self:
        self._told["begun"] = now()
        try:
            made(self.root)
            self._held = _hold(self.path.with_suffix(".lock"))
        except OSError as error:
            self._give_up(error)
        self._write()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: object) -> None:
        with self._lock:
            if error is None or isinstance(error, SystemExit):
                self._told["state"] = "done"
            elif isinstance(error, KeyboardInterrupt):
                self._told["state"] = "stopped"
            else:
                self._told["state"] = "failed"
                # what others raise could hold anything: its kind says enough
                said = error.what if isinstance(error, EvenhandError) else type(error).__name__
                self._told["error"] = said[:WORDS]
            if self._told["state"] != "done":
                for row in self._stages.values():
                    row["left"] = None  # nothing goes on
            self._write()
        if self._held is not None:
            os.close(self._held)
            self._held = None

    def __call__(self, stage: str, done: int, total: int, note: str = "") -> None:
        """*done* of *total* steps of *stage* are finished."""
        with self._lock:
            at = time.monotonic()
            new = stage not in self._stages
            pace = self._left.setdefault(stage, Remaining())
            left = pace.tell(at, done, total)
            ended = done >= total
            row = self._stages.pop(stage, {})
            self._stages[stage] = {
                "stage": stage, "done": done, "total": total, "note": note[:WORDS],
                "seconds": round(at - pace.begun, 1), "left": None if left is None else round(left, 1),
            }  # fmt: skip
            if new or (ended and row.get("done") != done) or at - self._written >= EVERY:
                self._write()

    def _write(self) -> None:
        if self._held is None or self._quiet:
            return
        self._written = time.monotonic()
        told = {**self._told, "at": now(), "stages": list(self._stages.values())[-STAGES:]}
        temporary = self.path.with_name(f".{uuid4().hex}.tmp")
        try:
            temporary.write_text(json.dumps(told), encoding="utf-8")
            temporary.replace(self.path)
        except OSError as error:
            self._give_up(error)
            with suppress(OSError):
                temporary.unlink()

    def _give_up(self, error: OSError) -> None:
        self._quiet = True
        log.warning("nobody can watch this run: %s cannot be written (%s)", self.root.name, error.strerror)


@dataclass(frozen=True, slots=True, kw_only=True)
class Watched:
    """A command as it was last heard of; the last of ``stages`` is the one at work.

    ``state`` is one of `STATES`: *stopped* where it was killed or interrupted, *silent* where nobody can
    tell (no locks on this system, and no word for a minute). ``ago``: seconds since the last word.
    """

    home: Path
    study: str
    what: str
    split: str
    out: str
    command: str
    state: str
    begun: str
    at: str
    ago: float
    error: str
    stages: tuple[dict[str, Any], ...]


def watched_in(root: Path) -> Iterator[Watched]:
    """The commands that a cache folder tells of, by the names of their files; what is torn is passed over."""
    for path in sorted(root.glob(f"{PREFIX}*.json")):
        try:
            told = loads(regular_bytes(path, most=MOST))
            seen = _seen(path, told)
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            continue
        yield seen


def _seen(path: Path, told: dict[str, Any]) -> Watched:
    if told["schema"] != SCHEMA or told["state"] not in STATES:
        raise ValueError(told["schema"])
    ago = max(0.0, (datetime.now(UTC) - datetime.fromisoformat(told["at"])).total_seconds())
    state = told["state"]
    if state == "running":
        lives = _lives(path.with_suffix(".lock"))
        state = "stopped" if lives is False else "silent" if lives is None and ago > SILENT else state
    stages = tuple(
        {
            "stage": str(one["stage"]), "done": int(one["done"]), "total": int(one["total"]),
            "note": str(one["note"]), "seconds": float(one["seconds"]),
            "left": None if one["left"] is None else float(one["left"]),
        }
        for one in told["stages"]
    )  # fmt: skip
    words = {
        key: str(told[key]) for key in ("study", "what", "split", "out", "command", "begun", "at", "error")
    }
    return Watched(home=path.parent.parent, state=state, ago=ago, stages=stages, **words)


def _hold(path: Path) -> int | None:
    """The lock, open and held; None where another process holds it."""
    file = os.open(path, os.O_RDWR | os.O_CREAT | BINARY, 0o666)
    try:
        import fcntl
    except ImportError:  # pragma: no cover - Windows: nobody asks for the lock there
        return file
    for _ in range(TRIES):
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(PAUSE)
        else:
            return file
    os.close(file)
    return None


def _lives(path: Path) -> bool | None:
    """Does somebody hold the lock? None where that cannot be asked."""
    try:
        import fcntl
    except ImportError:  # pragma: no cover - Windows
        return None
    try:
        file = os.open(path, os.O_RDONLY | BINARY | getattr(os, "O_NONBLOCK", 0))
    except OSError:
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return None
    finally:
        os.close(file)
    return False
