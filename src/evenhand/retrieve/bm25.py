"""BM25, through bm25s."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import numpy as np

from evenhand.errors import InputError, nearest
from evenhand.plugins import need
from evenhand.retrieve.lexical import bags, ranked
from evenhand.retrieve.library import bm25s
from evenhand.retrieve.rank import LEXICAL_DECIMALS, Ranked
from evenhand.retrieve.words import Folding

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from evenhand.model.text import Units
    from evenhand.protocols import Progress
    from evenhand.store.files import Blobs

__all__ = ["BM25"]

METHODS = ("lucene", "robertson", "atire", "bm25l", "bm25+")


@dataclass(frozen=True, kw_only=True)
class BM25:
    """Okapi BM25 (Robertson & Walker 1994) in the variants of Kamphuis et al. (2020).

    ``method``: lucene (without the constant factor k1 + 1), robertson, atire, bm25l or bm25+.
    ``backend``: numpy, or numba (extra ``fast``); both give the same bits.
    Units that share no term with a question are not in its ranking.
    """

    method: str = "lucene"
    k1: float = 1.5
    b: float = 0.75
    delta: float = 0.5
    stemmer: str = "english"
    stopwords: str | tuple[str, ...] = "english"
    backend: str = "numpy"
    name: str = "bm25"

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise InputError(f"BM25 has no method {self.method!r}", mend=nearest(self.method, METHODS))
        if self.backend not in ("numpy", "numba"):
            raise InputError(
                f"BM25 has no backend {self.backend!r}", mend=nearest(self.backend, ("numpy", "numba"))
            )
        if not (np.isfinite(self.k1) and self.k1 >= 0 and 0 <= self.b <= 1 and np.isfinite(self.delta)):
            raise InputError(
                f"BM25 with k1 = {self.k1}, b = {self.b}, delta = {self.delta} is not defined",
                mend="give k1 >= 0 and 0 <= b <= 1 (usual: k1 = 1.5, b = 0.75)",
            )
        self.folding()  # an unknown stemmer is told now

    def folding(self) -> Folding:
        """How text becomes terms."""
        return Folding(self.stemmer, self.stopwords)

    def settings(self) -> dict[str, Any]:
        """What the rankings depend on."""
        own = {"method": self.method, "k1": self.k1, "b": self.b}
        if self.method in ("bm25l", "bm25+"):
            own["delta"] = self.delta
        return {"retriever": "bm25", **own, **self.folding().settings(), "decimals": LEXICAL_DECIMALS}

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
        library = bm25s(compiled=self.backend == "numba")
        folding = self.folding()
        bag = bags(units, folding, cache=cache)
        index = library.BM25(
            method=self.method, k1=self.k1, b=self.b, delta=self.delta, dtype="float64", backend="numpy"
        )
        if self.backend == "numba":
            need("numba", extra="fast")
            index.activate_numba_scorer()
        if len(bag.term):  # bm25s refuses a corpus without a single term
            index.index((bag.rows(), dict(bag.vocabulary)), create_empty_token=False, show_progress=False)

        def score(ids: list[int]) -> tuple[NDArray[np.float64], float]:
            rest = index.nonoccurrence_array
            return index.get_scores_from_ids(ids), 0.0 if rest is None else float(rest[ids].sum())

        versions = {"bm25s": version("bm25s"), "PyStemmer": version("PyStemmer")}
        return ranked(
            questions,
            bag,
            folding,
            depth,
            score,
            name=self.name,
            progress=progress,
            provenance={**self.settings(), "versions": versions},
        )
