"""A model object of pydantic-ai as a chat, known by its shape: pydantic-ai is no dependency of ours."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Mapping, Sequence
from functools import cached_property
from importlib import import_module
from typing import Any

from evenhand.errors import InputError, MissingExtra, Unreachable, nearest
from evenhand.guest_errors import raised
from evenhand.llm.clients.error_classification import Where, of_status
from evenhand.llm.clients.openai_chat import stop_of
from evenhand.llm.clients.unsupported_parameters import rejected
from evenhand.llm.costs.prices import Price, price_of
from evenhand.llm.parsing.structured_output import Form, Raw, Rejected, StructuredOutputFallback
from evenhand.llm.providers.families import family_of
from evenhand.model.call import Message, Reply, Request, count
from evenhand.model.seal import seal
from evenhand.redact import keys, without_keys

__all__ = ["PydanticAI"]


class PydanticAI:
    """A `protocols.Chat` around a model object of pydantic-ai, used as it was made: its client, its retries.

    The model runs on one event loop of its own thread, so its connections are used again.
    """

    rungs = ("json-schema", "tool", "prompt")

    def __init__(
        self,
        model: Any,
        *,
        path: str,
        name: str = "",
        family: str = "",
        price: Price | None = None,
        rung: str = "",
    ) -> None:
        if rung and rung not in self.rungs:
            raise InputError(
                f"{name or path}: rung: there is no rung {rung!r}", mend=nearest(rung, self.rungs)
            )
        self.model, self.path = model, path
        self.name = name or path
        self.family = family or family_of(str(model.model_name))
        self.tariff = price
        self.ladder = StructuredOutputFallback(
            self.rungs[self.rungs.index(rung) if rung else 0 :], without=("logprobs",)
        )
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None

    def settings(self) -> dict[str, Any]:
        """What a reply depends on, as far as the model tells."""
        told = {key: str(getattr(self.model, key, "") or "") for key in ("model_name", "system")}
        return {"model": self.path, **told}

    @cached_property
    def seal(self) -> str:
        """Identity of the model's name, provider, address and own settings."""
        own = getattr(self.model, "settings", None)
        address = str(getattr(self.model, "base_url", "") or "")
        plain = json.dumps(own, sort_keys=True, default=repr) if isinstance(own, Mapping) else ""
        return seal(["pydantic-ai/1", self.settings(), address, plain])

    @property
    def endpoint(self) -> str:
        """The address that the model object tells; empty when it tells none."""
        return str(getattr(self.model, "base_url", "") or "").rstrip("/")

    @property
    def where(self) -> Where:
        """The model as errors name it."""
        # the model's key is its own affair: it is one of the environment's, as like as not
        return Where(self.name, self.path, str(self.model.model_name), "", keys())

    def price(self, reply: Reply) -> float | None:
        """US dollars of a reply; None when no price was given."""
        return price_of(reply, self.tariff)

    def ask(self, request: Request, *, timeout: float) -> Reply:
        """One reply; see `evenhand.protocols.Chat`."""
        return self.ladder.ask(request, self._send, timeout=timeout)

    def close(self) -> None:
        """End the thread of the event loop."""
        with self._lock:
            loop, self._loop = self._loop, None
        if loop is not None:
            loop.call_soon_threadsafe(loop.stop)

    def _run(self, work: Any, seconds: float) -> Any:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                threading.Thread(target=_serve, args=(self._loop,), daemon=True).start()
            loop = self._loop
        return asyncio.run_coroutine_threadsafe(asyncio.wait_for(work, seconds), loop).result()

    def _send(self, request: Request, form: Form, messages: Sequence[Message], seconds: float) -> Raw:
        where = self.where
        settings: dict[str, Any] = {"max_tokens": request.max_tokens, "timeout": seconds}
        if "temperature" not in form.without:
            settings["temperature"] = request.temperature
        if request.seed is not None and "seed" not in form.without:
            settings["seed"] = request.seed
        asked = _messages(messages), settings, _parameters(request, form)
        try:
            response = self._run(self.model.request(*asked), seconds)
        except TimeoutError:
            raise Unreachable(
                f"{self.name}: no reply within {seconds:.3g} s",
                mend="raise the time a call may take",
                why="no answer in time",
                charged=True,
            ) from None
        except Exception as error:  # noqa: BLE001 - a guest's error, whatever its kind, is told as a fault
            return _failed(error, where)
        try:
            return _raw(response, where)
        except (AttributeError, TypeError) as error:
            raise Unreachable(
                f"{self.name}: request gave {type(response).__name__}, which is no ModelResponse: {error}",
                mend="see to the model object that was brought",
                why=f"request gave {type(response).__name__}, expected a ModelResponse of pydantic-ai",
                again=False,
            ) from error


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    loop.run_forever()
    loop.close()


