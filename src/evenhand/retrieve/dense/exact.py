"""Exact nearest units by cosine: matrix products in blocks, a running cut, re-scored in float64."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from evenhand.errors import InputError
from evenhand.protocols import Progress, quiet
from evenhand.retrieve.dense.matmul import HOST, Products

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["DECIMALS", "MEMORY", "Best", "Held", "Rows", "cosine_top", "cosines"]

Best = tuple[Any, Any]  # positions int64[h], cosines float64[h]
DECIMALS = 6  # cosines are rounded to this before ranking: processors differ in the seventh
ASKED = 512  # questions a matrix product takes at once
PAIRS = 512  # pairs re-scored at once: what lies in a processor's cache
PIECE = 256  # rows made float64 and brought to length 1 at once: the same
MEMORY = 1024  # MiB that the candidates of all questions may take; more questions go in rounds


class Rows(Protocol):
    """Vectors that need not lie in memory: an array, or a mapped file."""

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and dimensions."""

    def block(self, first: int, size: int) -> NDArray[np.float64]:
        """Rows ``first:first + size``."""

    def take(self, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """Single rows."""


@dataclass(frozen=True, eq=False)
class Held:
    """An array in memory as `Rows`."""

    array: NDArray[Any]

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and dimensions."""
        rows, columns = self.array.shape
        return rows, columns

    def block(self, first: int, size: int) -> NDArray[np.float64]:
        """Rows ``first:first + size``."""
        return self.array[first : first + size].astype(np.float64)

    def take(self, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """Single rows."""
        return self.array[rows].astype(np.float64)


def cosine_top(
    asked: NDArray[Any] | Rows,
    held: NDArray[Any] | Rows,
    k: int,
    *,
    decimals: int = DECIMALS,
    block: int = 4096,
    memory: int = MEMORY,
    products: Products = HOST,
    progress: Progress = quiet,
) -> tuple[list[Best], int, int]:
    """The *k* nearest rows of *held* (n × d numbers) for each row of *asked* (q × d), arrays or mapped files.

    Returns a (positions, cosines) pair a question, rounded to *decimals*, best first, ties by position,
    then the number of rows of *held* and of *asked* that have no direction (all zeros): they are in no
    ranking and get an empty one. The product in float32 only proposes, with a margin that covers its
    largest possible error; float64 decides. So neither block size, *memory*, threads nor the device of
    *products* change a result. *held* is read once in order, and its candidates once more; between blocks
    a question holds at most k + min(block, k + 64) of them. Where those of all questions would take more
    than *memory* MiB, questions go in rounds, and *held* is read once a round. Raises InputError for
    values that are not finite, for unlike dimensions, and where *products* are less exact than float32.
    """
    questions: Rows = Held(asked) if isinstance(asked, np.ndarray) else asked
    units: Rows = Held(held) if isinstance(held, np.ndarray) else held
    if questions.shape[1] != units.shape[1]:
        raise InputError(
            f"questions have {questions.shape[1]} dimensions and units {units.shape[1]}",
            mend="embed both with the same model",
        )
    many, n = questions.shape[0], units.shape[0]
    # twice (for growth before a trim) five columns of eight bytes, and the question itself in float64
    each = 2 * 40 * (min(k, n) + min(block, k + 64, n)) + 12 * questions.shape[1]
    at_once = max(ASKED, memory * 2**20 // each // ASKED * ASKED)
    rows: list[Best] = []
    blank = unasked = 0
    rounds = range(0, many, at_once)
    for turn, first in enumerate(rounds):
        wide = _finite(questions.block(first, at_once), "a question")
        tiles = [
            _Proposed(wide[i : i + ASKED], units, k, decimals=decimals, block=block, products=products)
            for i in range(0, len(wide), ASKED)
        ]
        blank = _scan(tiles, units, block, progress, (turn, len(rounds)))
        for tile in tiles:
            rows += tile.rankings()
            unasked += tile.blank
    return rows, blank, unasked


def _scan(tiles: list[_Proposed], units: Rows, block: int, told: Progress, turn: tuple[int, int]) -> int:
    """Let every block of *units* be proposed to every tile; returns how many rows have no direction."""
    blank, n = 0, units.shape[0]
    products = tiles[0].products
    for first in range(0, n, block):
        size = min(block, n - first)
        found, there = _pointing(units, first, size)
        blank += size - len(there)
        directions = products.hold(found)
        for tile in tiles:
            tile.add(products.times(tile.directions, directions), there)
        told("search", turn[0] * n + min(first + block, n), turn[1] * n)
    return blank


def _pointing(units: Rows, first: int, size: int) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Of rows ``first:first + size`` those that have a direction: it in float32, and their places."""
    made = np.empty((size, units.shape[1]), dtype=np.float32)
    there = np.empty(size, dtype=np.int64)
    found = 0
    for at in range(first, first + size, PIECE):
        wide = _finite(units.block(at, min(PIECE, first + size - at)), "a unit")
        length = _lengths(wide)
        rows = np.flatnonzero(length > 0)
        if len(rows) < len(wide):
            wide, length = wide[rows], length[rows]
        upto = found + len(rows)
        np.multiply(wide, (1 / length)[:, None], out=made[found:upto], casting="same_kind")
        there[found:upto] = rows + at
        found = upto
    return made[:found], there[:found]


def cosines(
    asked: NDArray[np.float64], held: Rows, question: NDArray[Any], unit: NDArray[Any], decimals: int
) -> NDArray[np.float64]:
    """Cosines of pairs (row of *asked*, row of *held*) in float64, rounded; none of the rows is all zeros."""
    score = np.empty(len(question))
    order = np.argsort(unit, kind="stable")  # a file is read from its beginning to its end
    for first in range(0, len(order), PAIRS):
        rows = order[first : first + PAIRS]
        one, two = asked[question[rows]], held.take(unit[rows])
        score[rows] = np.einsum("ij,ij->i", one, two) / (_lengths(one) * _lengths(two))
    return np.round(score, decimals) + 0.0  # no -0.0


def _finite(wide: NDArray[np.float64], name: str) -> NDArray[np.float64]:
    if not np.isfinite(wide).all():
        raise InputError(
            f"the embedding of {name} holds NaN or infinity",
            mend="mend the embedder: a text without an embedding is a row of zeros",
        )
    return wide


def _lengths(wide: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.sqrt(np.einsum("ij,ij->i", wide, wide)))


def _directions(wide: NDArray[np.float64], length: NDArray[np.float64]) -> NDArray[np.float32]:
    return (wide / length[:, None]).astype(np.float32)


def _falling(question: NDArray[np.int32], near: NDArray[np.float32]) -> NDArray[np.int64]:
    """Numbers that rise by question and, within one, as *near* falls: one fast sort in place of two."""
    bits = near.view(np.int32)
    rising = bits ^ ((bits >> 31) & 0x7FFFFFFF)  # as whole numbers in the order of the floats
    return (question.astype(np.int64) << 32) + (2**31 - 1 - rising.astype(np.int64))


class _Proposed:
    """The candidates of some questions, in flat columns; `cut` is the k-th best product seen so far."""

    def __init__(
        self,
        asked: NDArray[np.float64],
        held: Rows,
        k: int,
        *,
        decimals: int,
        block: int,
        products: Products,
    ) -> None:
        self.asked, self.held, self.k, self.decimals, self.products = asked, held, k, decimals, products
        self.spare = min(block, k + 64)
        # |float32 product - exact| for vectors of length 1, whatever the order of its sums
        self.error = (asked.shape[1] + 4) * 2.0**-24
        self.margin = np.float32(2 * (self.error + 0.5 * 10.0**-decimals))  # of two products, and of rounding
        length = _lengths(asked)
        self.blank = int((length == 0).sum())
        self.directions = products.hold(_directions(asked, np.where(length > 0, length, 1.0)))
        # a question without a direction is above everything: nothing is proposed to it
        self.cut = np.where(length > 0, -np.inf, np.inf).astype(np.float32)
        self.question: NDArray[np.int32] = np.zeros(0, dtype=np.int32)
        self.unit: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
        self.near: NDArray[np.float32] = np.zeros(0, dtype=np.float32)
        self.trimmed = 0  # candidates after the last trim

    def add(self, near: Any, unit: NDArray[np.int64]) -> None:
        """Take what a block proposes: *near* is a product of ours with the rows at *unit*."""
        if not len(unit):
            return
        floor = self.cut
        if len(unit) > self.k and np.isneginf(floor).any():
            floor = np.maximum(floor, self.products.kth(near, self.k))
        question, column, value = self.products.above(near, floor - self.margin)
        self.question = np.concatenate([self.question, question.astype(np.int32)])
        self.unit = np.concatenate([self.unit, unit[column]])
        self.near = np.concatenate([self.near, value])
        most = len(self.cut) * (self.k + self.spare)
        if not self.trimmed or len(self.unit) > min(2 * self.trimmed, most):
            self._trim()

    def _trim(self) -> None:
        """Raise the cuts, and let go what lies below them."""
        self._keep(np.argsort(_falling(self.question, self.near)))
        edges = np.searchsorted(self.question, np.arange(len(self.cut) + 1))
        full = np.flatnonzero(np.diff(edges) >= self.k)
        self.cut[full] = self.near[edges[full] + self.k - 1]
        self._keep(self.near >= self.cut[self.question] - self.margin)
        # thousands of equal units would all stay within the margin: those questions are settled now
        many = np.bincount(self.question, minlength=len(self.cut)) > self.k + self.spare
        if many.any():
            loose = many[self.question]
            settled = np.flatnonzero(loose)[self._best(np.flatnonzero(loose))[0]]
            self._keep(np.concatenate([np.flatnonzero(~loose), settled]))
        self.trimmed = max(len(self.unit), 1)

    def _keep(self, rows: NDArray[Any]) -> None:
        self.question, self.unit, self.near = self.question[rows], self.unit[rows], self.near[rows]

    def _best(self, rows: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.float64]]:
        """The k best of each question among the candidates at *rows* (by position in them), and cosines."""
        question, unit = self.question[rows], self.unit[rows]
        score = cosines(self.asked, self.held, question, unit, self.decimals)
        if len(rows) and np.abs(score - self.near[rows]).max() > self.error + 10.0**-self.decimals:
            raise InputError(
                f"matrix products on {self.products.name} are less exact than float32 promises",
                mend='write device = "cpu"',
            )
        order = np.lexsort((unit, -score, question))
        ordered = question[order]
        rank = np.arange(len(order)) - np.searchsorted(ordered, ordered)
        order = order[rank < self.k]
        return order, score[order]

    def rankings(self) -> list[Best]:
        """What float64 makes of the candidates."""
        self._trim()
        rows, score = self._best(np.arange(len(self.unit)))
        edges = np.searchsorted(self.question[rows], np.arange(1, len(self.cut)))
        found = list(zip(np.split(self.unit[rows], edges), np.split(score, edges), strict=True))
        self._keep(rows[:0])
        return found
