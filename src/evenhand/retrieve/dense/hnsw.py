"""A graph of near neighbours (HNSW, Malkov & Yashunin 2018), through usearch."""

from __future__ import annotations

from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import numpy as np

from evenhand.errors import InputError
from evenhand.plugins import need

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["HNSW"]

KINDS = ("f32", "f16", "bf16", "i8")


class HNSW:
    """Vectors of length 1 by their inner product, in memory.

    Built and searched on one thread: several would build another graph each time. ``connectivity``: edges
    of a node; ``expansion_add`` and ``expansion_search``: how wide it looks when it is built and when it is
    asked (larger is slower and finds more); ``dtype``: f32, f16, bf16 or i8, as it holds the vectors.
    """

    def __init__(
        self,
        *,
        dimensions: int,
        connectivity: int = 16,
        expansion_add: int = 128,
        expansion_search: int = 128,
        dtype: str = "f32",
    ) -> None:
        settings = {
            "connectivity": connectivity,
            "expansion_add": expansion_add,
            "expansion_search": expansion_search,
        }
        for name, value in settings.items():
            if isinstance(value, bool) or not isinstance(value, int) or value < 2:
                raise InputError(f"{name} is {value!r}", mend="give a whole number of at least 2")
        if dtype not in KINDS:
            raise InputError(f"dtype is {dtype!r}", mend=f"write one of {', '.join(KINDS)}")
        usearch = need("usearch.index", extra="approximate")
        self._told = {**settings, "dtype": dtype}
        self._index = usearch.Index(ndim=dimensions, metric="ip", **self._told)
        self._held = 0

    def settings(self) -> dict[str, Any]:
        """What it finds depends on."""
        return {"index": "hnsw", **self._told, "usearch": version("usearch")}

    def add(self, vectors: NDArray[np.float32]) -> None:
        """Take the next rows, of length 1."""
        keys = np.arange(self._held, self._held + len(vectors), dtype=np.uint64)
        if len(vectors):
            self._index.add(keys, vectors, threads=1)
        self._held += len(vectors)

    def search(self, vectors: NDArray[np.float32], k: int) -> NDArray[np.int64]:
        """int64[q, k]: positions in the order of adding, -1 where there is none."""
        if not len(vectors) or not self._held:
            return np.full((len(vectors), k), -1, dtype=np.int64)
        found = self._index.search(np.ascontiguousarray(vectors), k, threads=1)
        if len(vectors) == 1:  # one question comes back without the first axis
            keys = np.asarray(found.keys).astype(np.int64)
            made = np.full((1, k), -1, dtype=np.int64)
            made[0, : len(keys)] = keys
            return made
        keys, counts = np.asarray(found.keys).astype(np.int64), np.asarray(found.counts)
        keys[np.arange(keys.shape[1])[None, :] >= counts[:, None]] = -1
        return keys
