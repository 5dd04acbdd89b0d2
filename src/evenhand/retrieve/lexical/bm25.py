"""BM25, through bm25s."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from evenhand.errors import InputError, nearest
from evenhand.plugins import need
from evenhand.retrieve.lexical.load_bm25s import bm25s
from evenhand.retrieve.lexical.term_counts import Bags, bags, ranked
from evenhand.retrieve.lexical.terms import Folding
from evenhand.retrieve.rank import LEXICAL_DECIMALS, Ranked

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from evenhand.model.text import Units
    from evenhand.protocols import Progress
    from evenhand.store.blobs import Blobs

__all__ = ["BM25"]

AT_ONCE = 1 << 20  # postings weighed at once
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
            index.scores, index.nonoccurrence_array = _indexed(library.scoring, index, bag)

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


def _indexed(scoring: Any, index: Any, bag: Bags) -> tuple[dict[str, Any], NDArray[np.float64] | None]:
    """What bm25s's own ``build_index_from_ids`` makes, by its formulas, bit for bit, in columns.

    Its own takes a list of numbers and a dictionary of counts for every unit: at a million units some ten
    times the memory and the time.
    """
    first, unit, count = bag.counts()
    held = np.diff(first)
    sizes = np.diff(bag.offsets)
    mean, n = sizes.mean(), len(bag)
    options = {"l_avg": mean, "k1": index.k1, "b": index.b, "delta": index.delta}
    often: dict[int, float] = {}  # terms are many, and how many units hold them takes few values
    for df in np.unique(held[held > 0]).tolist():
        often[df] = scoring._select_idf_scorer(index.idf_method)(df, N=n)  # noqa: SLF001
    idf = np.array([often.get(df, 0.0) for df in held.tolist()], dtype=np.float64)
    weigh = scoring._select_tfc_scorer(index.method)  # noqa: SLF001
    rest: NDArray[np.float64] | None = None
    if index.method in index.methods_requiring_nonoccurrence:
        rest = np.asarray(idf * weigh(tf_array=0, l_d=mean, **options))
    cuts = np.unique(np.searchsorted(first, np.arange(0, len(unit) + AT_ONCE, AT_ONCE)).clip(max=len(held)))
    for one, two in pairwise([0, *cuts.tolist()]):
        part, terms = slice(first[one], first[two]), slice(one, two)
        score = np.repeat(idf[terms], held[terms]) * weigh(
            tf_array=count[part], l_d=sizes[unit[part]], **options
        )
        if rest is not None:
            score -= np.repeat(rest[terms], held[terms])
        count[part] = score  # in the place of the counts, which are not needed any more
    return {"data": count, "indices": unit, "indptr": first, "num_docs": n}, rest
