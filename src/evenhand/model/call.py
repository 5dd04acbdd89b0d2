"""A call to a model: what was asked, byte for byte, and what became of it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from evenhand.errors import InputError, nearest
from evenhand.model.seal import seal

__all__ = ["COUNTS", "OUTCOMES", "ROLES", "RUNGS", "STOPS", "Call", "Message", "Reply", "Request", "count"]

ROLES = ("system", "user", "assistant")
RUNGS = ("json-schema", "tool", "json-object", "prompt")  # of the ladder to structured output, best first
STOPS = ("end", "length", "refused")
OUTCOMES = ("reply", "cut-off", "refused", "fault")
COUNTS = ("tokens_in", "tokens_out", "tokens_cached", "tokens_written")
COUNTED = 2**53  # from here on a number is no count of anything, and no float holds it


def count(value: Any) -> int | None:
    """A count of tokens as told; None for anything that can be none."""
    whole = isinstance(value, int) and not isinstance(value, bool)
    return value if whole and 0 <= value < COUNTED else None


def _finite(value: Any) -> float | None:
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One turn."""

    role: str
    content: str

    def __post_init__(self) -> None:
        if self.role not in ROLES:
            raise InputError(f"a message of role {self.role!r}", mend=nearest(self.role, ROLES))


@dataclass(frozen=True, kw_only=True)
class Request:
    """One question to a model, before it is known which: everything that its answer may depend on.

    ``prompt`` is the seal of the instructions (a sheet's, a template's); ``schema`` the JSON Schema the
    reply must have (None: plain text); ``task`` is a name of the caller's own, which is not sent and not
    part of the seal. ``repeat`` sets equal requests apart, so that a second reply is asked for and is not
    the first one from the cache.
    """

    task: str
    prompt: str
    messages: tuple[Message, ...]
    schema: Mapping[str, Any] | None = None
    schema_name: str = "verdict"
    temperature: float = 0.0
    max_tokens: int = 1024
    seed: int | None = None
    logprobs: bool = False
    repeat: int = 0

    @cached_property
    def seal(self) -> str:
        """Seal over all that is sent, the prompt's seal and the repeat index."""
        return seal(
            [
                "request/1",
                self.prompt,
                [[one.role, one.content] for one in self.messages],
                dict(self.schema) if self.schema is not None else None,
                self.schema_name,
                self.temperature,
                self.max_tokens,
                self.seed,
                self.logprobs,
                self.repeat,
            ]
        )


@dataclass(frozen=True, kw_only=True)
class Reply:
    """What a model sent back: ``text`` as it came, ``data`` the JSON object found in it (None: none).

    ``stop`` is why it ended: by itself, at the limit of tokens, or because the model (or its filter)
    refused. ``rung`` says by which means structured output was asked for (empty: plain text was); ``reasked``
    whether a reply that could not be read was followed by one more question, and ``earlier`` is that reply;
    ``without`` names what was asked for and the endpoint does not take (temperature, seed, logprobs), so that
    it answered by its own default. ``model`` is the name and version the endpoint gave itself. ``tokens_*``
    are the endpoint's own counts, None where it gave none, or a number that can be no count:
    ``tokens_written`` were put into its cache, which costs more; ``cost`` is the price in US dollars that it
    told itself. ``logprob`` is the mean log probability of the reply's tokens, None where not offered.
    """

    text: str
    data: Mapping[str, Any] | None = None
    stop: str = "end"
    rung: str = ""
    reasked: bool = False
    model: str = ""
    tokens_in: int | None = None
    tokens_out: int | None = None
    tokens_cached: int | None = None
    logprob: float | None = None
    earlier: str = ""
    without: tuple[str, ...] = ()
    tokens_written: int | None = None
    cost: float | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "without", tuple(self.without))  # a journal gives back a list
        for name in COUNTS:
            object.__setattr__(self, name, count(getattr(self, name)))
        cost = _finite(self.cost)
        object.__setattr__(self, "cost", cost if cost is not None and cost >= 0 else None)
        object.__setattr__(self, "logprob", _finite(self.logprob))
        if self.rung and self.rung not in RUNGS:
            raise InputError(f"a reply by rung {self.rung!r}", mend=nearest(self.rung, RUNGS))
        if self.stop not in STOPS:
            raise InputError(f"a reply that stopped by {self.stop!r}", mend=nearest(self.stop, STOPS))


@dataclass(frozen=True, kw_only=True)
class Call:
    """A request to one model and its outcome. ``key`` names it in the journal.

    ``outcome``: ``reply`` (whether it can be read is for whoever asked to say); ``cut-off`` (the limit of
    tokens was reached, the limit is in ``why``); ``refused`` (by the model or its filter); ``fault``
    (nothing usable came: network, key, rate, server, deadline, budget). A fault is of the transport and
    may be asked again; the others are the model's own and stand. ``cached``: found in the journal, not
    asked now. ``why`` of a reply without the object that was asked for says what it has instead.
    ``seconds`` and ``price`` (in US dollars, None where the price is not known) are of the call that was
    made; they go to costs, never into a report. ``bound`` are
    dollars that a budget counts for it at the most, beside its price: for a reply whose price nobody can
    tell, and for tries without a reply that may have been charged. It is no price: it is of this run, and
    not kept.
    """

    key: str
    task: str
    model: str  # the seal of model and parameters
    outcome: str
    reply: Reply | None = None
    why: str = ""
    tries: int = 1
    cached: bool = False
    seconds: float | None = None
    price: float | None = None
    bound: float = 0.0

    def __post_init__(self) -> None:
        if self.outcome not in OUTCOMES:
            raise InputError(f"a call of outcome {self.outcome!r}", mend=nearest(self.outcome, OUTCOMES))
        if (self.outcome == "reply") and self.reply is None:
            raise InputError("a call with outcome 'reply' and none", mend="give the reply")
