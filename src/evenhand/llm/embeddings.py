"""Embeddings of any endpoint that speaks the OpenAI form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from evenhand.errors import InputError
from evenhand.llm.http import key_of, masked, post, shown
from evenhand.model.seal import seal
from evenhand.protocols import Progress

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Embeddings"]


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
        import httpx2

        headers = key_of(self.key_env, self.base_url)
        sent = [i for i, text in enumerate(texts) if text.strip()]
        rows: list[NDArray[np.float32]] = []
        url = f"{self.base_url.rstrip('/')}/embeddings"
        with httpx2.Client(timeout=self.timeout) as client:
            for first in range(0, len(sent), self.batch):
                part = [texts[i] for i in sent[first : first + self.batch]]
                content: dict[str, Any] = {"model": self.model, "input": part, "encoding_format": "float"}
                if self.dimensions:
                    content["dimensions"] = self.dimensions
                reply = post(client, url, content, retries=self.retries, headers=headers)
                rows.append(_vectors(reply, part, f"{shown(url)} replied", headers))
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
        vectors = np.array([item["embedding"] for item in data], dtype=np.float32)
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(
            f"{told} without embeddings: {masked(reply, headers)!r}",
            mend='the reply must be {"data": [{"index", "embedding"}, ...]}',
        ) from error
    if vectors.ndim != 2 or len(vectors) != len(texts):
        raise InputError(f"{told} {len(data)} embeddings for {len(texts)} texts", mend="ask its provider")
    return vectors
