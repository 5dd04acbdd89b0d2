"""Null systems: what a ranking is worth that did not read the question."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from evenhand.retrieve.lexical.bm25 import BM25
from evenhand.retrieve.rank import Ranked, collect

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from evenhand.model.text import Units
    from evenhand.protocols import Progress
    from evenhand.store.blobs import Blobs

__all__ = ["Constant", "Popular", "Random"]


def _rows(
    orders: Sequence[NDArray[np.int64]], settings: dict[str, Any], seconds: Sequence[float] | None = None
) -> Ranked:
    rows = [(order, 1.0 / np.arange(1, len(order) + 1)) for order in orders]
    return collect(rows, seconds or [0.0] * len(rows), provenance={**settings, "score": "1 / rank"})


@dataclass(frozen=True, kw_only=True)
class Random:
    """Units drawn without replacement, anew for each question: by seed and question text alone."""

    seed: int = 20241009
    name: str = "random"

    def settings(self) -> dict[str, Any]:
        """What the rankings depend on."""
        return {"retriever": "random", "seed": self.seed}

    def rank(
        self,
        units: Units,
        questions: Sequence[str],
        depth: int,
        *,
        cache: Blobs | None = None,  # noqa: ARG002
        progress: Progress,  # noqa: ARG002
    ) -> Ranked:
        """Rank *units* for each question, at most *depth* deep."""
        orders, seconds = [], []
        for question in questions:
            start = perf_counter()
            data = question.encode("utf-8", "surrogatepass")
            words = np.frombuffer(hashlib.sha256(data).digest(), dtype="<u4").tolist()
            # raw bits: numpy promises their stream, and not that of its distributions, for all versions
            bits = np.random.PCG64(np.random.SeedSequence([self.seed, *words])).random_raw(len(units))
            kept = np.argpartition(bits, depth - 1)[:depth] if depth < len(bits) else np.arange(len(bits))
            orders.append(kept[np.lexsort((kept, bits[kept]))])
            seconds.append(perf_counter() - start)
        return _rows(orders, self.settings(), seconds)


@dataclass(frozen=True, kw_only=True)
class Popular:
    """The same ranking for every question: the units BM25 most often places among its first ten.

    Counted over all questions asked, without any label; ties by position, then the units BM25 never
    placed there, by position. A gold set this system does well on asks about few units.
    """

    name: str = "popular"

    def settings(self) -> dict[str, Any]:
        """What the rankings depend on."""
        return {"retriever": "popular", "rule": "most often in the first 10 of bm25", "by": BM25().settings()}

    def rank(
        self,
        units: Units,
        questions: Sequence[str],
        depth: int,
        *,
        cache: Blobs | None = None,
        progress: Progress,
    ) -> Ranked:
        """Rank *units* for each question, at most *depth* deep."""
        of = BM25().rank(units, questions, min(10, len(units)), cache=cache, progress=progress)
        often = np.bincount(of.unit, minlength=len(units))
        order = np.argsort(-often, kind="stable")[:depth]
        return _rows([order] * len(questions), self.settings())


@dataclass(frozen=True, kw_only=True)
class Constant:
    """The same ranking for every question: the units in their own order."""

    name: str = "constant"

    def settings(self) -> dict[str, Any]:
        """What the rankings depend on."""
        return {"retriever": "constant"}

    def rank(
        self,
        units: Units,
        questions: Sequence[str],
        depth: int,
        *,
        cache: Blobs | None = None,  # noqa: ARG002
        progress: Progress,  # noqa: ARG002
    ) -> Ranked:
        """Rank *units* for each question, at most *depth* deep."""
        return _rows([np.arange(min(depth, len(units)))] * len(questions), self.settings())
