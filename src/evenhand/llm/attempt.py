"""One try of one call: what came, or what went wrong."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from evenhand.errors import EvenhandError, Unreachable
from evenhand.llm.limits import Rates
from evenhand.model.call import Call, Reply, Request

if TYPE_CHECKING:
    from evenhand.llm.lane import Job

__all__ = ["Tried", "attempt", "outcome_of", "price_of_reply"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """``fault`` is None when a reply came; ``call`` is what it becomes when it is not tried again."""

    call: Call
    fault: Unreachable | None = None
    rates: Rates | None = None

    @property
    def busy(self) -> bool:
        """Whether the endpoint had too much to do or trouble of its own: then less is asked at once."""
        return self.fault is not None and self.fault.again

    @property
    def full(self) -> bool:
        """Whether it was turned away by a limit, and not tried at all."""
        return (
            self.fault is not None
            and self.fault.again
            and (self.fault.wait is not None or "429" in self.fault.why)
        )


def attempt(job: Job, model: str, timeout: float) -> Tried:
    """Ask once. Raises what a person has to mend first (an `EvenhandError` that is no Unreachable)."""
    begun = time.monotonic()
    reply: Reply | None = None
    fault: Unreachable | None = None
    try:
        reply = _checked(job.chat.ask(job.request, timeout=timeout))
    except Unreachable as error:
        fault = error
    except EvenhandError:
        raise
    except Exception as error:  # noqa: BLE001 - a guest's own error is a fault of the call, counted and told
        said = " ".join(f"{type(error).__name__}: {error}".split())[:300]
        fault = Unreachable(said, mend="look into the model object", why=said, again=False)
    job.seconds += time.monotonic() - begun
    outcome, why = outcome_of(job.request, reply, fault.why if fault is not None else "")
    call = Call(
        key=job.key,
        task=job.tasks[0],
        model=model,
        outcome=outcome,
        reply=reply,
        why=why,
        tries=job.tries,
        seconds=round(job.seconds, 6),
        price=None if reply is None else price_of_reply(job.chat, reply),
    )
    rates = getattr(job.chat, "rates", None)
    return Tried(call=call, fault=fault, rates=rates if isinstance(rates, Rates) else None)


def _checked(reply: Any) -> Reply:
    """What a chat gave back, a guest's too, when it is a reply that can be kept."""
    if not isinstance(reply, Reply) or not isinstance(reply.text, str):
        wrong = type(reply).__name__ if not isinstance(reply, Reply) else "Reply whose text is no text"
        raise TypeError(f"ask gave back a {wrong}, expected evenhand.model.call.Reply with its text")
    return reply


def outcome_of(request: Request, reply: Reply | None, why: str) -> tuple[str, str]:
    """The outcome of a call and the reason that is kept with it; *why* there is no reply."""
    if reply is None:
        return "fault", why
    if reply.stop == "length":
        return "cut-off", f"cut off at {request.max_tokens} tokens"
    if reply.stop == "refused":
        return "refused", " ".join(reply.text.split())[:200]
    return "reply", ""


def price_of_reply(chat: Any, reply: Reply) -> float | None:
    """US dollars of a reply; None when the chat has no price, or none that can be one.

    A guest's own price may fail: the reply is paid for and is kept all the same, as one of unknown price.
    """
    price = getattr(chat, "price", None)
    if not callable(price):
        return None
    try:
        found = price(reply)
        dollars = math.nan if found is None else float(found)
    except Exception:  # noqa: BLE001 - whatever it is, it must not cost the reply; the price is told as unknown
        return None
    return dollars if 0 <= dollars < math.inf else None
