"""``ledger.jsonl``: read with its chain walked, and added to at its end, one line at a time."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import IO, Any

from evenhand.errors import InputError, SealBroken
from evenhand.formats.regular_files import regular_bytes
from evenhand.model.json_text import loads
from evenhand.model.ledger import FIRST, Entry, Fault, Ledger

__all__ = ["LEDGER", "append", "backwards", "read_ledger", "walk"]

LEDGER = "ledger.jsonl"
FIELDS = {"n", "kind", "at", "study", "before", "content", "hash"}


def read_ledger(path: Path) -> Ledger:
    """The ledger in a file; an empty one where there is no file. Faults are in it, not raised."""
    try:
        return walk(regular_bytes(path), path.name)
    except FileNotFoundError:
        return Ledger(name=path.name)
    except OSError as error:
        raise InputError(
            f"{path} cannot be read: {error.strerror or error}", mend="let it be read"
        ) from error


def backwards(ledger: Ledger) -> Iterator[str]:
    """Of neighbours of which the later one is dated before the earlier, in words: the clock was set back."""
    for earlier, later in pairwise(ledger.entries):
        if _moment(later.at) < _moment(earlier.at):
            yield (
                f"the clock ran backwards: line {later.n} ({later.kind}) is dated {later.at}, after line "
                f"{earlier.n} ({earlier.kind}) of {earlier.at}; the order is that of the lines"
            )


def _moment(at: str) -> float:
    """When that was, in seconds; what is no time is not before another."""
    try:
        when = datetime.fromisoformat(at)
    except ValueError:
        return float("nan")
    return (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp()


def walk(data: bytes, name: str = LEDGER) -> Ledger:
    """Walk the chain: each line must hold its own hash and that of the entry before."""
    entries: list[Entry] = []
    faults: list[Fault] = []
    torn: list[int] = []
    lines = data.split(b"\n")
    tail = lines.pop()
    if tail:
        lines.append(tail)
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        end = number == len(lines)
        entry = _entry(line)
        # half a line at the very end, or one that was added to after a kill; whatever it was to be, the
        # chain goes on without it, or the next line shows that something is gone
        if entry is None and (bool(tail) if end else _half(line)):
            torn.append(number)
            continue
        before = entries[-1].hash if entries else FIRST
        if isinstance(entry, Entry):
            if entry.before != before or entry.n != len(entries) + 1:
                told = f"entry {len(entries)}" if entries else "the beginning"
                faults.append(Fault(line=number, what=f"does not follow {told}: a line is missing or moved"))
            entries.append(entry)
        else:
            what = entry or "is not a line of a ledger"
            faults.append(Fault(line=number, what=what))
    return Ledger(entries=tuple(entries), faults=tuple(faults), torn=tuple(torn), name=name)


def _entry(line: bytes) -> Entry | str | None:
    """The entry of a line, what is wrong with it, or None where it is no JSON object at all."""
    try:
        thing = loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(thing, dict) or set(thing) != FIELDS:
        return "has not the fields of an entry"
    own = thing.pop("hash")
    try:
        entry = Entry(**thing)
        if entry.hash != own or entry.line() != line + b"\n":
            return "was changed: its hash is not that of its content"
    except (InputError, TypeError, ValueError) as error:
        return f"is not an entry: {getattr(error, 'what', error)}"
    return entry


def _half(line: bytes) -> bool:
    """Whether it is the beginning of an entry that was cut off."""
    start = b'{"at":"'
    return line.startswith(start[: len(line)]) and not line.rstrip().endswith(b"}")


def append(
    path: Path, *, kind: str, study: str, at: str, content: Callable[[Ledger], Mapping[str, Any] | None]
) -> tuple[Entry | None, Ledger]:
    """Add one entry and have it on the disk before this returns; the entry, and the ledger as it is then.

    *content* is asked under the lock, with the ledger as it is: it may refuse by raising, or return None
    when nothing is to be added (then the entry is None). Two processes that add at once do so one after
    the other. A ledger with a fault is not added to: `SealBroken`.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        new = not path.exists()
        with path.open("ab+") as file, _locked(file):
            file.seek(0)
            data = file.read()
            ledger = walk(data, path.name)
            whole(ledger)
            given = content(ledger)
            if given is None:
                return None, ledger
            entry = Entry(
                n=len(ledger.entries) + 1,
                kind=kind,
                at=at,
                study=study,
                before=ledger.head,
                content=loads(json.dumps(given, allow_nan=False)),
            )
            # a line that a kill has torn stays where it is; it must not swallow this one
            gap = b"" if not data or data.endswith(b"\n") else b"\n"
            file.write(gap + entry.line())
            file.flush()
            os.fsync(file.fileno())
        if new:
            _sync_folder(path.parent)
    except OSError as error:
        raise InputError(
            f"{path} cannot be written: {error.strerror or error}", mend="give yourself the right to write it"
        ) from error
    return entry, Ledger(entries=(*ledger.entries, entry), torn=ledger.torn, name=ledger.name)


def whole(ledger: Ledger) -> None:
    """Raise `SealBroken` where the chain of a ledger is broken, naming the first line."""
    if ledger.faults:
        first = ledger.faults[0]
        raise SealBroken(
            f"{ledger.name}:{first.line}: {first.what}",
            mend="take the ledger as it was from git; a ledger is only ever added to",
        )


@contextmanager
def _locked(file: IO[bytes]) -> Iterator[None]:
    """Hold the file alone; given back when it is closed, however that comes."""
    try:
        import fcntl
    except ImportError:  # Windows
        import msvcrt

        windows: Any = msvcrt
        file.seek(0)
        windows.locking(file.fileno(), windows.LK_LOCK, 1)
        try:
            yield
        finally:
            file.seek(0)
            with suppress(OSError):
                windows.locking(file.fileno(), windows.LK_UNLCK, 1)
        return
    fcntl.flock(file.fileno(), fcntl.LOCK_EX)
    try:
        yield
    finally:
        fcntl.flock(file.fileno(), fcntl.LOCK_UN)


def _sync_folder(folder: Path) -> None:
    """Have the name of a new file on the disk too; not every system can."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
