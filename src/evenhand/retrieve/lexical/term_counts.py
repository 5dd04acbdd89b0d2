"""Bags of terms: what BM25 and TF-IDF both count."""

from __future__ import annotations

import weakref
from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from time import perf_counter
from typing import TYPE_CHECKING, Any
from unicodedata import unidata_version

import numpy as np

from evenhand.model.seal import seal
from evenhand.retrieve.lexical.terms import RULE, Folding
from evenhand.retrieve.rank import LEXICAL_DECIMALS, Ranked, collect, top

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from evenhand.model.text import Units
    from evenhand.protocols import Progress
    from evenhand.store.blobs import Blobs

__all__ = ["Bags", "bags", "query", "ranked"]


HALF = 10.0**-LEXICAL_DECIMALS  # rounding moves a score by less


@dataclass(frozen=True, eq=False)
class Bags:
    """The terms of all units: ``term`` int32[t], unit *i* has ``term[offsets[i]:offsets[i + 1]]``."""

    vocabulary: dict[str, int]
    term: NDArray[np.int32]
    offsets: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def counts(self) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]:
        """Postings by term: offsets int64[v + 1], unit int32[p] ascending in a term, count float64[p].

        Linear in the terms of all units, without sorting.
        """
        from scipy.sparse import csr_matrix

        one = np.ones(len(self.term), dtype=np.int32)
        shape = (len(self), len(self.vocabulary))
        found = csr_matrix((one, self.term, self.offsets), shape=shape).tocsc()
        found.sum_duplicates()
        return (
            found.indptr.astype(np.int64),
            found.indices.astype(np.int32, copy=False),
            found.data.astype(np.float64),
        )


_last: list[tuple[weakref.ref[Units], Folding, Bags]] = []


def bags(units: Units, folding: Folding, *, cache: Blobs | None = None) -> Bags:
    """Count the terms of *units*; the last answer is kept while its units live (two systems share it)."""
    for ref, known, bag in _last:
        if ref() is units and known == folding:
            return bag
    key = seal([RULE, units.seal, folding.settings(), unidata_version, version("PyStemmer")])
    bag = _read(cache, key, len(units)) or _counted(units, folding)
    if cache is not None and not cache.path("terms", key).exists():
        words = "\n".join(bag.vocabulary).encode("utf-8", "surrogatepass")  # no term holds a blank
        columns: dict[str, NDArray[Any]] = {"term": bag.term, "offsets": bag.offsets}
        columns["words"] = np.frombuffer(words, np.uint8)
        cache.put("terms", key, columns, {"chunking": units.chunking, **folding.settings()})
    _last[:] = [(weakref.ref(units, lambda _: _last.clear()), folding, bag)]
    return bag


def _read(cache: Blobs | None, key: str, n: int) -> Bags | None:
    held = cache.get("terms", key) if cache is not None else None
    if held is None or not {"words", "term", "offsets"} <= held.keys() or len(held["offsets"]) != n + 1:
        return None
    words = held["words"].tobytes().decode("utf-8", "surrogatepass").split("\n")
    vocabulary = {word: i for i, word in enumerate(words) if word}
    return Bags(vocabulary, held["term"], held["offsets"])


def _counted(units: Units, folding: Folding) -> Bags:
    vocabulary: dict[str, int] = {}
    of: dict[str, tuple[int, ...]] = {}  # the ids a word stands for
    offsets = np.zeros(len(units) + 1, dtype=np.int64)
    flat = array("i")  # four bytes a term; a list of numbers takes ten times that
    for i, text in enumerate(units.texts()):
        for token in folding.tokens(text):
            ids = of.get(token)
            if ids is None:
                terms = folding.terms_of(token)
                ids = of[token] = tuple([vocabulary.setdefault(term, len(vocabulary)) for term in terms])
            flat.extend(ids)
        offsets[i + 1] = len(flat)
    return Bags(vocabulary, np.frombuffer(flat, dtype=np.int32), offsets)


def ranked(
    questions: Sequence[str],
    bag: Bags,
    folding: Folding,
    depth: int,
    score: Callable[[list[int]], tuple[NDArray[np.float64], float]],
    *,
    name: str,
    progress: Progress,
    provenance: Mapping[str, Any],
) -> Ranked:
    """Rank the units of *bag* for each question, at most *depth* deep.

    ``score(ids)`` gives float64[n], the score of each unit for the known terms of a question, and what a
    unit scores that holds none of them: only higher ones are ranked. Scores are rounded before ranking.
    """
    rows, seconds, unasked = [], [], 0
    for done, question in enumerate(questions):
        start = perf_counter()
        terms = folding.terms(question)
        unasked += not terms
        ids = query(terms, bag.vocabulary)
        best, found = np.zeros(0, dtype=np.int64), np.zeros(0)
        if ids:
            given, base = score(ids)
            near = np.flatnonzero(given > base - HALF)  # most units hold none of the terms: not rounded
            rounded = np.round(given[near], LEXICAL_DECIMALS)
            own = top(rounded, depth, above=round(base, LEXICAL_DECIMALS))
            best, found = near[own], rounded[own]
        rows.append((best, found))
        seconds.append(perf_counter() - start)
        if done % 64 == 0:
            progress(name, done, len(questions))
    progress(name, len(questions), len(questions))
    notes = {"questions_without_terms": unasked} if unasked else {}
    notes |= {"units_without_terms": n} if (n := int((np.diff(bag.offsets) == 0).sum())) else {}
    return collect(rows, seconds, notes=notes, provenance=provenance)


def query(terms: Sequence[str], vocabulary: dict[str, int]) -> list[int]:
    """Ids of the known terms, in the order of their spelling: sums are then the same for any word order."""
    return [vocabulary[term] for term in sorted(terms) if term in vocabulary]
