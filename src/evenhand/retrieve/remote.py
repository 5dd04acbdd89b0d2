"""A retriever behind an HTTP endpoint."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from evenhand.errors import InputError
from evenhand.llm import post

__all__ = ["Endpoint"]


@dataclass(frozen=True)
class Endpoint:
    """A searcher over HTTP; it is its own chunking.

    It is asked ``POST url`` with ``{"question": "...", "k": 10}`` and answers ``{"hits": [...]}``, best
    first. A hit is ``{"unit": "..."}``, ``{"doc": "...", "start": 0, "end": 9}`` or
    ``{"text": "...", "doc": "..."}`` (where ``doc`` may be missing), each with an optional ``"score"``.
    ``timeout``: seconds for one try; ``retries``: further tries after a connection error, a time-out,
    status 429 or 5xx.
    """

    url: str
    timeout: float = 30.0
    retries: int = 2
    name: str = "endpoint"

    def __post_init__(self) -> None:
        if not self.url.startswith(("http://", "https://")):
            raise InputError(f"{self.url!r} is not an address", mend="write http://host:port/path")
        if not self.timeout > 0 or self.retries < 0:
            raise InputError(
                f"timeout = {self.timeout}, retries = {self.retries} cannot be used",
                mend="give a timeout above 0 and retries from 0",
            )

    @cached_property
    def _client(self) -> Any:
        import httpx2

        return httpx2.Client(timeout=self.timeout)

    def search(self, question: str, k: int) -> Sequence[Any]:
        """Ask one question."""
        reply = post(self._client, self.url, {"question": question, "k": k}, retries=self.retries)
        if not isinstance(reply, dict) or not isinstance(reply.get("hits"), list):
            raise InputError(
                f"{self.url} replied without a list of hits: {str(reply)[:80]!r}",
                mend='the reply must be {"hits": [...]}',
            )
        hits: list[Any] = reply["hits"]
        return hits
