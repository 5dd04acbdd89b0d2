"""What strangers without a token can cost: connections, seconds, and lines of the log."""

from __future__ import annotations

import logging
import socket
import threading
import time
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["Limits", "Listener", "seldom", "timed"]

log = logging.getLogger("evenhand.web")
LOGS = ("evenhand.web", "uvicorn.error", "asyncio")
SPARE = 128  # open files that are left to the store, the results and the pictures


def _most() -> int:
    """Connections that this process may have open: half of its files, and never more than 1,000."""
    try:
        import resource
    except ImportError:  # pragma: no cover - Windows
        return 400
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return 1000 if soft < 0 else max(8, min(1000, soft // 2, soft - SPARE))


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """``head``, ``body``: seconds in which a request's head and the whole of it must have come.

    ``total``, ``each``: connections at a time, of all and of one address; a proxy is one address.
    ``every``: seconds between two lines of the log that say the same.
    """

    head: float = 10.0
    body: float = 60.0
    total: int = field(default_factory=_most)
    each: int = field(default_factory=lambda: max(4, _most() // 2))
    every: float = 60.0


class Listener(socket.socket):
    """A listening socket that takes no more connections than it may; what is above them is closed at once."""

    def __init__(self, bound: socket.socket, limits: Limits) -> None:
        super().__init__(bound.family, bound.type, bound.proto, fileno=bound.detach())
        self.limits = limits
        self.now: Counter[str] = Counter()
        self._lock = threading.Lock()

    def accept(self) -> tuple[socket.socket, Any]:
        """One connection; ConnectionAbortedError, which servers pass over, for one too many."""
        made, address = super().accept()
        peer = str(address[0])
        with self._lock:
            full = self.now.total() >= self.limits.total
            over = full or self.now[peer] >= self.limits.each
            if not over:
                self.now[peer] += 1
        if over:
            made.close()
            log.warning("connections refused: %s", "the server is full" if full else f"too many of {peer}")
            raise ConnectionAbortedError
        return _Counted(made, lambda: self._gone(peer)), address

    def _gone(self, peer: str) -> None:
        with self._lock:
            self.now[peer] -= 1
            self.now += Counter()  # those of nobody are dropped


class _Counted(socket.socket):
    """A connection that says once when it is closed."""

    def __init__(self, made: socket.socket, gone: Callable[[], None]) -> None:
        super().__init__(made.family, made.type, made.proto, fileno=made.detach())
        self._gone: Callable[[], None] | None = gone

    def close(self) -> None:
        """Close it."""
        super().close()
        gone, self._gone = self._gone, None
        if gone is not None:
            gone()


def timed(limits: Limits) -> type:
    """Uvicorn's protocol, which ends a connection whose request does not come in time."""
    from uvicorn.protocols.http.h11_impl import H11Protocol

    class Timed(H11Protocol):
        """Waits for a head so many seconds, for the rest of a request so many."""

        _timer: Any = None

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self._await(limits.head)

        def data_received(self, data: bytes) -> None:
            before = self.cycle
            if self._timer is None and self._incomplete():  # the next request on the same connection
                self._await(limits.head)
            super().data_received(data)
            if self.cycle is not before:  # a head has come
                self._await(limits.body)
            if not self._incomplete():
                self._await(None)

        def connection_lost(self, exc: Exception | None) -> None:
            self._await(None)
            super().connection_lost(exc)

        def _incomplete(self) -> bool:
            cycle = self.cycle
            return bool(cycle is None or cycle.response_complete or cycle.more_body)

        def _await(self, seconds: float | None) -> None:
            if self._timer is not None:
                self._timer.cancel()
            self._timer = None if seconds is None else self.loop.call_later(seconds, self._late)

        def _late(self) -> None:
            self._timer = None
            if self._incomplete():
                self.transport.abort()
                log.warning("connections ended: their requests did not come in time")

    return Timed


class _Seldom(logging.Filter):
    """Lets a line through once in so many seconds, with how many like it were kept back."""

    def __init__(self, every: float) -> None:
        super().__init__()
        self._every = every
        self._known: dict[tuple[str, str], tuple[float, int]] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        key, at = (record.name, str(record.msg)), time.monotonic()
        since, kept = self._known.get(key, (-self._every, 0))
        if at - since < self._every:
            self._known[key] = since, kept + 1
            return False
        if len(self._known) > 1000:
            self._known.clear()
        self._known[key] = at, 0
        if kept:
            record.msg, record.args = f"{record.getMessage()} ({kept:,} more like it before)", None
        return True


@contextmanager
def seldom(every: float) -> Iterator[None]:
    """Keep repeated lines of the server's logs to one in *every* seconds."""
    rare = _Seldom(every)
    for name in LOGS:
        logging.getLogger(name).addFilter(rare)
    try:
        yield
    finally:
        for name in LOGS:
            logging.getLogger(name).removeFilter(rare)
