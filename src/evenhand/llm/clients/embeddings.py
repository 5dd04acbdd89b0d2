"""Embeddings of any endpoint that speaks the OpenAI form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from evenhand.errors import InputError
from evenhand.llm.clients.http_calls import key_of, masked, post, shown
from evenhand.llm.clients.transport import MOST, client
from evenhand.model.seal import seal
from evenhand.protocols import Progress
from evenhand.text.plural import many

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Embeddings"]

VECTOR = 500_000  # bytes of one in a reply at the most: twenty thousand numbers


@dataclass(frozen=True)
class Embeddings:
    """Vectors from an OpenAI-compatible endpoint, ``POST {base_url}/embeddings``.

    ``key_env`` names the environment variable that holds the key; empty for a server that asks for none.
    ``limit``: tokens the model reads, when known. Vectors are cached under model, address and dimensions:
    a provider that changes a model under its name cannot be seen from here.
    """

    model: str = ""
    base_url: str = "https://api.openai.com/v1"
    key_env: str = "OPENAI_API_KEY"
    dimensions: int | None = None
    batch: int = 64
    timeout: float = 60.0
    retries: int = 5
    stays: ClassVar[bool] = True  # the work is done behind the address
    in_batches: ClassVar[bool] = True  # what one request answered is kept before the next is sent

    def __post_init__(self) -> None:
        if not self.model:
            raise InputError("an embeddings endpoint needs the name of a model", mend='model = "..."')
        if self.batch < 1 or self.timeout <= 0 or self.retries < 0:
            raise InputError(
                f"batch = {self.batch}, timeout = {self.timeout}, retries = {self.retries} cannot be used",
                mend="batch from 1, timeout above 0, retries from 0",
            )

    @property
    def name(self) -> str:
        """How reports call it."""
        return self.model

    def settings(self) -> dict[str, Any]:
        """Everything known that a vector depends on; never the key."""
        return {"model": self.model, "base_url": shown(self.base_url), "dimensions": self.dimensions}

    @cached_property
    def seal(self) -> str:
        """Identity by name: the weights are out of sight."""
        return seal(["embeddings", {**self.settings(), "base_url": self.base_url}])

    def embed(self, texts: Sequence[str], *, progress: Progress | None = None) -> NDArray[np.float32]:
        """float32[n, d]; a blank text is a row of zeros and is not sent."""
        headers = key_of(self.key_env, self.base_url)
        sent = [i for i, text in enumerate(texts) if text.strip()]
        rows: list[NDArray[np.float32]] = []
        url = f"{self.base_url.rstrip('/')}/embeddings"
        with client(timeout=self.timeout, most=max(MOST, self.batch * VECTOR)) as line:
            for first in range(0, len(sent), self.batch):
                part = [texts[i] for i in sent[first : first + self.batch]]
                content: dict[str, Any] = {"model": self.model, "input": part, "encoding_format": "float"}
                if self.dimensions:
                    content["dimensions"] = self.dimensions
                reply = post(line, url, content, retries=self.retries, headers=headers)
                rows.append(_vectors(reply, part, f"{shown(url)} replied", headers))
                if rows[-1].shape[1] != rows[0].shape[1]:
                    raise InputError(
                        f"{shown(url)} replied vectors of {rows[-1].shape[1]} numbers after others of "
                        f"{rows[0].shape[1]}",
                        mend="ask its provider: one model has vectors of one length",
                    )
                if progress is not None:
                    progress("embed", min(first + self.batch, len(sent)), len(sent))
        width = rows[0].shape[1] if rows else self.dimensions or 1
        vectors = np.zeros((len(texts), width), dtype=np.float32)
        if rows:
            vectors[sent] = np.concatenate(rows)
        return vectors


def _vectors(reply: Any, texts: Sequence[str], told: str, headers: Mapping[str, str]) -> NDArray[np.float32]:
    try:
        data = sorted(reply["data"], key=lambda item: item["index"])
        places = [item["index"] for item in data]
        with np.errstate(over="ignore"):  # what no float32 holds becomes infinite, and is refused below
            vectors = np.array([item["embedding"] for item in data], dtype=np.float32)
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise _odd(told, reply, headers) from error
    if vectors.ndim != 2 or not vectors.size:
        raise _odd(told, reply, headers)
    if len(vectors) != len(texts):
        raise InputError(
            f"{told} {many(len(data), 'embedding')} for {many(len(texts), 'text')}", mend="ask its provider"
        )
    if places != list(range(len(texts))):
        right, wrong = next(pair for pair in enumerate(places) if pair[0] != pair[1])
        raise InputError(
            f"{told} {many(len(texts), 'embedding')} with the index {wrong!r} in place of {right}: it is not "
            "known which text each is of",
            mend=f"each index from 0 to {len(texts) - 1} must occur once; ask its provider",
        )
    broken = np.flatnonzero(~np.isfinite(vectors).all(axis=1))
    if len(broken):
        raise InputError(
            f"{told} an embedding with NaN or an infinite number in it, index {broken[0]}",
            mend="ask its provider: nothing can be compared with it",
        )
    return vectors


def _odd(told: str, reply: Any, headers: Mapping[str, str]) -> InputError:
    return InputError(
        f"{told} without embeddings: {masked(reply, headers)!r}",
        mend='the reply must be {"data": [{"index", "embedding"}, ...]}, vectors of one length',
    )
