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
    largest possible error; float64 decides. So neither block size nor threads change a result. Between
    blocks a question holds at most k + block candidates. Raises InputError for values that are not finite.
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


class _Proposed:
    """The candidates of some questions, in flat columns; `cut` is the k-th best product seen so far."""

    def __init__(self, asked: _Rows, held: _Rows, k: int, *, decimals: int, block: int) -> None:
        self.asked, self.held, self.k, self.decimals, self.block = asked, held, k, decimals, block
        # twice: |float32 product - exact| <= (d + 4) 2^-24 for vectors of length 1, and half a rounding step
        self.margin = 2 * ((asked.array.shape[1] + 4) * 2.0**-24 + 0.5 * 10.0**-decimals)
        self.cut = np.full(len(asked.array), -np.inf, dtype=np.float32)
        self.question: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
        self.unit: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
        self.near: NDArray[np.float32] = np.zeros(0, dtype=np.float32)
        self.trimmed = 0  # candidates after the last trim

    def add(self, near: NDArray[np.float32], first: int) -> None:
        """Take what a block proposes: float32[q, block], -inf where there is no direction."""
        floor = self.cut
        if near.shape[1] > self.k and not np.isfinite(floor).all():
            among = np.partition(near, near.shape[1] - self.k, axis=1)[:, near.shape[1] - self.k]
            floor = np.maximum(floor, among)
        low = np.maximum(floor - np.float32(self.margin), np.finfo(np.float32).min)
        flat = np.flatnonzero(near >= low[:, None])
        self.question = np.concatenate([self.question, flat // near.shape[1]])
        self.unit = np.concatenate([self.unit, flat % near.shape[1] + first])
        self.near = np.concatenate([self.near, near.reshape(-1)[flat]])
        most = len(self.cut) * (self.k + self.block)
        if not self.trimmed or len(self.unit) > min(2 * self.trimmed, most):
            self._trim()

    def _trim(self) -> None:
        """Raise the cuts, and let go what lies below them."""
        order = np.lexsort((-self.near, self.question))
        self._keep(order)
        edges = np.searchsorted(self.question, np.arange(len(self.cut) + 1))
        full = np.flatnonzero(np.diff(edges) >= self.k)
        self.cut[full] = self.near[edges[full] + self.k - 1]
        self._keep(self.near >= self.cut[self.question] - np.float32(self.margin))
        # thousands of equal units would all stay within the margin: those questions are settled now
        many = np.bincount(self.question, minlength=len(self.cut)) > self.k + self.block
        if many.any():
            loose = many[self.question]
            settled = np.flatnonzero(loose)[self._best(self.question[loose], self.unit[loose])[0]]
            self._keep(np.concatenate([np.flatnonzero(~loose), settled]))
        self.trimmed = max(len(self.unit), 1)

    def _keep(self, rows: NDArray[Any]) -> None:
        self.question, self.unit, self.near = self.question[rows], self.unit[rows], self.near[rows]

    def _best(self, question: NDArray[Any], unit: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.float64]]:
        """Rows of the k best of each question by exact cosine, in the order of questions, and cosines."""
        score = np.round(_score(self.asked, self.held, question, unit), self.decimals) + 0.0  # no -0.0
        order = np.lexsort((unit, -score, question))
        ordered = question[order]
        rank = np.arange(len(order)) - np.searchsorted(ordered, ordered)
        order = order[rank < self.k]
        return order, score[order]

    def rankings(self) -> list[Best]:
        """What float64 makes of the candidates."""
        rows, score = self._best(self.question, self.unit)
        edges = np.searchsorted(self.question[rows], np.arange(1, len(self.cut)))
        return list(zip(np.split(self.unit[rows], edges), np.split(score, edges), strict=True))


def _part(asked: _Rows, held: _Rows, k: int, *, decimals: int, block: int) -> list[Best]:
    direction = asked.directions()
    proposed = _Proposed(asked, held, k, decimals=decimals, block=block)
    for first in range(0, len(held.array), block):
        part = held.part(first, block)
        near = direction @ part.directions().T
        near[:, part.length == 0] = -np.inf
        near[asked.length == 0] = -np.inf
        proposed.add(near, first)
    return proposed.rankings()


def _score(asked: _Rows, held: _Rows, question: NDArray[Any], unit: NDArray[Any]) -> NDArray[np.float64]:
    score = np.empty(len(question))
    for first in range(0, len(question), PAIRS):
        q, u = question[first : first + PAIRS], unit[first : first + PAIRS]
        product = np.einsum("ij,ij->i", asked.array[q].astype(np.float64), held.array[u].astype(np.float64))
        score[first : first + PAIRS] = product / (asked.length[q] * held.length[u])
    return score
