"""The judged rows of the qrels by a hash of question and unit: which rows of a run are among them."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from evenhand.formats.runs.id_hash import LAST, Ids, differ, keys

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from evenhand.metrics.measure.view import Judged

    Questions = Callable[[NDArray[np.int64]], NDArray[np.int64]]
    Units = Callable[[NDArray[np.int64]], Ids]

__all__ = ["Wanted", "encoded", "mixed"]

LEAST, MOST = 12, 22  # bits of the table that tells most rows apart at once


def encoded(names: Sequence[str]) -> list[bytes]:
    """Ids as they stand in a UTF-8 file."""
    return [name.encode("utf-8", "surrogatepass") for name in names]


def mixed(question: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """What a question adds to the keys of its units, so that one unit has another key for each question."""
    return question * LAST


def _keys(ids: list[bytes]) -> NDArray[np.uint64]:
    return keys(Ids.of(ids))


class Wanted:
    """The judged rows, to be looked up many at once."""

    def __init__(
        self, judged: Judged, hashed: Callable[[list[bytes]], NDArray[np.uint64]] | None = None
    ) -> None:
        """*hashed* gives the hashes of ids, those that the rows to be looked up have; default: `keys`."""
        hashed = hashed or _keys
        qrels = judged.qrels
        self.judged = judged
        self.place = {name: i for i, name in enumerate(encoded(qrels.questions))}
        units = encoded(qrels.table)
        self.units = Ids.of(units)
        question = mixed(hashed(list(self.place)))
        key = hashed(units)[qrels.unit] ^ question[judged.question]
        self.row = np.argsort(key)
        self.key = key[self.row]
        bits = min(max(len(key).bit_length() + 6, LEAST), MOST)
        self.shift = np.uint64(64 - bits)
        self.seen = np.zeros(1 << bits, dtype=bool)
        self.seen[(self.key >> self.shift).view(np.int64)] = True

    @cached_property
    def clash(self) -> bool:
        """Whether two judged rows have one key, so that keys do not tell them apart."""
        return bool(np.any(self.key[1:] == self.key[:-1]))

    def find(
        self, key: NDArray[np.uint64], question: Questions, units: Units
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Which rows are judged, and the judged row of each.

        *key*: of each row; *question* gives the positions in the qrels of some rows, *units* their ids: both
        are compared, for an equal key is not enough.
        """
        maybe = np.flatnonzero(self.seen[(key >> self.shift).view(np.int64)])
        if not len(maybe) or not len(self.key):
            return maybe[:0], maybe[:0]
        at = np.searchsorted(self.key, key[maybe])
        at[at == len(self.key)] = 0
        same = self.key[at] == key[maybe]
        maybe, row = maybe[same], self.row[at[same]]
        true = (question(maybe) == self.judged.question[row]) & ~differ(
            units(maybe), self.units[self.judged.qrels.unit[row].astype(np.int64)]
        )
        return maybe[true], row[true]
