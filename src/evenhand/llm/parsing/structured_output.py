"""The ladder to structured output: JSON schema, tool, JSON object, prompt; the best rung an endpoint knows.

What an endpoint does not take (a rung, temperature, seed, log probabilities, the name of the limit of tokens)
is learned from its errors once for each chat and remembered. A reply without a JSON object, or with one that
lacks a required key, is followed by one more question on the same rung; what then comes stands.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from evenhand.errors import Unreachable
from evenhand.llm.parsing.json_reply import found, needed, shown_in
from evenhand.model.call import RUNGS, Message, Reply, Request

__all__ = ["Form", "Raw", "Rejected", "StructuredOutputFallback", "instruction"]

_Number = TypeVar("_Number", int, float)
AGAIN = (
    "That could not be read as a JSON object. Reply once more to the same question, with one JSON object and "
    "nothing else: no other words, no code fence."
)


@dataclass(frozen=True, slots=True)
class Form:
    """How a request is put: ``rung`` is empty for plain text, ``without`` are parameters not to be sent.

    ``max_tokens`` in ``without`` means that the limit goes under its other name.
    """

    rung: str = ""
    without: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Raw:
    """What came of one question, before anything is read out of it."""

    text: str
    stop: str = "end"
    model: str = ""
    tokens_in: int | None = None
    tokens_out: int | None = None
    tokens_cached: int | None = None
    tokens_written: int | None = None
    cost: float | None = None  # in US dollars, where the endpoint tells it
    logprob: float | None = None


class Rejected(Exception):
    """The endpoint does not know *what*: a parameter, or ``rung``. *fault* is raised if that has no help."""

    def __init__(self, what: str, fault: Unreachable) -> None:
        super().__init__(what)
        self.what, self.fault = what, fault


Send = Callable[[Request, Form, Sequence[Message], float], Raw]


class StructuredOutputFallback:
    """The rungs of one chat, and what its endpoint was found not to take; used from many threads."""

    def __init__(self, rungs: Sequence[str] = RUNGS, *, without: Sequence[str] = ()) -> None:
        self._rungs = tuple(rungs)
        self._form = Form(self._rungs[0], frozenset(without))
        self._lock = threading.Lock()

    @property
    def rung(self) -> str:
        """The best rung not yet refused."""
        return self._form.rung

    @property
    def without(self) -> frozenset[str]:
        """Parameters the endpoint was found not to take."""
        return self._form.without

    def ask(self, request: Request, send: Send, *, timeout: float) -> Reply:
        """One reply to *request*, by as many questions as the ladder needs, within *timeout* seconds in all.

        *send* puts one question in the form it is given, in the seconds it is given; it raises `Rejected`
        for what the endpoint does not know, and Unreachable for the rest.
        """
        end = time.monotonic() + timeout
        messages, first = request.messages, None
        while True:
            form = self._form if request.schema is not None else Form("", self._form.without)
            left = end - time.monotonic()
            if left <= 0:
                raise Unreachable(
                    f"no reply in {timeout:g} s",
                    mend="raise the time a call may take",
                    why="no answer in time",
                    charged=True,
                )
            try:
                raw = send(request, form, _worded(form, request, messages), left)
            except Rejected as no:
                if not self._step(form, no.what):
                    raise _paid(no.fault, first) from no
                continue
            except Unreachable as fault:
                raise _paid(fault, first) from None
            if request.schema is None or raw.stop != "end":
                return _reply(request, form, raw, first, None)
            data = found(raw.text, request.schema, shown=shown_in(request))
            if first is not None or (data is not None and needed(request.schema) <= data.keys()):
                return _reply(request, form, raw, first, data)
            first = raw
            said = (Message(role="assistant", content=raw.text),) if raw.text.strip() else ()
            messages = (*messages, *said, Message(role="user", content=AGAIN))

    def put(self, request: Request) -> tuple[Form, Sequence[Message]]:
        """The form a request is put in now, and its messages in that form: for a batch, to be sent later."""
        form = self._form if request.schema is not None else Form("", self._form.without)
        return form, _worded(form, request, request.messages)

    def read(self, request: Request, raw: Raw) -> Reply:
        """The reply to a question of a batch: no second one follows."""
        form, _ = self.put(request)
        schema = request.schema
        data = None
        if schema is not None and raw.stop == "end":
            data = found(raw.text, schema, shown=shown_in(request))
        return _reply(request, form, raw, None, data)

    def _step(self, form: Form, what: str) -> bool:
        """Give up *what*; False when there is nothing left to give up."""
        if what == "parameters":  # the rung first: temperature is what an answer depends on most
            rest = (name for name in ("logprobs", "seed", "temperature") if name not in form.without)
            what = "rung" if form.rung and form.rung != self._rungs[-1] else next(rest, "rung")
        with self._lock:
            now = self._form
            if what == "rung":
                if not form.rung or form.rung == self._rungs[-1]:
                    return False
                if form.rung == now.rung:  # otherwise another thread has stepped down already
                    below = self._rungs[self._rungs.index(now.rung) + 1]
                    self._form = Form(below, now.without)
                return True
            if what in form.without:
                return False
            self._form = Form(now.rung, now.without | {what})
            return True


def instruction(schema: Mapping[str, object]) -> str:
    """The words that ask for JSON where the endpoint cannot be told by a parameter."""
    form = json.dumps(schema, ensure_ascii=False, sort_keys=True)
    return f"Reply with one JSON object and nothing else. It must follow this JSON Schema:\n{form}"


def _worded(form: Form, request: Request, messages: Sequence[Message]) -> Sequence[Message]:
    """The messages, with the schema in words on the rungs that do not carry it, before all else."""
    messages = [_sendable(one) for one in messages]
    if request.schema is None or form.rung not in ("json-object", "prompt"):
        return messages
    words = instruction(request.schema)
    if messages and messages[0].role == "system":
        return (Message(role="system", content=f"{messages[0].content}\n\n{words}"), *messages[1:])
    return (Message(role="system", content=words), *messages)


def _sendable(one: Message) -> Message:
    """The message with a mark in place of each half of a character, which no encoding can send."""
    try:
        one.content.encode("utf-8")
    except UnicodeEncodeError:
        return Message(role=one.role, content=one.content.encode("utf-8", "replace").decode("utf-8"))
    return one


def _reply(
    request: Request, form: Form, raw: Raw, first: Raw | None, data: Mapping[str, object] | None
) -> Reply:
    asked = {"temperature"}
    asked |= {"seed"} if request.seed is not None else set()
    asked |= {"logprobs"} if request.logprobs else set()
    return Reply(
        text=raw.text,
        data=data,
        stop=raw.stop,
        rung=form.rung,
        reasked=first is not None,
        earlier=first.text if first else "",
        without=tuple(sorted(asked & form.without)),
        model=raw.model,
        tokens_in=_sum(first.tokens_in if first else 0, raw.tokens_in),
        tokens_out=_sum(first.tokens_out if first else 0, raw.tokens_out),
        tokens_cached=_sum(first.tokens_cached if first else 0, raw.tokens_cached),
        tokens_written=_sum(first.tokens_written if first else 0, raw.tokens_written),
        cost=_sum(first.cost if first else 0, raw.cost),
        logprob=raw.logprob,
    )


def _paid(fault: Unreachable, first: Raw | None) -> Unreachable:
    """The fault of a second question: the reply to the first one came, and is paid for."""
    fault.charged = fault.charged or first is not None
    return fault


def _sum(one: _Number | None, other: _Number | None) -> _Number | None:
    return None if one is None or other is None else one + other
