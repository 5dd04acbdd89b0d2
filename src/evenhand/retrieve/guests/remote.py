"""A retriever behind an HTTP endpoint."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from evenhand.errors import InputError
from evenhand.llm import client, key_of, masked, post, shown

__all__ = ["Endpoint"]


@dataclass(frozen=True)
class Endpoint:
    """A searcher over HTTP; it is its own chunking.

    It is asked ``POST url`` with ``{"question": "...", "k": 10}`` and answers ``{"hits": [...]}``, best
    first. A hit is ``{"unit": "..."}``, ``{"doc": "...", "start": 0, "end": 9}`` or
    ``{"text": "...", "doc": "..."}`` (where ``doc`` may be missing), each with an optional ``"score"``.
    ``timeout``: seconds for one try; ``retries``: further tries after a connection error, a time-out,
    status 429 or 5xx. A question that fails all the same is not run, see
    `evenhand.retrieve.guests.ask_guest`. ``key_env`` names the environment variable with the key that is
    sent as a bearer token.

    Each run asks anew, since what is behind an address may change; a run that was stopped, or in which
    questions failed, goes on with what is missing. With ``cache`` an answer is kept for good.
    """

    url: str
    timeout: float = 30.0
    retries: int = 2
    key_env: str = ""
    cache: bool = False
    name: str = "endpoint"

    def __post_init__(self) -> None:
        if not self.url.startswith(("http://", "https://")):
            raise InputError(f"{shown(self.url)!r} is not an address", mend="write http://host:port/path")
        if not self.timeout > 0 or self.retries < 0:
            raise InputError(
                f"timeout = {self.timeout}, retries = {self.retries} cannot be used",
                mend="give a timeout above 0 and retries from 0",
            )

    @cached_property
    def _client(self) -> Any:
        return client(timeout=self.timeout)

    def search(self, question: str, k: int) -> Sequence[Any]:
        """Ask one question."""
        headers = key_of(self.key_env, self.url)
        asked = {"question": question, "k": k}
        reply = post(self._client, self.url, asked, retries=self.retries, headers=headers)
        if not isinstance(reply, dict) or not isinstance(reply.get("hits"), list):
            raise InputError(
                f"{shown(self.url)} replied without a list of hits: {masked(reply, headers)!r}",
                mend='the reply must be {"hits": [...]}',
            )
        hits: list[Any] = reply["hits"]
        return hits
