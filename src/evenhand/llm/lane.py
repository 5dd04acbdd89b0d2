"""The way to one endpoint: who waits, how many may be under way, and until when it is left alone."""

from __future__ import annotations

import heapq
import math
import threading
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from evenhand.errors import Unreachable

if TYPE_CHECKING:
    from evenhand.llm.limits import Rates
    from evenhand.model.call import Request
    from evenhand.protocols import Chat

__all__ = ["Job", "Lane"]

START = 16  # calls under way at first; doubled each round until the endpoint says it is enough
LONGEST = 60.0  # seconds: the longest pause made on remaining-headers alone, without a refusal
PATIENCE = 900.0  # seconds: an endpoint that asks for more is not waited for
# Rounds of faults without one success (calls that were under way together are one round):
ROUNDS = 3  # after which the lane itself pauses, longer each time
DOWN = 10  # after which nothing more is asked: that is about a minute
FULL = 30  # the same, where the endpoint says each time for how long to wait


@dataclass(eq=False)
class Job:
    """A request under way, with all who asked it."""

    key: str
    name: str
    chat: Chat
    request: Request
    cost: float | None = None  # dollars it may come to at most; None: not known
    tasks: list[str] = field(default_factory=list)
    tries: int = 0
    spared: int = 0  # tries that a full endpoint turned away while others got through
    started: float = 0.0
    passed: int = 0  # successes of the lane when it was sent
    seconds: float = 0.0
    left: bool = False  # nobody waits for it any more


class Lane:
    """One endpoint. All methods are called under the caller's lock; *now* is a monotonic clock's.

    Calls under way: additive increase (doubling until the first refusal), halved by a refusal or a server's
    trouble, once for all calls of a round; paused for as long as the endpoint asks, or until its limit is
    full again when it says that nothing is left.
    """

    def __init__(self, name: str, ceiling: int, lock: threading.Lock) -> None:
        self.name = name
        self.ceiling = ceiling
        self.ready = threading.Condition(lock)
        self.limit = float(min(START, ceiling))
        self.flying: set[Job] = set()
        self.fresh: deque[Job] = deque()
        self.again: list[tuple[float, int, Job]] = []
        self.threads = self.idle = 0
        self.until = 0.0
        self.reason = ""
        self.down = ""  # why nothing is asked here any more
        self.passed = self.rounds = self.hopeless = self.cuts = 0
        self._cut = self._round = -math.inf
        self._doubling = True
        self._turn = 0

    def __len__(self) -> int:
        return len(self.fresh) + len(self.again)

    def room(self, now: float) -> bool:
        """Whether a call may be sent now."""
        return now >= self.until and len(self.flying) < int(self.limit)

    def peek(self, now: float) -> Job | None:
        """Whose turn it is: those that failed before come last, and when their time has come."""
        if self.fresh:
            return self.fresh[0]
        return self.again[0][2] if self.again and self.again[0][0] <= now else None

    def send(self, job: Job, now: float) -> None:
        """Take *job*, the one `peek` gave, under way."""
        if self.fresh and self.fresh[0] is job:
            self.fresh.popleft()
        else:
            heapq.heappop(self.again)
        job.started, job.passed = now, self.passed
        job.tries += 1
        self.flying.add(job)

    def rest(self, now: float) -> float | None:
        """For how many seconds nothing can be sent by time alone; None when only news can change it."""
        until = self.until
        if not self.fresh and self.again:
            until = max(until, self.again[0][0])
        return until - now if until > now else None

    def later(self, job: Job, wait: float, now: float) -> None:
        """Queue a job that failed behind all others."""
        self._turn += 1
        heapq.heappush(self.again, (now + wait, self._turn, job))

    def succeeded(self, rates: Rates | None, now: float) -> None:
        """A reply came, with what it said of the limits."""
        self.passed += 1
        self.rounds = self.hopeless = 0
        if self.limit < self.ceiling:
            more = 1.0 if self._doubling else 1.0 / self.limit
            self.limit = min(float(self.ceiling), self.limit + more)
        self.heed(rates, now)

    def heed(self, rates: Rates | None, now: float) -> None:
        """Pause until the limit is full again when nothing of it is left."""
        if rates is None or rates.reset is None:
            return
        if 0 in (rates.remaining_requests, rates.remaining_tokens):
            until = rates.at + min(rates.reset, LONGEST)
            if until > max(now, self.until):
                self.until, self.reason = until, "rate limit"

    def failed(self, job: Job, error: Unreachable, now: float, *, busy: bool) -> None:
        """A call faulted; *busy* when the endpoint had too much to do, or trouble of its own."""
        if not error.again:
            self.hopeless += 1
            if self.hopeless >= 10 and not self.passed:
                self.down = error.why
            return
        if busy and job.started > self._cut:
            self._cut, self._doubling = now, False
            self.limit = max(1.0, self.limit / 2)
            self.cuts += 1
        if error.wait is not None:
            if error.wait > PATIENCE:
                self.down = f"it asks to be left alone for {error.wait / 60:.0f} min"
            elif now + error.wait > self.until:
                self.until, self.reason = now + error.wait, error.why
        if job.passed == self.passed and job.started > self._round:  # nothing got through meanwhile
            self._round = now
            self.rounds += 1
            if self.rounds >= (DOWN if error.wait is None else FULL):
                self.down = error.why
            elif self.rounds >= ROUNDS and error.wait is None:
                pause = min(30.0, 0.25 * 2 ** (self.rounds - ROUNDS + 1))
                if now + pause > self.until:
                    self.until, self.reason = now + pause, error.why

    def drain(self) -> Iterator[Job]:
        """Take out all that wait."""
        while self.fresh:
            yield self.fresh.popleft()
        while self.again:
            yield heapq.heappop(self.again)[2]
