"""Vectors kept in a file: a dense retriever that needs no model, for texts that were embedded beforehand."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar
from zipfile import BadZipFile

import numpy as np

from evenhand.errors import InputError
from evenhand.model.seal import seal
from evenhand.protocols import Progress

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from evenhand.protocols import Embedder

__all__ = ["Stored", "stored_bytes"]

HASH = 16  # bytes of the SHA-256 of a text
MOST = 127


def _key(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:HASH]


@dataclass(frozen=True)
class Stored:
    """An embedder that looks vectors up by the SHA-256 of the text, in an ``.npz`` file that we wrote.

    Components are kept in 8 bits, each vector scaled to its largest; cosines differ from those of the model
    by less than 0.01. A text that is not in the file is an error: it was changed, or cut otherwise.
    """

    file: str = ""
    stays: ClassVar[bool] = True  # the file is here, and to look up costs less than to send

    def __post_init__(self) -> None:
        if not self.file:
            raise InputError("stored vectors need a file", mend='options = { file = "topics.vectors.npz" }')

    @cached_property
    def _bytes(self) -> bytes:
        try:
            return Path(self.file).read_bytes()
        except OSError as error:
            raise InputError(
                f"stored vectors: {Path(self.file).name} cannot be read ({error.strerror})",
                mend="give the path of an .npz file, relative to the study file",
            ) from error

    @cached_property
    def _held(self) -> tuple[dict[bytes, int], NDArray[np.int8], str]:
        try:
            with np.load(io.BytesIO(self._bytes), allow_pickle=False) as held:
                keys, vectors, name = held["key"], held["vector"], str(held["embedder"])
        except (OSError, ValueError, KeyError, EOFError, BadZipFile) as error:
            raise InputError(
                f"stored vectors: {Path(self.file).name} is no file of vectors ({error})",
                mend="make it with evenhand.retrieve.vectors.stored.stored_bytes",
            ) from error
        if vectors.ndim != 2 or keys.shape != (len(vectors), HASH) or vectors.dtype != np.int8:
            raise InputError(
                f"stored vectors: {Path(self.file).name} has not the form of ours",
                mend="make it with evenhand.retrieve.vectors.stored.stored_bytes",
            )
        return {row.tobytes(): i for i, row in enumerate(keys)}, vectors, name

    @property
    def name(self) -> str:
        """The model that made them."""
        return f"{self._held[2]} (stored)"

    @cached_property
    def seal(self) -> str:
        """Identity of the file's bytes."""
        return seal(["stored/1", hashlib.sha256(self._bytes).hexdigest()])

    def settings(self) -> dict[str, Any]:
        """What a vector depends on."""
        return {"embedder": self._held[2], "sha256": hashlib.sha256(self._bytes).hexdigest()}

    def embed(self, texts: Sequence[str], *, progress: Progress | None = None) -> NDArray[np.float32]:  # noqa: ARG002
        """float32[n, d]; a blank text is a row of zeros."""
        places, vectors, name = self._held
        rows = np.zeros((len(texts), vectors.shape[1]), dtype=np.float32)
        for i, text in enumerate(texts):
            if not text.strip():
                continue
            at = places.get(_key(text))
            if at is None:
                words = " ".join(text.split())[:60]
                raise InputError(
                    f"stored vectors: {Path(self.file).name} has no vector of {words!r}",
                    mend=f"the text was changed or cut otherwise: make the file anew with {name}, or write "
                    'embedder = "minilm"',
                )
            rows[i] = vectors[at]
        return rows


def stored_bytes(embedder: Embedder, texts: Iterable[str]) -> bytes:
    """The content of a file of vectors of *texts*, each once. The same vectors give the same bytes."""
    distinct = sorted({text for text in texts if text.strip()}, key=_key)
    found = np.asarray(embedder.embed(distinct), dtype=np.float64)
    largest = np.maximum(np.abs(found).max(axis=1, keepdims=True), 1e-12)
    small = np.rint(found / largest * MOST).astype(np.int8)
    keys = np.frombuffer(b"".join(map(_key, distinct)), dtype=np.uint8).reshape(-1, HASH)
    out = io.BytesIO()
    np.savez(out, key=keys, vector=small, embedder=np.array(embedder.name))
    return out.getvalue()
