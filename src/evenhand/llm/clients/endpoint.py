"""A chat behind an HTTP endpoint: what OpenAI's and Anthropic's forms have in common."""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from evenhand.errors import InputError, Unreachable
from evenhand.llm.clients.curl_client import Plain
from evenhand.llm.clients.error_classification import Where, filtered, odd, of_connection, of_status
from evenhand.llm.clients.http_calls import masked, shown
from evenhand.llm.clients.transport import BULK, MOST
from evenhand.llm.clients.unsupported_parameters import rejected
from evenhand.llm.costs.prices import Price, price_of
from evenhand.llm.parsing.structured_output import Form, Raw, Rejected, StructuredOutputFallback
from evenhand.llm.providers.families import family_of, thinks
from evenhand.llm.scheduling.rate_limits import Rates, rates_of
from evenhand.model.call import Message, Reply, Request
from evenhand.model.seal import seal

__all__ = ["Endpoint"]


class Endpoint:
    """A `protocols.Chat` over HTTP, used from many threads; one question, no tries of its own.

    ``rates``: the limits as the endpoint last told them. ``tariff``: what tokens cost, ``price`` what a
    reply did, in US dollars. ``close`` lets go of the connections.
    """

    sdk = ""  # the package that is needed
    path = ""  # where bodies are posted, behind the base address
    rungs: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()  # parameters that this form never takes

    def __init__(
        self,
        model: str,
        *,
        provider: str,
        base_url: str,
        keys: Sequence[str] = (),
        name: str = "",
        family: str = "",
        parameters: Mapping[str, Any] | None = None,
        rung: str = "",
        price: Price | None = None,
    ) -> None:
        self.model, self.provider, self.base_url = model, provider, base_url
        self.keys = tuple(keys)
        self.name = name or f"{provider}:{model}"
        self.family = family or family_of(model)
        self.parameters = dict(parameters or {})
        self.rates: Rates | None = None
        self.tariff = price
        if provider == "deepseek" and self.thinks:  # it takes a temperature, without effect
            self.lacks = (*self.lacks, "temperature")
        self.climbed = self.rungs[self.rungs.index(rung) if rung else 0 :]  # the rungs that may be used
        self.ladder = StructuredOutputFallback(self.climbed, without=self.lacks)
        self._lock = threading.Lock()
        self._opened: tuple[Any, Where] | None = None

    def __getstate__(self) -> dict[str, Any]:
        """What another process needs to ask: no connection, and of the key the name of its variable alone."""
        left = ("_lock", "_opened", "ladder", "rates")
        return {name: value for name, value in vars(self).items() if name not in left}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self.rates, self._lock, self._opened = None, threading.Lock(), None
        self.ladder = StructuredOutputFallback(self.climbed, without=self.lacks)

    def settings(self) -> dict[str, Any]:
        """Everything known that a reply depends on, as it may be shown; never the key."""
        return {
            "model": f"{self.provider}:{self.model}",
            "base_url": shown(self.base_url),
            "parameters": self.parameters,
            "rungs": list(self.climbed),
        }

    @cached_property
    def seal(self) -> str:
        """Identity of model, address and parameters; what a provider changes under a name is out of sight."""
        return seal(["chat/1", {**self.settings(), "base_url": self.base_url}])

    def price(self, reply: Reply) -> float | None:
        """US dollars of a reply, as the endpoint tells them or by its tokens; None when neither is known."""
        return price_of(reply, self.tariff) if reply.cost is None else reply.cost

    @property
    def thinks(self) -> bool:
        """Whether it thinks before it replies: that counts in the limit of tokens."""
        return thinks(self.model, self.parameters)

    @property
    def endpoint(self) -> str:
        """The base address: what is asked there at once is limited for all its models together."""
        return self.base_url

    @property
    def key_name(self) -> str:
        """The variable of the environment that holds the key (the first of several when none is set)."""
        held = [name for name in self.keys if os.environ.get(name, "").strip()]
        return (held or [*self.keys, ""])[0]

    @property
    def key_unset(self) -> str:
        """The variables of which one should hold the key, where none does; empty: nothing is missing."""
        held = any(os.environ.get(name, "").strip() for name in self.keys)
        return "" if held else " or ".join(self.keys)

    def ready(self) -> None:
        """Raise what would keep every call from being made: a missing package, a missing key."""
        self._open()

    def ask(self, request: Request, *, timeout: float) -> Reply:
        """One reply; see `evenhand.protocols.Chat`."""
        return self.ladder.ask(request, self._send, timeout=timeout)

    def written(self, request: Request) -> dict[str, Any]:
        """The body that would ask *request* by the best rung: for batches, where nothing can be learned."""
        form, messages = self.ladder.put(request)
        return self.body(request, form, messages)

    def read(self, request: Request, body: Mapping[str, Any]) -> Reply:
        """The reply in a body that came for `written`; Unreachable when it holds none."""
        where = self.where
        return self.ladder.read(request, _masked(self._raw(body, where), where))

    @property
    def where(self) -> Where:
        """The endpoint as errors name it."""
        key = os.environ.get(self.key_name, "").strip() if self.keys else ""
        return Where(self.name, self.base_url, self.model, self.key_name, _secret(key))

    def apart(self) -> Any:
        """A client of the SDK for things other than questions, with the key; whoever asked closes it."""
        return self.client(self._key(), most=BULK)

    def close(self) -> None:
        """Let go of the connections; a later call opens new ones."""
        with self._lock:
            opened, self._opened = self._opened, None
        if opened is not None:
            opened[0].close()

    def _key(self) -> str:
        if not self.keys:
            return ""
        key = os.environ.get(self.key_name, "").strip()
        if not key:
            raise InputError(
                f"{self.name}: the environment has no {self.key_unset} for {shown(self.base_url)}",
                mend=f'export {self.keys[0]}=..., or key_env = "" for a server that asks for none',
            )
        if not key.isascii() or any(sign.isspace() or not sign.isprintable() for sign in key):
            raise InputError(
                f"{self.name}: {self.key_name} holds blanks or signs that no key has",
                mend=f"set {self.key_name} to the key alone",
            )
        return key

    def _open(self) -> tuple[Any, Where]:
        opened = self._opened
        if opened is None:
            with self._lock:
                if self._opened is None:
                    key = self._key()
                    client = self.line(key)
                    weakref.finalize(self, client.close)
                    secret = _secret(key)
                    where = Where(self.name, self.base_url, self.model, self.key_name, secret)
                    self._opened = (client, where)
                opened = self._opened
        return opened

    def client(self, key: str, *, most: int = MOST) -> Any:
        """A new client of the SDK, which takes replies of as many bytes as *most*."""
        raise NotImplementedError

    def body(self, request: Request, form: Form, messages: Sequence[Message]) -> dict[str, Any]:
        """What is posted, as JSON."""
        raise NotImplementedError

    def line(self, key: str) -> Any:
        """What bodies are posted through: an SDK's client, or a `Plain` line where that will do."""
        return self.client(key)

    def _post(self, line: Any, body: Mapping[str, Any], seconds: float) -> Any:
        """Post, past the SDK's typed bodies, which cost a millisecond and are not needed."""
        import httpx2

        if isinstance(line, Plain):
            return line.post(self.path, body, seconds)
        limit = httpx2.Timeout(seconds, connect=min(seconds, 15.0))
        sdk = self._module()
        try:
            return line.post(self.path, cast_to=httpx2.Response, body=body, options={"timeout": limit})
        except sdk.APIStatusError as error:
            return error.response
        except sdk.APIConnectionError as error:
            cause = error.__cause__
            raise (
                cause if isinstance(cause, httpx2.TransportError) else httpx2.TransportError(str(error))
            ) from None

    def _raw(self, body: Mapping[str, Any], where: Where) -> Raw:
        raise NotImplementedError

    def _send(self, request: Request, form: Form, messages: Sequence[Message], seconds: float) -> Raw:
        """One question; error statuses become what the ladder knows."""
        import httpx2

        line, where = self._open()
        try:
            reply = self._post(line, self.body(request, form, messages), seconds)
        except httpx2.TransportError as error:
            raise of_connection(where, error, seconds) from None
        if reply.status_code >= 300:
            return self._refused(where, reply)
        self._seen(reply.headers)
        try:
            body = reply.json()
        except (ValueError, RecursionError):
            raise odd(where, reply.text) from None
        if not isinstance(body, Mapping):
            raise odd(where, body)
        return _masked(self._raw(body, where), where)

    def _module(self) -> Any:
        from evenhand.plugins import need

        return need(self.sdk, extra="llm")

    def _seen(self, headers: Mapping[str, str]) -> None:
        rates = rates_of(headers)
        if rates is not None:
            self.rates = rates

    def _refused(self, where: Where, reply: Any) -> Raw:
        status, headers, body = reply.status_code, reply.headers, _body(reply)
        self._seen(headers)
        said = filtered(body)
        if said:
            return _masked(Raw(text=said, stop="refused"), where)
        fault: Unreachable = of_status(where, status, headers, body)
        param = body.get("error", body).get("param") if _is_error(body) else None
        what = rejected(status, where.line(body, 4000), str(param or ""))
        if what:
            raise Rejected(what, fault) from None
        raise fault from None


def _secret(key: str) -> dict[str, str]:
    """The header whose value no text may repeat; a word of a few letters is no key, and occurs everywhere."""
    return {"Authorization": f"Bearer {key}"} if len(key) >= 8 else {}


def _masked(raw: Raw, where: Where) -> Raw:
    """The reply without the key, which a server may repeat: it must not get into journal and votes."""
    if not where.secret:
        return raw
    text, model = (masked(said, where.secret, len(said)) for said in (raw.text, raw.model))
    return replace(raw, text=text, model=model)


def _is_error(body: Any) -> bool:
    return isinstance(body, Mapping) and isinstance(body.get("error", body), Mapping)


def _body(reply: Any) -> Any:
    """The body of an error: as JSON where it is."""
    try:
        return reply.json()
    except (ValueError, RecursionError):
        return reply.text
