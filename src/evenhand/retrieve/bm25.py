"""BM25, through bm25s."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from evenhand.errors import InputError, nearest
from evenhand.plugins import need
from evenhand.retrieve.lexical import bags, query
from evenhand.retrieve.library import bm25s
from evenhand.retrieve.rank import LEXICAL_DECIMALS, Ranked, collect, top
from evenhand.retrieve.words import Folding

if TYPE_CHECKING:
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
        empty = (np.zeros(0, dtype=np.int64), np.zeros(0))
        rows, seconds, unasked = [], [], 0
        for done, question in enumerate(questions):
            start = perf_counter()
            terms = folding.terms(question)
            unasked += not terms
            ids = query(terms, bag.vocabulary)
            if ids:
                score = index.get_scores_from_ids(ids)
                base = 0.0
                if index.nonoccurrence_array is not None:
                    base = float(index.nonoccurrence_array[ids].sum())
                score = np.round(score, LEXICAL_DECIMALS)
                best = top(score, depth, above=round(base, LEXICAL_DECIMALS))
                rows.append((best, score[best]))
            else:
                rows.append(empty)
            seconds.append(perf_counter() - start)
            if done % 64 == 0:
                progress(self.name, done, len(questions))
        progress(self.name, len(questions), len(questions))
        notes = {"questions_without_terms": unasked} if unasked else {}
        notes |= {"units_without_terms": n} if (n := int((np.diff(bag.offsets) == 0).sum())) else {}
        versions = {"bm25s": version("bm25s"), "PyStemmer": version("PyStemmer")}
        return collect(rows, seconds, notes=notes, provenance={**self.settings(), "versions": versions})
