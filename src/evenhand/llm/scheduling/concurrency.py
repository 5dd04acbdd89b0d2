"""How many calls may be under way, and until when none is sent: of an endpoint, and of one model there."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evenhand.llm.scheduling.rate_limits import Rates

__all__ = ["Pace"]

START = 16  # calls under way at first; doubled each round until the endpoint says it is enough
LONGEST = 60.0  # seconds: the longest pause made on remaining-headers alone, without a refusal
PATIENCE = 900.0  # seconds: an endpoint that asks for more is not waited for
# Rounds of faults without one success (calls that were under way together are one round):
ROUNDS = 3  # after which a pause is made without being asked for, longer each time
DOWN = 10  # after which nothing more is asked: that is about a minute
FULL = 30  # the same, where the endpoint says each time for how long to wait


class Pace:
    """Additive increase (doubling until the first cut), halved by a cut, once for all calls of a round.

    ``under_way`` calls have no answer yet, at most ``limit`` of them; nothing is sent before ``until``, for
    ``reason``, and nothing at all once it is ``down``, which says why. *now* is a monotonic clock's.
    """

    def __init__(self, name: str, ceiling: int) -> None:
        self.name = name
        self.ceiling = ceiling
        self.limit = float(min(START, ceiling))
        self.under_way = 0
        self.until = 0.0
        self.reason = ""
        self.down = ""
        self.asked = False  # it is down by its own word, not by our count of faults
        self.causes: Counter[str] = Counter()  # of the faults since the last reply
        self.passed = self.rounds = self.cuts = 0
        self._cut = self._round = -math.inf
        self._doubling = True

    @property
    def spare(self) -> bool:
        """Whether one more call may be under way."""
        return self.under_way < int(self.limit)

    def room(self, now: float) -> bool:
        """Whether a call may be sent now."""
        return now >= self.until and self.spare and not self.down

    def rise(self) -> None:
        """A reply came."""
        self.passed += 1
        self.rounds = 0
        self.causes.clear()
        if self.limit < self.ceiling:
            more = 1.0 if self._doubling else 1.0 / self.limit
            self.limit = min(float(self.ceiling), self.limit + more)

    def heed(self, rates: Rates, now: float) -> None:
        """Pause until the limit is full again when nothing of it is left."""
        if rates.reset is not None and rates.empty:
            self.pause(min(rates.at, now) + min(rates.reset, LONGEST), "rate limit", now)

    def cut(self, started: float, now: float) -> None:
        """There was too much to do, or trouble, for a call that was sent at *started*."""
        if started > self._cut:
            self._cut, self._doubling = now, False
            self.limit = max(1.0, self.limit / 2)
            self.cuts += 1

    def asked_to_wait(self, seconds: float, why: str, now: float) -> None:
        """It was said for how long to leave it alone."""
        if seconds > PATIENCE:
            self.asked = True
            self.down = f"it asks to be left alone for {seconds / 60:.0f} min"
        else:
            self.pause(now + seconds, why, now)

    def sink(self, started: float, passed: int, why: str, now: float, *, told: bool) -> None:
        """A call faulted that was sent at *started*, after *passed* replies.

        *told*: it was said for how long to wait.
        """
        if passed != self.passed:  # others got through
            return
        self.causes[why] += 1
        if started <= self._round:  # it is of the same round
            return
        self._round = now
        self.rounds += 1
        if self.rounds >= (FULL if told else DOWN):
            self.down = self.cause
        elif self.rounds >= ROUNDS and not told:
            self.pause(now + min(30.0, 0.25 * 2 ** (self.rounds - ROUNDS + 1)), why, now)

    @property
    def cause(self) -> str:
        """What the faults since the last reply were: all their causes, the most frequent one first."""
        found = sorted(self.causes.items(), key=lambda pair: (-pair[1], pair[0]))
        if len(found) == 1:
            return found[0][0]
        return ", ".join(f"{n:,} × {why}" for why, n in found)

    def pause(self, until: float, why: str, now: float) -> None:
        """Send nothing before *until*, unless a longer pause is on."""
        if until > max(now, self.until):
            self.until, self.reason = until, why
