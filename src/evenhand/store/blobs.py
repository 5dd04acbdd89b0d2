"""Content-addressed blobs: columns in files, sealed over the columns and not over the bytes."""

from __future__ import annotations

import hashlib
import logging
import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import numpy as np

from evenhand.errors import InputError
from evenhand.model.json_text import loads
from evenhand.model.seal import canonical, seal, seal_arrays
from evenhand.store.append_log import made
from evenhand.store.retrieval_journal import Journal

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Blobs", "safe_name"]

PLAIN = re.compile(r"[a-z0-9_-][a-z0-9._-]{0,59}")
RESERVED = {"con", "prn", "aux", "nul", *(f"{d}{i}" for d in ("com", "lpt") for i in range(10))}
log = logging.getLogger("evenhand")


def safe_name(name: str) -> str:
    """A file name for *name*, valid on Windows, macOS and Linux; two names never share one.

    A name of small letters, digits and ``._-`` stays as it is; any other keeps what can be read of it,
    followed by ``~`` and 16 digits of its SHA-256. Keep the name itself beside the file.
    """
    plain = PLAIN.fullmatch(name) and not name.endswith(".")
    if plain and name.split(".", maxsplit=1)[0] not in RESERVED:
        return name
    # file systems may fold case and rewrite Unicode, so only small ASCII letters are kept
    digits = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    readable = re.sub(r"[^a-z0-9_-]+", "-", name.lower()).strip("-")[:40]
    return f"{readable or 'x'}~{digits}"


class Blobs:
    """A folder of columns by kind and key; what is read is what was written, or it is not read at all.

    Files are written to a temporary name and moved, so two processes may share a folder. A damaged
    blob counts as absent: it is said in ``damaged`` and in the log, and made again by whoever asked.
    ``reads``, ``misses`` and ``writes`` count what happened (for costs, never for a report).
    """

    def __init__(self, root: str | Path) -> None:
        self.root = Path(root)
        if self.root.exists() and not self.root.is_dir():
            raise InputError(
                f"the cache {self.root} is not a folder", mend="name a folder, or one to be made"
            )
        self.damaged: list[str] = []
        self.reads = self.misses = self.writes = 0
        self._passing: list[Journal] = []

    def path(self, kind: str, key: str) -> Path:
        """Where the blob lies or would lie."""
        return self.root / safe_name(kind) / f"{safe_name(key)}.npz"

    def get(self, kind: str, key: str) -> dict[str, NDArray[Any]] | None:
        """The columns, or None when there is no such blob or it is damaged."""
        path = self.path(kind, key)
        try:
            # opened here: numpy leaves the file open when the archive in it is damaged
            with path.open("rb") as file, np.load(file, allow_pickle=False) as held:
                arrays = {name: held[name] for name in held.files}
            head = loads(arrays.pop("head.json").tobytes().decode())
            whole = head["seal"] == _seal(kind, key, arrays)
        except FileNotFoundError:
            self.misses += 1
            return None
        except (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile):
            whole = False
        if not whole:
            self.damaged.append(f"{kind} {key[:12]}")
            log.warning("cached %s %s is damaged: it is made again", kind, key[:12])
            self.misses += 1
            return None
        self.reads += 1
        return arrays

    def keys(self, kind: str) -> Iterator[tuple[Path, str]]:
        """Each blob of a kind with its key, in the order of files; an empty key where it cannot be read."""
        for path in sorted((self.root / safe_name(kind)).glob("*.npz")):
            try:
                with path.open("rb") as file, np.load(file, allow_pickle=False) as held:
                    yield path, str(loads(held["head.json"].tobytes().decode())["key"])
            except (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile):
                yield path, ""

    def meta(self, kind: str, key: str) -> dict[str, Any] | None:
        """What was written beside the columns, the names among it; None when there is no such blob."""
        try:
            with self.path(kind, key).open("rb") as file, np.load(file, allow_pickle=False) as held:
                head: dict[str, Any] = loads(held["head.json"].tobytes().decode())
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
            return None
        return head

    def put(
        self, kind: str, key: str, arrays: Mapping[str, NDArray[Any]], meta: Mapping[str, Any] | None = None
    ) -> None:
        """Write columns under a key; equal columns give equal files."""
        path = self.path(kind, key)
        for name, array in arrays.items():
            if array.dtype.hasobject:
                raise InputError(f"column {name!r} of {kind} holds objects", mend="store numbers or text")
        head = {"kind": kind, "key": key, "seal": _seal(kind, key, arrays), "meta": dict(meta or {})}
        named: dict[str, Any] = {name: arrays[name] for name in sorted(arrays)}
        named["head.json"] = np.frombuffer(canonical(head), dtype=np.uint8)
        # not tempfile: its files are for their owner alone, and a cache may be shared by a group
        temporary = path.with_name(f".{uuid4().hex}.tmp")
        try:
            made(self.root)
            path.parent.mkdir(exist_ok=True)
            with temporary.open("xb") as file:
                np.savez(file, allow_pickle=False, **named)
            _move(temporary, path)
        except OSError as error:
            with suppress(OSError):
                temporary.unlink()
            raise InputError(
                f"the cache {self.root} cannot be written: {error.strerror or error}",
                mend="make room or mend its permissions; a cache may be deleted at any time",
            ) from error
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
        self.writes += 1

    def drop(self, kind: str, keys: Iterable[str]) -> None:
        """Take blobs away that something else now holds, and the folder with the last of them."""
        gone = False
        for key in keys:
            self.path(kind, key).unlink(missing_ok=True)
            gone = True
        if gone:
            with suppress(OSError):  # others are in it
                (self.root / safe_name(kind)).rmdir()

    def journal(self, kind: str, key: str, *, keep: bool = False) -> Journal:
        """Answers that are written down one by one; without *keep* they go when this run is finished."""
        made = Journal(self.root / safe_name(kind) / f"{safe_name(key)}.jsonl")
        if not keep:
            self._passing.append(made)
        return made

    def finish(self) -> None:
        """What was run is complete: a later run asks anew whatever is not to be kept."""
        for journal in self._passing:
            journal.remove()
        self._passing.clear()


def _move(temporary: Path, path: Path) -> None:
    try:
        temporary.replace(path)
    except PermissionError:
        # Windows will not replace a file another process reads; what lies there has the same content
        if not path.exists():
            raise
        temporary.unlink(missing_ok=True)


def _seal(kind: str, key: str, arrays: Mapping[str, NDArray[Any]]) -> str:
    names = sorted(arrays)
    return seal([kind, key, names, seal_arrays(*(arrays[name] for name in names))])
