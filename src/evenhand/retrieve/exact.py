"""Exact nearest units by cosine: matrix products in blocks, a running cut, re-scored in float64."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from evenhand.errors import InputError
from evenhand.protocols import Progress, quiet

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["DECIMALS", "cosine_top"]

Best = tuple[Any, Any]  # positions int64[h], cosines float64[h]
DECIMALS = 6  # cosines are rounded to this before ranking: processors differ in the seventh
ASKED = 512  # questions a matrix product takes at once
PAIRS = 4096  # pairs re-scored at once


def cosine_top(
    asked: NDArray[np.float32],
    held: NDArray[np.float32],
    k: int,
    *,
    decimals: int = DECIMALS,
    block: int = 4096,
    progress: Progress = quiet,
) -> tuple[list[Best], int, int]:
    """The *k* nearest rows of *held* (float32[n, d]) for each row of *asked* (float32[q, d]).

    Returns a (positions, cosines) pair a question, rounded to *decimals*, best first, ties by position,
    then the number of rows of *held* and of *asked* that have no direction (all zeros): they are in no
    ranking and get an empty one. The product in float32 only proposes, with a margin that covers its
    largest possible error; float64 decides. So neither block size nor threads change a result. A question
    never holds more than k and one block of candidates. Raises InputError for values that are not finite.
    """
    for name, array in (("a unit", held), ("a question", asked)):
        if not np.isfinite(array).all():
            raise InputError(
                f"the embedding of {name} holds NaN or infinity",
                mend="mend the embedder: a text without an embedding is a row of zeros",
            )
    if asked.shape[1] != held.shape[1]:
        raise InputError(
            f"questions have {asked.shape[1]} dimensions and units {held.shape[1]}",
            mend="embed both with the same model",
        )
    units, questions = _Rows(held, _lengths(held)), _Rows(asked, _lengths(asked))
    rows: list[Best] = []
    for first in range(0, len(asked), ASKED):
        part = questions.part(first, ASKED)
        rows += _part(part, units, k, decimals=decimals, block=block)
        progress("search", first + len(part.array), len(asked))
    return rows, int((units.length == 0).sum()), int((questions.length == 0).sum())


@dataclass(frozen=True, slots=True)
class _Rows:
    """Vectors with their lengths."""

    array: NDArray[np.float32]
    length: NDArray[np.float64]

    def part(self, first: int, size: int) -> _Rows:
        return _Rows(self.array[first : first + size], self.length[first : first + size])

    def directions(self) -> NDArray[np.float32]:
        return (self.array / np.where(self.length > 0, self.length, 1.0)[:, None]).astype(np.float32)


def _lengths(array: NDArray[np.float32]) -> NDArray[np.float64]:
    out = np.empty(len(array))
    for first in range(0, len(array), PAIRS):
        wide = array[first : first + PAIRS].astype(np.float64)
        out[first : first + PAIRS] = np.sqrt(np.einsum("ij,ij->i", wide, wide))
    return out


def _part(asked: _Rows, held: _Rows, k: int, *, decimals: int, block: int) -> list[Best]:
    direction = asked.directions()
    # twice: |float32 product - exact| <= (d + 4) 2^-24 for vectors of length 1, and half a rounding step
    margin = np.float32(2 * ((asked.array.shape[1] + 4) * 2.0**-24 + 0.5 * 10.0**-decimals))
    best: list[Best] = [(np.zeros(0, dtype=np.int64), np.zeros(0))] * len(direction)
    cut = np.full(len(direction), -np.inf, dtype=np.float32)  # the k-th best so far
    for first in range(0, len(held.array), block):
        part = held.part(first, block)
        near = direction @ part.directions().T
        near[:, part.length == 0] = -np.inf
        near[asked.length == 0] = -np.inf
        floor = cut
        if near.shape[1] > k:
            among = np.partition(near, near.shape[1] - k, axis=1)[:, near.shape[1] - k]
            floor = np.maximum(cut, among)
        question, unit = np.nonzero((near >= (floor - margin)[:, None]) & (near > -np.inf))
        unit += first
        score = np.round(_score(asked, held, question, unit), decimals) + 0.0  # no -0.0
        edges = np.searchsorted(question, np.arange(len(direction) + 1))
        for q in np.flatnonzero(np.diff(edges)).tolist():
            new = slice(edges[q], edges[q + 1])
            units = np.concatenate([best[q][0], unit[new]])
            scores = np.concatenate([best[q][1], score[new]])
            order = np.lexsort((units, -scores))[:k]
            best[q] = (units[order], scores[order])
            if len(order) == k:
                cut[q] = scores[order[-1]]
    return best


def _score(asked: _Rows, held: _Rows, question: NDArray[Any], unit: NDArray[Any]) -> NDArray[np.float64]:
    score = np.empty(len(question))
    for first in range(0, len(question), PAIRS):
        q, u = question[first : first + PAIRS], unit[first : first + PAIRS]
        product = np.einsum("ij,ij->i", asked.array[q].astype(np.float64), held.array[u].astype(np.float64))
        score[first : first + PAIRS] = product / (asked.length[q] * held.length[u])
    return score
