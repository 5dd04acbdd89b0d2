"""Chats in OpenAI's form, ``POST {base_url}/chat/completions``: its models, and all who follow it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from evenhand.llm.clients.curl_client import Plain, plain
from evenhand.llm.clients.endpoint import Endpoint
from evenhand.llm.clients.error_classification import Where, odd
from evenhand.llm.clients.transport import MOST, client
from evenhand.llm.parsing.structured_output import Form, Raw
from evenhand.model.call import RUNGS, Message, Request, count

__all__ = ["Completions", "closed", "content", "raw_of", "stop_of"]

LEAST = -1e300  # a log probability below it is none, and could not be summed
# as servers of this form say why a reply ended, in any case; any other reason is a fault
_STOPS = {
    **dict.fromkeys(("stop", "tool_calls", "tool_call", "function_call"), "end"),
    **dict.fromkeys(("eos", "eos_token", "end_turn", "stop_sequence", "complete", "completed"), "end"),
    **dict.fromkeys(("length", "max_tokens", "model_length", "max_output_tokens"), "length"),
    **dict.fromkeys(("content_filter", "refusal", "refused", "safety", "recitation", "sensitive"), "refused"),
}


class Completions(Endpoint):
    """An `Endpoint` through the openai SDK."""

    sdk = "openai"
    path = "/chat/completions"
    straight = True  # no SDK between us and a server without TLS
    rungs = RUNGS

    def client(self, key: str, *, most: int = MOST) -> Any:
        """A new client of the SDK."""
        sdk = self._module()
        line = client(keyless=not key, ambient=self.provider == "openai", most=most)
        return sdk.OpenAI(api_key=key or "none", base_url=self.base_url, max_retries=0, http_client=line)

    def line(self, key: str) -> Any:
        """A plain line to a server without TLS, the SDK's client to any other and to OpenAI itself."""
        if self.provider == "openai" or not (self.straight and plain(self.base_url)):
            return self.client(key)
        return Plain(self.base_url, {"Authorization": f"Bearer {key}"} if key else {})

    def body(self, request: Request, form: Form, messages: Sequence[Message]) -> dict[str, Any]:
        """What is posted, as JSON."""
        modern = self.provider == "openai"
        body = content(self.model, request, form, messages, modern=modern) | self.parameters
        if self.provider == "openrouter":  # or it may send the request to one that passes over parts of it
            given = self.parameters.get("provider")
            body["provider"] = {"require_parameters": True, **(given if isinstance(given, Mapping) else {})}
        return body

    def _raw(self, body: Mapping[str, Any], where: Where) -> Raw:
        raw = raw_of(body, where)
        if self.provider != "openrouter":
            return raw
        return replace(raw, cost=_cost(body))  # it prices each reply itself


def content(
    model: str, request: Request, form: Form, messages: Sequence[Message], *, modern: bool
) -> dict[str, Any]:
    """The body of a request. *modern*: the limit is ``max_completion_tokens``, unless that was refused."""
    body: dict[str, Any] = {
        "model": model,
        "messages": [{"role": one.role, "content": one.content} for one in messages],
    }
    other = "max_tokens" in form.without
    body["max_completion_tokens" if modern != other else "max_tokens"] = request.max_tokens
    if "temperature" not in form.without:
        body["temperature"] = request.temperature
    if request.seed is not None and "seed" not in form.without:
        body["seed"] = request.seed
    if request.logprobs and "logprobs" not in form.without:
        body["logprobs"] = True
    if request.schema is None:
        return body
    schema, name = dict(request.schema), re.sub(r"[^A-Za-z0-9_-]", "_", request.schema_name)[:64]
    if form.rung == "json-schema":
        told = {"name": name, "schema": schema, "strict": _strict(request.schema)}
        body["response_format"] = {"type": "json_schema", "json_schema": told}
    elif form.rung == "tool":
        function = {"name": name, "description": "Give the reply.", "parameters": schema}
        body["tools"] = [{"type": "function", "function": function}]
        body["tool_choice"] = {"type": "function", "function": {"name": name}}
    elif form.rung == "json-object":
        body["response_format"] = {"type": "json_object"}
    return body


_asked: tuple[Any, bool] = (None, True)