def _part(name: str) -> Any:
    try:
        return import_module(f"pydantic_ai.{name}")
    except ModuleNotFoundError as error:
        raise MissingExtra(
            "this needs the package 'pydantic_ai'", mend="pip install pydantic-ai-slim"
        ) from error


def _messages(messages: Sequence[Message]) -> list[Any]:
    kinds = _part("messages")
    made: list[Any] = []
    for one in messages:
        if one.role == "assistant":
            made.append(kinds.ModelResponse(parts=[kinds.TextPart(content=one.content)]))
        else:
            part = kinds.SystemPromptPart if one.role == "system" else kinds.UserPromptPart
            made.append(kinds.ModelRequest(parts=[part(content=one.content)]))
    return made


def _parameters(request: Request, form: Form) -> Any:
    kind = _part("models").ModelRequestParameters
    if request.schema is None or form.rung == "prompt":
        return kind(output_mode="text", allow_text_output=True)
    schema = dict(request.schema)
    if form.rung == "tool":
        tool = _part("tools").ToolDefinition(
            name=request.schema_name,
            parameters_json_schema=schema,
            description="Give the reply.",
            kind="output",
        )
        return kind(output_mode="tool", output_tools=[tool], allow_text_output=False)
    told = _part("output").OutputObjectDefinition(json_schema=schema, name=request.schema_name)
    return kind(output_mode="native", output_object=told, allow_text_output=True)


def _failed(error: Exception, where: Where) -> Raw:
    """What an error of the model's means: a refusal, a rung it does not have, a fault."""
    lines = {kind.__name__ for kind in type(error).__mro__}
    told = without_keys(str(error))
    if "ContentFilterError" in lines:
        return Raw(text=told, stop="refused")
    status, body = getattr(error, "status_code", None), getattr(error, "body", None)
    if isinstance(status, int):
        fault = of_status(where, status, getattr(error, "headers", None) or {}, body)
        what = rejected(status, where.line(body if body is not None else told, 4000))
    else:
        fault = Unreachable(
            f"{where.name}: {raised(error)}",
            mend="see to the model object that was brought",
            why=type(error).__name__,
            said=where.line(str(error)) if str(error) else "",
            again="ModelAPIError" in lines,
            charged=True,
        )
        what = rejected(400, told) if "UserError" in lines else ""
    if what:
        raise Rejected(what, fault) from error
    raise fault from error


def _raw(response: Any, where: Where) -> Raw:
    told = str(getattr(response, "finish_reason", None) or "")
    texts, calls = [], []
    for part in response.parts:
        kind = getattr(part, "part_kind", "")
        if kind == "text":
            texts.append(str(part.content))
        elif kind == "tool-call":
            calls.append(
                part.args if isinstance(part.args, str) else json.dumps(part.args, ensure_ascii=False)
            )
    stop = stop_of(told)
    if not stop:
        raise Unreachable(
            f"{where.name}: the reply ended for a reason that is not known: {told[:80]}",
            mend="ask again",
            why="the reply was broken off",
            said=told[:80],
            charged=True,
        )
    usage = getattr(response, "usage", None)
    names = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")
    counts = [count(getattr(usage, name, None)) for name in names]
    known = usage is not None and any(counts)
    return Raw(
        text=calls[0] if calls else "".join(texts),
        stop=stop,
        model=str(getattr(response, "model_name", None) or ""),
        tokens_in=counts[0] if known else None,
        tokens_out=counts[1] if known else None,
        tokens_cached=counts[2] if known else None,
        tokens_written=(counts[3] or None) if known else None,
    )
