"""TF-IDF with the cosine: the plain baseline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import numpy as np

from evenhand.retrieve.lexical.term_counts import bags, ranked
from evenhand.retrieve.lexical.terms import Folding
from evenhand.retrieve.rank import LEXICAL_DECIMALS, Ranked

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from evenhand.model.text import Units
    from evenhand.protocols import Progress
    from evenhand.store.blobs import Blobs

__all__ = ["TFIDF"]


@dataclass(frozen=True, kw_only=True)
class TFIDF:
    """Cosine of TF-IDF vectors (Salton & Buckley 1988).

    Weight of a term: tf · (ln((1 + N) / (1 + df)) + 1), with ``sublinear`` 1 + ln(tf) in place of tf;
    vectors have length 1, so scores lie in (0, 1]. Terms no unit holds are left out of the question.
    """

    sublinear: bool = False
    stemmer: str = "english"
    stopwords: str | tuple[str, ...] = "english"
    name: str = "tfidf"

    def __post_init__(self) -> None:
        self.folding()

    def folding(self) -> Folding:
        """How text becomes terms."""
        return Folding(self.stemmer, self.stopwords)

    def settings(self) -> dict[str, Any]:
        """What the rankings depend on."""
        return {
            "retriever": "tfidf",
            "sublinear": self.sublinear,
            **self.folding().settings(),
            "decimals": LEXICAL_DECIMALS,
        }

    def _weigh(self, count: NDArray[np.float64]) -> NDArray[np.float64]:
        return 1.0 + np.log(count) if self.sublinear else count

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
        folding = self.folding()
        bag = bags(units, folding, cache=cache)
        first, unit, count = bag.counts()
        held = np.diff(first)
        idf = np.log((1.0 + len(units)) / (1.0 + held)) + 1.0
        weight = self._weigh(count) * np.repeat(idf, held)
        length = np.sqrt(np.bincount(unit, weights=weight * weight, minlength=len(units)))
        weight /= length[unit] if len(unit) else 1.0

        def score(known: list[int]) -> tuple[NDArray[np.float64], float]:
            ids, often = np.unique(np.array(known, dtype=np.int64), return_counts=True)
            asked = self._weigh(often.astype(np.float64)) * idf[ids]
            asked /= np.sqrt(np.sum(asked * asked))
            found = np.zeros(len(units))
            for term, share in zip(ids.tolist(), asked.tolist(), strict=True):
                place = slice(first[term], first[term + 1])
                found[unit[place]] += share * weight[place]
            return found, 0.0

        provenance = {**self.settings(), "versions": {"PyStemmer": version("PyStemmer")}}
        return ranked(
            questions, bag, folding, depth, score, name=self.name, progress=progress, provenance=provenance
        )
