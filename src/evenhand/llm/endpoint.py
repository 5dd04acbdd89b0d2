"""A chat behind an HTTP endpoint: what OpenAI's and Anthropic's forms have in common."""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from evenhand.errors import InputError, Unreachable
from evenhand.llm.families import family_of
from evenhand.llm.faults import Where, filtered, odd, of_connection, of_status
from evenhand.llm.http import shown
from evenhand.llm.ladder import Form, Ladder, Raw, Rejected
from evenhand.llm.limits import Rates, rates_of
from evenhand.llm.prices import Price, price_of
from evenhand.llm.rejections import rejected
from evenhand.model.call import Message, Reply, Request
from evenhand.model.seal import seal

__all__ = ["Endpoint"]


class Endpoint:
    """A `protocols.Chat` over HTTP, used from many threads; one question, no tries of its own.

    ``rates``: the endpoint's limits as it last told them. ``tariff``: what tokens cost, ``price`` what a
    reply did, in US dollars. ``close`` lets go of the connections.
    """

    sdk = ""  # the package that is needed
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
        self.climbed = self.rungs[self.rungs.index(rung) if rung else 0 :]  # the rungs that may be used
        self.ladder = Ladder(self.climbed, without=self.lacks)
        self._lock = threading.Lock()
        self._opened: tuple[Any, Where] | None = None

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
        """US dollars of a reply; None when the model's price or the counts of tokens are not known."""
        return price_of(reply, self.tariff)

    @property
    def key_name(self) -> str:
        """The variable of the environment that holds the key (the first of several when none is set)."""
        held = [name for name in self.keys if os.environ.get(name, "").strip()]
        return (held or [*self.keys, ""])[0]

    def ready(self) -> None:
        """Raise what would keep every call from being made: a missing package, a missing key."""
        self._open()

    def ask(self, request: Request, *, timeout: float) -> Reply:
        """One reply; see `evenhand.protocols.Chat`."""
        return self.ladder.ask(request, self._send, timeout=timeout)

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
                f"{self.name}: the environment has no {' or '.join(self.keys)} for {shown(self.base_url)}",
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
                    client = self._client(key)
                    weakref.finalize(self, client.close)
                    secret = {"Authorization": f"Bearer {key}"} if key else {}
                    where = Where(self.name, self.base_url, self.model, self.key_name, secret)
                    self._opened = (client, where)
                opened = self._opened
        return opened

    def _client(self, key: str) -> Any:
        raise NotImplementedError

    def _post(
        self, client: Any, request: Request, form: Form, messages: Sequence[Message], timeout: Any
    ) -> Any:
        raise NotImplementedError

    @staticmethod
    def _line(client: Any, path: str, body: Mapping[str, Any], timeout: Any) -> Any:
        """Post through the SDK without its typed bodies, which cost a millisecond and are not needed."""
        import httpx2

        return client.post(path, cast_to=httpx2.Response, body=body, options={"timeout": timeout})

    def _raw(self, body: Mapping[str, Any], where: Where) -> Raw:
        raise NotImplementedError

    def _send(self, request: Request, form: Form, messages: Sequence[Message], seconds: float) -> Raw:
        """One question; error statuses become what the ladder knows."""
        import httpx2

        client, where = self._open()
        sdk = self._module()
        limit = httpx2.Timeout(seconds, connect=min(seconds, 15.0))
        try:
            reply = self._post(client, request, form, messages, limit)
        except sdk.APIStatusError as error:
            return self._refused(where, error)
        except sdk.APIConnectionError as error:
            raise of_connection(where, error, seconds) from None
        except httpx2.TransportError as error:
            raise of_connection(where, error, seconds) from None
        self._seen(reply.headers)
        try:
            body = reply.json()
        except (ValueError, RecursionError):
            raise odd(where, reply.text) from None
        if not isinstance(body, Mapping):
            raise odd(where, body)
        return self._raw(body, where)

    def _module(self) -> Any:
        from evenhand.plugins import need

        return need(self.sdk, extra="llm")

    def _seen(self, headers: Mapping[str, str]) -> None:
        rates = rates_of(headers)
        if rates is not None:
            self.rates = rates

    def _refused(self, where: Where, error: Any) -> Raw:
        status, headers, body = error.status_code, error.response.headers, _body(error)
        self._seen(headers)
        said = filtered(body)
        if said:
            return Raw(text=said, stop="refused")
        fault: Unreachable = of_status(where, status, headers, body)
        param = body.get("error", body).get("param") if _is_error(body) else None
        what = rejected(status, where.line(body, 4000), str(param or ""))
        if what:
            raise Rejected(what, fault) from None
        raise fault from None


def _is_error(body: Any) -> bool:
    return isinstance(body, Mapping) and isinstance(body.get("error", body), Mapping)


def _body(error: Any) -> Any:
    """The whole body of an error; the SDKs keep only a part of it."""
    try:
        return error.response.json()
    except (ValueError, RecursionError):
        return error.response.text
