"""A call as it stands in the journal: who was asked what, what came of it, when."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from evenhand.model.call import Call, Message, Reply, Request

__all__ = ["Recorded", "plain", "request_json", "request_of"]


@dataclass(frozen=True, kw_only=True)
class Recorded:
    """``chat`` is the name by which the model was asked, ``at`` when the call ended (ISO 8601, UTC)."""

    call: Call
    request: Request
    chat: str
    at: str

    def to_json(self) -> dict[str, Any]:
        """Plain JSON of everything but key and outcome."""
        call = self.call
        return {
            "at": self.at,
            "chat": self.chat,
            "model": call.model,
            "task": call.task,
            "request": request_json(self.request),
            "reply": None if call.reply is None else _reply_json(call.reply),
            "why": call.why,
            "tries": call.tries,
            "seconds": call.seconds,
            "price": call.price,
        }

    @classmethod
    def of_json(cls, key: str, outcome: str, content: Mapping[str, Any]) -> Recorded:
        """The inverse of `to_json`."""
        reply = content["reply"]
        call = Call(
            key=key,
            task=content["task"],
            model=content["model"],
            outcome=outcome,
            reply=None if reply is None else Reply(**reply),
            why=content["why"],
            tries=content["tries"],
            seconds=content["seconds"],
            price=content["price"],
        )
        request = request_of(content["request"], content["task"])
        return cls(call=call, request=request, chat=content["chat"], at=content["at"])

    def told(self, task: str) -> Call:
        """The call as it is given to one who asks the same under a name of its own."""
        return replace(self.call, task=task, cached=True, bound=0.0)


def _reply_json(reply: Reply) -> dict[str, Any]:
    """Plain JSON of a reply; what few endpoints tell stands in it where it was told."""
    return {k: v for k, v in vars(reply).items() if v is not None or k not in ("tokens_written", "cost")}


def request_json(request: Request) -> dict[str, Any]:
    """Plain JSON of a request without its task."""
    return {
        "prompt": request.prompt,
        "messages": [[one.role, one.content] for one in request.messages],
        "schema": dict(request.schema) if request.schema is not None else None,
        "schema_name": request.schema_name,
        "temperature": request.temperature,
        "max_tokens": request.max_tokens,
        "seed": request.seed,
        "logprobs": request.logprobs,
        "repeat": request.repeat,
    }


def request_of(content: Mapping[str, Any], task: str) -> Request:
    """The inverse of `request_json`."""
    asked = dict(content)
    messages = tuple(Message(role=role, content=text) for role, text in asked.pop("messages"))
    return Request(task=task, messages=messages, **asked)


def plain(thing: Any) -> Any:
    """*thing* without the numbers that are none.

    What a model wrote may hold NaN, which is no JSON: the text has it, and a paid reply must not be lost.
    """
    if isinstance(thing, float) and not math.isfinite(thing):
        return None
    if isinstance(thing, Mapping):
        return {str(key): plain(value) for key, value in thing.items()}
    if isinstance(thing, list | tuple):
        return [plain(value) for value in thing]
    return thing