def _strict(schema: Mapping[str, Any]) -> bool:
    """`closed`, looked at once for the many requests of one sheet, which share their schema."""
    global _asked  # noqa: PLW0603 - one pair, replaced whole
    last, found = _asked
    if last is not schema:
        found = closed(schema)
        _asked = (schema, found)
    return found


def closed(schema: Any) -> bool:
    """Whether every object of a schema is closed and has all its keys required: what strict mode asks for."""
    if isinstance(schema, Mapping):
        if "properties" in schema and (
            schema.get("additionalProperties") is not False
            or set(schema.get("required", ())) != set(schema["properties"])
        ):
            return False
        return all(closed(value) for value in schema.values())
    return all(closed(value) for value in schema) if isinstance(schema, list) else True


def raw_of(body: Mapping[str, Any], where: Where) -> Raw:
    """What a reply's body says. Raises Unreachable for a body that holds no reply."""
    choices = body.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, Mapping) else None
    if not isinstance(choice, Mapping) or not isinstance(message, Mapping) or body.get("error"):
        raise odd(where, body)
    stop = stop_of(choice.get("finish_reason"))
    refusal, text = message.get("refusal"), _text(message)
    if choice.get("error") or not stop:
        why = f"the reply ended for a reason that is not known: {choice.get('finish_reason')}"
        raise odd(where, {"error": choice.get("error") or why})
    if refusal and isinstance(refusal, str):
        stop, text = "refused", text or refusal
    usage = body.get("usage")
    usage = usage if isinstance(usage, Mapping) else {}
    details = usage.get("prompt_tokens_details")
    details = details if isinstance(details, Mapping) else {}
    cached = details.get("cached_tokens")
    sent, total = count(usage.get("prompt_tokens")), count(usage.get("total_tokens"))
    given = count(usage.get("completion_tokens"))
    if None not in (sent, total, given):
        given = max(given or 0, (total or 0) - (sent or 0))  # Gemini counts its thinking in the total alone
    return Raw(
        text=text,
        stop=stop,
        model=str(body.get("model") or ""),
        tokens_in=sent,
        tokens_out=given,
        tokens_cached=count(cached if cached is not None else usage.get("prompt_cache_hit_tokens")),
        tokens_written=count(details.get("cache_write_tokens")) or None,
        logprob=_logprob(choice.get("logprobs")),
    )


def stop_of(told: Any) -> str:
    """Why a reply ended, as `Reply.stop` has it; empty for a reason that is not known.

    A server that tells none at all has nothing against its reply. A filter may say what it found, too
    (``content_filter: PROHIBITED_CONTENT``).
    """
    word = str(told or "stop").strip().lower()
    return _STOPS.get(word) or _STOPS.get(word.partition(":")[0].strip(), "")


def _cost(body: Mapping[str, Any]) -> float | None:
    """US dollars as a gateway charges them, and what the provider behind it charges on a key of one's own."""
    usage = body.get("usage")
    told = usage.get("cost") if isinstance(usage, Mapping) else None
    if isinstance(told, bool) or not isinstance(told, int | float):
        return None
    details = usage.get("cost_details") if isinstance(usage, Mapping) and usage.get("is_byok") else None
    more = details.get("upstream_inference_cost") if isinstance(details, Mapping) else None
    return float(told) + (float(more) if isinstance(more, int | float) else 0.0)


def _text(message: Mapping[str, Any]) -> str:
    calls = message.get("tool_calls")
    if isinstance(calls, list) and calls and isinstance(calls[0], Mapping):
        function = calls[0].get("function")
        arguments = function.get("arguments") if isinstance(function, Mapping) else None
        if isinstance(arguments, str):
            return arguments
    said = message.get("content")
    if isinstance(said, list):  # parts, as some servers give them
        return "".join(str(part.get("text", "")) for part in said if isinstance(part, Mapping))
    return said if isinstance(said, str) else ""


def _logprob(told: Any) -> float | None:
    """The mean over the tokens of the reply."""
    tokens = told.get("content") if isinstance(told, Mapping) else None
    values = [one.get("logprob") for one in tokens or () if isinstance(one, Mapping)]
    numbers = [float(value) for value in values if isinstance(value, int | float) and LEAST <= value <= 0]
    return sum(numbers) / len(numbers) if numbers and len(numbers) == len(values) else None
