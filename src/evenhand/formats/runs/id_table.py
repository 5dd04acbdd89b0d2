"""Millions of ids as one block of bytes, made text only when looked at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from evenhand.formats.runs.id_hash import Ids, by_bytes, differ, keys, unlike

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Names", "numbered"]


class Names(Sequence[str]):
    """A table of ids in UTF-8; equal to any other sequence of the same ids."""

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, ids: Ids) -> None:
        self._ids = ids

    def __len__(self) -> int:
        return len(self._ids)

    @overload
    def __getitem__(self, key: int) -> str: ...

    @overload
    def __getitem__(self, key: slice) -> Sequence[str]: ...

    def __getitem__(self, key: Any) -> Any:
        """An id, or some of them."""
        if isinstance(key, slice):
            return tuple(self[i] for i in range(*key.indices(len(self))))
        at = range(len(self))[key]
        return self._ids.bytes_of(at).decode()

    def __iter__(self) -> Iterator[str]:
        raw = self._ids.data.tobytes()
        start, stop = self._ids.start, self._ids.start + self._ids.length
        for first in range(0, len(self), 1 << 16):
            part = slice(first, first + (1 << 16))
            for a, b in zip(start[part].tolist(), stop[part].tolist(), strict=True):
                yield raw[a:b].decode()

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Names):
            return self is other or (len(self) == len(other) and not differ(self._ids, other._ids).any())
        if isinstance(other, (tuple, list)):
            return len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True))
        return NotImplemented


def numbered(ids: Ids, *, key: NDArray[np.uint64] | None = None) -> tuple[Ids, NDArray[np.int32]] | None:
    """The different ids in the order of their bytes, and which of them each is.

    None in the case, which hardly ever comes up, that two different ids have one hash. *key*: the hashes.
    """
    key = keys(ids) if key is None else key
    order = np.argsort(key)
    new = np.ones(len(order), dtype=bool)
    ordered = key[order]
    new[1:] = ordered[1:] != ordered[:-1]
    del ordered
    one = ids[order[new]]
    group = np.empty(len(order), dtype=np.int32)
    group[order] = np.cumsum(new, dtype=np.int32) - 1
    del order, new
    if unlike(ids, one[group]):
        return None
    by = by_bytes(one)
    place = np.empty(len(by), dtype=np.int32)
    place[by] = np.arange(len(by), dtype=np.int32)
    return one[by].packed(), place[group]
