"""What the progress line says while models are asked: reason of waiting, spend, cache, time left."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import TYPE_CHECKING

from evenhand.text.plural import many

if TYPE_CHECKING:
    from evenhand.llm.costs.budget import Budget
    from evenhand.llm.scheduling.caller import Caller
    from evenhand.llm.scheduling.endpoint_queue import EndpointQueue
    from evenhand.model.call import Call

__all__ = ["Line", "dollars", "span"]

STOPPED = "stopped"  # in a note: nothing more will come, so no time is left

EVERY = 0.2  # seconds between two lines
WINDOW = 60.0  # seconds over which the pace is taken
SHOWN = 1.0  # seconds of waiting that are worth a word


class Line:
    """Counts what was given out and words it."""

    def __init__(self, stage: str, total: int | None, begun: float) -> None:
        self.stage = stage
        self.known = total
        self.begun = begun
        self.taken = self.done = self.cached = self.faults = self.unasked = 0
        self.elsewhere = 0  # calls that another process makes
        self._told = 0.0
        self._pace: deque[tuple[float, int]] = deque([(begun, 0)])

    @property
    def total(self) -> int:
        """How many there are, as far as is known."""
        return self.taken if self.known is None else max(self.known, self.taken)

    def count(self, call: Call) -> None:
        """A call was given out."""
        self.done += 1
        self.cached += call.cached
        if call.outcome == "fault" and not call.tries:
            self.unasked += 1
        else:
            self.faults += call.outcome == "fault"

    def due(self, now: float) -> bool:
        """Whether it is time for a line."""
        if now - self._told < EVERY:
            return False
        self._told = now
        return True

    def note(self, lanes: Iterable[EndpointQueue], caller: Caller, now: float) -> str:
        """The words beside the count, such as ``waiting 12 s: openai, rate limit · $0.41 · 3 min left``.

        The time left is by the pace of the last minute; whoever shows the line says no other one beside it.
        """
        lanes = list(lanes)
        parts = [self._waiting(lanes, now), _stuck(lanes, caller, now), self._others(), _money(caller.purse)]
        if self.cached:
            parts.append(f"{self.cached:,} from cache")
        if self.faults:
            parts.append(f"{self.faults:,} failed")
        if self.unasked:
            parts.append(f"{self.unasked:,} not asked")
        parts.append(self._left(now))
        return " · ".join(part for part in parts if part)

    def end(self, caller: Caller) -> None:
        """The last line."""
        parts = [_money(caller.purse)]
        parts.append(f"{self.cached:,} from cache" if self.cached else "")
        parts.append(f"{self.faults:,} failed" if self.faults else "")
        parts.append(f"{self.unasked:,} not asked" if self.unasked else "")
        parts.append(STOPPED if self.done < self.total else "")
        caller.progress(self.stage, self.done, self.total, " · ".join(part for part in parts if part))

    def _waiting(self, lanes: list[EndpointQueue], now: float) -> str:
        held = [lane for lane in lanes if (lane.rest(now) or 0.0) >= SHOWN and len(lane) and not lane.flying]
        if not held:
            return ""
        lane = max(held, key=lambda one: one.rest(now) or 0.0)
        name, reason = lane.reasons(now)
        reason = reason or "a failed call's next try"
        if "429" in reason:
            reason = "rate limit"
        return f"waiting {lane.rest(now):.0f} s: {name}, {reason}"

    def _others(self) -> str:
        if not self.elsewhere:
            return ""
        return f"{many(self.elsewhere, 'call')} under way in another process, waited for"

    def _left(self, now: float) -> str:
        if not self._pace or now - self._pace[-1][0] >= 1.0:
            self._pace.append((now, self.done - self.cached))  # what was there already took no time
        while len(self._pace) > 2 and now - self._pace[1][0] > WINDOW:
            self._pace.popleft()
        since, before = self._pace[0]
        made = self.done - self.cached - before
        if self.known is None or made <= 0 or now - since < 1.0:
            return ""
        return f"{span((self.total - self.done) * (now - since) / made)} left"


def _money(purse: Budget) -> str:
    parts = [dollars(purse.spent)] if purse.spent or (purse.budget is not None and not purse.bound) else []
    parts += [f"up to {dollars(purse.bound)} for calls of unknown price"] if purse.bound else []
    return " and ".join(parts)


def _stuck(lanes: list[EndpointQueue], caller: Caller, now: float) -> str:
    """The call that has been under way longest, when that is longer than it may."""
    flying = [(job, lane) for lane in lanes for job in lane.flying]
    if not flying:
        return ""
    job, lane = min(flying, key=lambda one: one[0].started)
    took = now - job.started
    if took < max(5.0, 0.5 * caller.call_timeout):
        return ""
    return f"{job.tasks[0]} at {lane.name} for {took:.0f} s of {caller.call_timeout:.0f}"


def dollars(amount: float) -> str:
    """An amount of US dollars with as many digits as say something."""
    return f"${amount:.2f}" if amount >= 0.095 or amount == 0 else f"${amount:.2g}"


def span(seconds: float) -> str:
    """A time in the unit that fits."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
