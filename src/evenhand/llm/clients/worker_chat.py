"""Chats that are asked by the workers of an engine: their replies come back here, their keys never leave."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from evenhand.errors import InputError
from evenhand.llm.clients.endpoint import Endpoint

if TYPE_CHECKING:
    from evenhand.llm.scheduling.rate_limits import Rates
    from evenhand.model.call import Reply, Request
    from evenhand.protocols import Chat, Engine

__all__ = ["Sent", "sent"]


def sent(chats: Mapping[str, Chat], engine: Engine | None) -> dict[str, Chat]:
    """The same chats; those behind an address are asked by workers of *engine*, if there is one.

    Recordings and programs lie on this machine, and guests are nobody's to send: they stay.
    """
    return {
        name: chat if engine is None or not isinstance(chat, Endpoint) else Sent(chat, engine)
        for name, chat in chats.items()
    }


class Sent:
    """An `Endpoint` whose requests leave from workers; all else of it is as it is here.

    A worker reads the key from its own environment: a pickled endpoint holds the name of the variable alone.
    """

    def __init__(self, chat: Endpoint, engine: Engine) -> None:
        self.chat, self.engine = chat, engine
        self.rates: Rates | None = None  # as a worker was told last

    def __getattr__(self, name: str) -> Any:
        return getattr(self.chat, name)

    @property
    def name(self) -> str:
        """How reports call it."""
        return self.chat.name

    @property
    def family(self) -> str:
        """Whose model it is."""
        return self.chat.family

    @property
    def seal(self) -> str:
        """Identity of model, address and parameters: the same wherever it is asked from."""
        return self.chat.seal

    def ready(self) -> None:
        """Raise what would keep every call from being made, as one worker sees it."""
        self._there(_ready, None)

    def ask(self, request: Request, *, timeout: float) -> Reply:
        """One reply, by way of a worker; see `evenhand.protocols.Chat`."""
        reply, rates = self._there(_asked, (request, timeout))
        if rates is not None:  # a worker's monotonic clock is another machine's: days apart from ours
            self.rates = replace(rates, at=time.monotonic())
        made: Reply = reply
        return made

    def _there(self, work: Any, item: Any) -> Any:
        try:
            return next(iter(self.engine.map(work, [item], shared=(self.chat,), waits=True)))
        except InputError as error:
            if "environment" not in error.what:
                raise
            raise InputError(
                f"on a worker: {error.what}",
                mend=f"{error.mend}; each worker reads keys from its own environment, none is sent to it",
            ) from error


def _ready(chat: Endpoint, _: None) -> None:
    chat.ready()


def _asked(chat: Endpoint, item: tuple[Request, float]) -> tuple[Reply, Rates | None]:
    request, timeout = item
    return chat.ask(request, timeout=timeout), chat.rates
