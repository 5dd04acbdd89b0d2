"""One try of one call: what came, or what went wrong."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from evenhand.errors import EvenhandError, Unreachable
from evenhand.guest_errors import raised
from evenhand.llm.parsing.json_reply import lacking, shown_in
from evenhand.llm.scheduling.rate_limits import Rates
from evenhand.model.call import COUNTS, Call, Reply, Request
from evenhand.redact import in_line, without_keys

if TYPE_CHECKING:
    from evenhand.llm.scheduling.endpoint_queue import Job

__all__ = ["Tried", "attempt", "checked", "outcome_of", "price_of_reply", "words_of"]


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
            and (self.fault.wait is not None or self.fault.why.startswith("HTTP status 429"))
        )


def attempt(job: Job, model: str, timeout: float) -> Tried:
    """Ask once. Raises what a person has to mend first (an `EvenhandError` that is no Unreachable)."""
    begun = time.monotonic()
    reply: Reply | None = None
    fault: Unreachable | None = None
    price: float | None = None
    try:
        reply = checked(job.chat.ask(job.request, timeout=timeout))
        price = price_of_reply(job.chat, reply)
    except Unreachable as error:
        fault, reply = error, None
    except EvenhandError as error:
        if error.what.startswith(f"{job.name}: "):
            raise
        raise type(error)(f"{job.name}: {error.what}", mend=error.mend) from error
    except Exception as error:  # noqa: BLE001 - a guest's own error is a fault of the call, counted and told
        said = raised(error)
        fault, reply = (
            Unreachable(said, mend="look into the model object", why=said, again=False, charged=True),
            None,
        )
    job.seconds += time.monotonic() - begun
    outcome, why = outcome_of(job.request, reply, words_of(fault) if fault is not None else "")
    call = Call(
        key=job.key,
        task=job.tasks[0],
        model=model,
        outcome=outcome,
        reply=reply,
        why=why,
        tries=job.tries,
        seconds=round(job.seconds, 6),
        price=price,
    )
    rates = getattr(job.chat, "rates", None)
    return Tried(call=call, fault=fault, rates=rates if isinstance(rates, Rates) else None)


def words_of(fault: Unreachable) -> str:
    """What is kept of a fault with its call: why in a few words, and what the other side said of it."""
    return f"{fault.why}: {fault.said}" if fault.said else fault.why


def checked(given: Any) -> Reply:
    """*given* by a chat, which anybody may bring, as the reply it has to be; Unreachable says what it is."""
    wrong = ""
    text, data = getattr(given, "text", None), getattr(given, "data", None)
    if not isinstance(given, Reply):
        wrong = f"ask returned {_shown(given)}, expected an evenhand.model.call.Reply"
    elif not isinstance(text, str):
        wrong = f"ask returned a Reply whose text is {_shown(text)}, expected a text"
    elif data is not None and not isinstance(data, Mapping):
        wrong = f"ask returned a Reply whose data is {_shown(data)}, expected an object or None"
    else:
        for name in COUNTS:
            count = getattr(given, name)
            if count is not None and (isinstance(count, bool) or not isinstance(count, int) or count < 0):
                wrong = f"ask returned a Reply whose {name} is {_shown(count)}, expected a count or None"
    if wrong:
        raise Unreachable(wrong, mend="mend the model object that was brought", why=wrong, again=False)
    return given  # type: ignore[no-any-return]


def _shown(value: Any) -> str:
    """The kind and the beginning of a value that somebody's code gave."""
    if value is None:
        return "None"
    return f"{type(value).__name__} {' '.join(without_keys(str(value)).split())[:80]!r}"


def outcome_of(request: Request, reply: Reply | None, why: str) -> tuple[str, str]:
    """The outcome of a call and the reason that is kept with it; *why* there is no reply."""
    if reply is None:
        return "fault", why
    if reply.stop == "length":
        return "cut-off", f"cut off at {request.max_tokens} tokens"
    if reply.stop == "refused":
        return "refused", in_line(reply.text, 200)
    if request.schema is not None and reply.data is None:
        return "reply", lacking(reply.text, request.schema, shown=shown_in(request))
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
