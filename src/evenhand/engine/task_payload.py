"""A piece of work on its way to another process: what it holds, and what the process does with it."""

from __future__ import annotations

import pickle
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any

from evenhand.errors import InputError

__all__ = ["Shared", "TaskPayload", "about", "bundled", "carried", "differs", "packed"]

SMALL = 1 << 16  # bytes: shared things up to this size travel with each parcel
SMALL_ONES, LARGE_ONES = 8, 1  # unpacked shared things that a worker keeps


@dataclass(frozen=True, slots=True, repr=False)
class Shared:
    """What all items of a map share, pickled once; ``mark`` is the SHA-256 of its bytes."""

    mark: str
    body: bytes

    def __repr__(self) -> str:
        return f"<evenhand shared, {len(self.body):,} bytes>"  # clusters print arguments into their logs

    @property
    def small(self) -> bool:
        """Whether it is sent with every parcel."""
        return len(self.body) <= SMALL


@dataclass(frozen=True, slots=True, repr=False)
class TaskPayload:
    """One item and the work to be done on it, pickled; ``made_by``: see `about`.

    ``paths``: folders in which a worker looks for modules of the user, where it has these folders. *shared*
    travels with it when it is small, else ``mark`` alone.
    """

    name: str
    body: bytes
    mark: str
    shared: Shared | None
    made_by: tuple[str, str]
    paths: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<evenhand {self.name}>"  # clusters print arguments into their logs


def about() -> tuple[str, str]:
    """The versions that have to be the same on both sides: evenhand's, and major.minor of Python."""
    return version("evenhand"), f"{sys.version_info.major}.{sys.version_info.minor}"


def differs(there: tuple[str, str], here: tuple[str, str], *, worker: str = "a worker") -> InputError | None:
    """The error that names both versions where they differ. *there*: of a worker; *here*: of who asks it."""
    for name, one, two in zip(("evenhand", "Python"), there, here, strict=True):
        if one != two:
            return InputError(
                f"{worker} has {name} {one}, and this process has {name} {two}",
                mend=f"install {name} {two} on the workers: other versions may give other bytes",
            )
    return None


def bundled(shared: Sequence[Any]) -> Shared:
    """*shared* as it is sent; InputError for what cannot be pickled."""
    body = _pickled(tuple(shared), "what the work shares")
    return Shared(sha256(body).hexdigest(), body)


def packed(
    work: Callable[..., Any], item: Any, shared: Shared, *, paths: Sequence[str | Path] = ()
) -> TaskPayload:
    """One item as it is sent; *work* is an importable function."""
    name = f"{getattr(work, '__module__', '?')}:{getattr(work, '__qualname__', '?')}"
    body = _pickled((work, item), name)
    held = shared if shared.small else None
    return TaskPayload(name, body, shared.mark, held, about(), tuple(str(path) for path in paths))


def _pickled(things: Any, name: str) -> bytes:
    try:
        return pickle.dumps(things, protocol=5)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise InputError(
            f"{name} cannot be sent to another process: {' '.join(str(error).split())[:200]}",
            mend='bring a function or class of a module by its name, or use engine = "local"',
        ) from error


_held: dict[str, tuple[Any, ...]] = {}  # of this worker: unpacked shared things by mark, the newest last
_large: set[str] = set()
_turn = threading.Lock()


def carried(parcel: TaskPayload, fetch: Callable[[], Shared] | Shared | None = None) -> Any:
    """Do the work of a parcel, on a worker. *fetch*: its shared things, or how to get them."""
    wrong = differs(about(), parcel.made_by)
    if wrong is not None:
        raise wrong
    for path in parcel.paths:  # behind all others: a folder of the user hides nothing
        if path not in sys.path and Path(path).is_dir():
            sys.path.append(path)
            sys.dont_write_bytecode = True
    shared = _opened(parcel, fetch)
    work, item = _unpickled(parcel.body, parcel.name)
    return work(*shared, item)


def _opened(parcel: TaskPayload, fetch: Callable[[], Shared] | Shared | None) -> tuple[Any, ...]:
    with _turn:  # a model is loaded once, however many threads ask for it
        if parcel.mark in _held:
            _held[parcel.mark] = _held.pop(parcel.mark)
            return _held[parcel.mark]
        sent = parcel.shared or (fetch() if callable(fetch) else fetch)
        if sent is None:
            raise InputError(f"{parcel.name} came without what it shares", mend="this is a fault of evenhand")
        made: tuple[Any, ...] = _unpickled(sent.body, parcel.name)
        _held[sent.mark] = made
        if not sent.small:
            _large.add(sent.mark)
        for size, most in ((True, SMALL_ONES), (False, LARGE_ONES)):
            kept = [mark for mark in _held if (mark not in _large) == size]
            for mark in kept[: max(0, len(kept) - most)]:
                del _held[mark]
                _large.discard(mark)
        return made


def _unpickled(body: bytes, name: str) -> Any:
    try:
        return pickle.loads(body)  # noqa: S301 - from who may run anything here anyway
    except ModuleNotFoundError as error:
        raise InputError(
            f"a worker has no module {error.name!r}, which {name} needs",
            mend="install it on the workers, or let them see the folder of the study under the same path",
        ) from error
