"""When a call that faulted is worth another try, and how long to wait for it."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evenhand.errors import Unreachable
    from evenhand.llm.scheduling.endpoint_queue import Job

__all__ = ["waiting_time"]

FIRST, LAST = 0.5, 60.0  # seconds between tries: doubled each time, with a random part, up to the last


def waiting_time(job: Job, fault: Unreachable, tries: int) -> float | None:
    """Seconds until *job* may be tried again, at least; None when it is not worth it or its tries are up.

    The endpoint's own wait counts where it named one; tries that a full endpoint turned away while other
    calls got through are not counted.
    """
    if not fault.again:
        return None
    state = _state()(job.tries - job.spared)
    if _policy(tries).stop(state):
        return None
    wait = float(_policy(tries).wait(state))
    return wait if fault.wait is None else fault.wait + wait / 10  # not all at the same moment


@cache
def _policy(tries: int) -> Any:
    from tenacity import Retrying, stop_after_attempt, wait_exponential_jitter

    return Retrying(
        stop=stop_after_attempt(tries), wait=wait_exponential_jitter(multiplier=FIRST, max=LAST, jitter=FIRST)
    )


@cache
def _state() -> Any:
    from tenacity import RetryCallState

    def at(number: int) -> Any:
        state = RetryCallState(retry_object=_policy(1), fn=None, args=(), kwargs={})
        state.attempt_number = max(1, number)
        return state

    return at
