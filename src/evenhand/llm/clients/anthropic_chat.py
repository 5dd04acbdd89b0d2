"""Chats in Anthropic's form, ``POST {base_url}/v1/messages``.

From API version 2026-10-21 on, which the SDK sends by itself, the endpoint takes no temperature; the older
version that is named by ``api_version`` still does, for models that know it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from evenhand.llm.clients.endpoint import Endpoint
from evenhand.llm.clients.error_classification import Where, odd
from evenhand.llm.clients.transport import MOST, client
from evenhand.llm.parsing.structured_output import Form, Raw
from evenhand.model.call import Message, Request, count

__all__ = ["OLD", "Messages"]

OLD = "2023-06-01"
_STOPS = {
    **dict.fromkeys(("end_turn", "stop_sequence", "tool_use", "None"), "end"),
    **dict.fromkeys(("max_tokens", "model_context_window_exceeded"), "length"),
    "refusal": "refused",
}


class Messages(Endpoint):
    """An `Endpoint` through the anthropic SDK."""

    sdk = "anthropic"
    path = "/v1/messages"
    rungs = ("json-schema", "tool", "prompt")
    lacks: tuple[str, ...] = ("temperature", "seed", "logprobs")

    def __init__(self, model: str, *, api_version: str = "", **settings: Any) -> None:
        if api_version == OLD:
            self.lacks = ("seed", "logprobs")
        super().__init__(model, **settings)
        self.api_version = api_version

    def settings(self) -> dict[str, Any]:
        """Everything known that a reply depends on."""
        return {**super().settings(), "api_version": self.api_version}

    def client(self, key: str, *, most: int = MOST) -> Any:
        """A new client of the SDK."""
        sdk = self._module()
        headers = {"anthropic-version": self.api_version} if self.api_version else None
        return sdk.Anthropic(
            api_key=key or "none",
            base_url=self.base_url.removesuffix("/v1"),  # the SDK adds it
            max_retries=0,
            http_client=client(keyless=not key, ambient=False, most=most),
            default_headers=headers,
            open_telemetry=False,
        )

    def body(self, request: Request, form: Form, messages: Sequence[Message]) -> dict[str, Any]:
        """What is posted, as JSON."""
        system = "\n\n".join(one.content for one in messages if one.role == "system")
        body: dict[str, Any] = {
            "model": self.model,
            "max_tokens": request.max_tokens,
            "messages": [
                {"role": one.role, "content": one.content} for one in messages if one.role != "system"
            ],
        }
        more = dict(self.parameters)
        if system:
            body["system"] = system
        if "temperature" not in form.without:
            more["temperature"] = request.temperature
        if request.schema is not None and form.rung == "json-schema":
            schema = self._module().transform_schema(dict(request.schema))
            config = more.pop("output_config", None)
            given = config if isinstance(config, Mapping) else {}
            body["output_config"] = {**given, "format": {"type": "json_schema", "schema": schema}}
        elif request.schema is not None and form.rung == "tool":
            name = re.sub(r"[^A-Za-z0-9_-]", "_", request.schema_name)[:64]
            tool = {"name": name, "description": "Give the reply.", "input_schema": dict(request.schema)}
            body["tools"], body["tool_choice"] = [tool], {"type": "tool", "name": name}
        return body | more

    def _raw(self, body: Mapping[str, Any], where: Where) -> Raw:
        parts = body.get("content")
        if not isinstance(parts, list) or body.get("type") == "error" or body.get("error"):
            raise odd(where, body)
        known = [part for part in parts if isinstance(part, Mapping)]
        called = [part.get("input") for part in known if part.get("type") == "tool_use"]
        said = "".join(str(part.get("text", "")) for part in known if part.get("type") == "text")
        text = json.dumps(called[0], ensure_ascii=False) if called else said
        usage = body.get("usage")
        usage = usage if isinstance(usage, Mapping) else {}
        cached = count(usage.get("cache_read_input_tokens"))
        counts = [count(usage.get("input_tokens")), cached, count(usage.get("cache_creation_input_tokens"))]
        stop = _STOPS.get(str(body.get("stop_reason")), "")
        if not stop:
            why = f"the reply ended for a reason that is not known: {body.get('stop_reason')}"
            raise odd(where, {"error": why})
        details = body.get("stop_details")
        if stop == "refused" and not text and isinstance(details, Mapping):
            text = str(details.get("explanation") or details.get("category") or "")
        return Raw(
            text=text,
            stop=stop,
            model=str(body.get("model") or ""),
            tokens_in=None if counts[0] is None else sum(one or 0 for one in counts),
            tokens_out=count(usage.get("output_tokens")),
            tokens_cached=cached,
            tokens_written=counts[2] or None,
        )
