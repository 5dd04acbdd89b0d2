"""The seal of a thing is the SHA-256 of its canonical form."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

__all__ = ["canonical", "seal", "seal_arrays", "seal_texts"]


def canonical(thing: Any) -> bytes:
    """The canonical JSON of *thing*: sorted keys, no blanks, UTF-8, no NaN or infinity."""
    return json.dumps(
        thing, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False
    ).encode("utf-8", "surrogatepass")


def seal(thing: Any) -> str:
    """SHA-256, as 64 hex digits, of the canonical JSON of *thing*."""
    return hashlib.sha256(canonical(thing)).hexdigest()


def seal_texts(texts: Iterable[str]) -> str:
    """Seal a sequence of texts; each is preceded by its length, so no two sequences share a form."""
    digest = hashlib.sha256()
    for text in texts:
        data = text.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return digest.hexdigest()


def seal_arrays(*arrays: NDArray[Any]) -> str:
    """Seal arrays by type, shape and little-endian bytes."""
    digest = hashlib.sha256()
    for array in arrays:
        fixed = np.ascontiguousarray(array)
        fixed = fixed.astype(fixed.dtype.newbyteorder("<"), copy=False)
        digest.update(f"{fixed.dtype.str}{fixed.shape}".encode())
        digest.update(fixed.data if fixed.size else b"")
    return digest.hexdigest()
