"""Who comes in: a link's token becomes a session of its own; both are kept as hashes and can be ended."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict, deque
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from evenhand.model.judging import SESSIONS
from evenhand.store.clock import now

if TYPE_CHECKING:
    from collections.abc import Callable

    from evenhand.model.judging import Access
    from evenhand.protocols import Store

__all__ = ["TRIES", "WINDOW", "Sessions"]

TRIES = 10  # wrong tokens from one address …
WINDOW = 60.0  # … in so many seconds
DAYS = 30  # a session's life
FRESH = 1.0  # seconds for which the list of links is believed
PEERS = 10_000


class Sessions:
    """Sessions are accesses of the same name and role, granted when a link is opened and listed in a log.

    So they outlive the server, lie in the store as hashes only, and end with their link, by themselves, or
    after 30 days. A session is no link, and a link no session.
    """

    def __init__(self, store: Store, *, clock: Callable[[], float] = time.monotonic) -> None:
        self.store = store
        self._clock = clock
        self._lock = threading.Lock()
        self._of: dict[str, str] = {}  # session -> the link it came in by
        self._read = 0
        self._links: tuple[float, dict[str, Access]] = (-FRESH, {})
        self._wrong: OrderedDict[str, deque[float]] = OrderedDict()

    def link(self, token: str) -> Access | None:
        """Whose link this token is; None when it is nobody's, or a session's."""
        link = self.store.admit(token) if len(token) <= 200 else None
        return link if link is not None and self.link_of(link.id) is None else None

    def enter(self, link: Access) -> str:
        """The token of a new session, by a link."""
        session, secret = self.store.grant(link.name, link.role, at=now())
        self.store.append(
            SESSIONS, {"session": session.id, "of": link.id, "at": session.at}, token=session.id
        )
        return secret

    def who(self, cookie: str) -> Access | None:
        """Whose session this is; None when it has ended."""
        session = self.store.admit(cookie) if 0 < len(cookie) <= 200 else None
        link = self.link_of(session.id) if session else None
        if session is None or link is None or session.at < _ago():
            return None
        # a link younger than the list is not yet on it
        there = self.links().get(link) or self.links(anew=True).get(link)
        return session if there is not None and not there.revoked else None

    def link_of(self, session: str) -> str | None:
        """The link by which a session came in; None when it is no session."""
        if session not in self._of:
            with self._lock:
                for number, line in self.store.lines(SESSIONS, after=self._read):
                    self._of[line["session"]] = line["of"]
                    self._read = number
        return self._of.get(session)

    def links(self, *, anew: bool = False) -> dict[str, Access]:
        """All accesses by id, sessions among them, not older than a second."""
        at, there = self._links
        if anew or self._clock() - at >= FRESH:
            there = {access.id: access for access in self.store.accesses()}
            self._links = (self._clock(), there)
        return there

    def wait(self, peer: str) -> int:
        """Seconds for which this address is told nothing of a token that lets nobody in: 0 as a rule."""
        with self._lock:
            tries = self._wrong.get(peer)
            while tries and self._clock() - tries[0] > WINDOW:
                tries.popleft()
            return int(WINDOW - (self._clock() - tries[0])) + 1 if tries and len(tries) >= TRIES else 0

    def failed(self, peer: str) -> None:
        """Count a token that was nobody's."""
        with self._lock:
            self._wrong.setdefault(peer, deque(maxlen=TRIES)).append(self._clock())
            self._wrong.move_to_end(peer)
            while len(self._wrong) > PEERS:
                self._wrong.popitem(last=False)


def _ago() -> str:
    return (
        (datetime.now(UTC) - timedelta(days=DAYS)).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    )
