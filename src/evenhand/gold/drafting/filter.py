"""Drafts sifted by planned thresholds: what repeats another question, what has left its evidence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from evenhand.gold.drafting.parse_reply import Draft
from evenhand.gold.holdout_view import wording
from evenhand.gold.words import words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from evenhand.model.gold import Question

__all__ = ["Limits", "Sieve", "common_words", "likeness", "noted", "overlap"]

OFTEN = 0.3  # share of documents in which a word stands that says little


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """From which likeness on two questions are one, and below which a question has left its evidence."""

    near: float
    weak: float
    by: str = "words"


def common_words(texts: Iterable[str]) -> frozenset[str]:
    """Words in more than 30% of the documents, of five or more: in any language they tie nothing."""
    counted: dict[str, int] = {}
    n = 0
    for text in texts:
        n += 1
        for word in set(words(text)):
            counted[word] = counted.get(word, 0) + 1
    return frozenset(word for word, k in counted.items() if n >= 5 and k > OFTEN * n)


def overlap(question: str, evidence: str, common: frozenset[str] = frozenset()) -> float | None:
    """The meter: the share of the question's distinct words that its evidence has; None without any.

    *common* words are not counted, so that "what", "is" and "the" prove nothing.
    """
    asked = set(words(question)) - common
    return len(asked & set(words(evidence))) / len(asked) if asked else None


def likeness(one: str, other: str) -> float:
    """Distinct words in common over distinct words of either (Jaccard); 0 where neither has any."""
    a, b = set(words(one)), set(words(other))
    return len(a & b) / len(a | b) if a | b else 0.0


class Sieve:
    """Questions that stand, and the limits; drafts pass one after the other, the earlier one stays.

    *embed*, where given, makes unit vectors of texts: likeness is their cosine then, else `likeness` between
    questions and `overlap` with the evidence.
    """

    def __init__(
        self,
        standing: Sequence[Question],
        limits: Limits,
        *,
        common: frozenset[str] = frozenset(),
        embed: Any = None,
    ) -> None:
        self.limits = limits
        self.common = common
        self.embed = embed
        self.names = [str(question.id) for question in standing]
        self.texts = [question.text for question in standing]
        self.same: dict[str, str] = {wording(question.text): str(question.id) for question in standing}
        self._vectors: list[NDArray[np.float32]] = list(embed(self.texts)) if embed and self.texts else []

    def sift(self, draft: Draft) -> Draft:
        """The draft as it came, with its meters, or rejected with its reason."""
        if draft.question is None:
            return draft
        text, evidence = draft.question.text, draft.evidence
        if twin := self.same.get(wording(text)):
            return draft.rejected("same words", f"as {twin}")
        vectors = self.embed([text, evidence]) if self.embed is not None else None
        near, of = self._nearest(text, vectors)
        if near >= self.limits.near:
            return draft.rejected(
                "near", f"{near:.2f} to {of}, from {self.limits.near:g} on ({self.limits.by})"
            )
        share = overlap(text, evidence, self.common)
        tied = float(vectors[0] @ vectors[1]) if vectors is not None else share
        if tied is not None and tied < self.limits.weak:
            return draft.rejected(
                "weak", f"{tied:.2f} to its evidence, below {self.limits.weak:g} ({self.limits.by})"
            )
        self.names.append(draft.ask.name)
        self.texts.append(text)
        self.same[wording(text)] = draft.ask.name
        if vectors is not None:
            self._vectors.append(vectors[0])
        meters: dict[str, Any] = {
            "overlap": None if share is None else round(share, 4),
            "near": round(near, 4),
        }
        return replace(draft, question=noted(draft.question, meters))

    def _nearest(self, text: str, vectors: Any) -> tuple[float, str]:
        if vectors is not None:
            found = [float(vectors[0] @ other) for other in self._vectors]
        else:
            found = [likeness(text, other) for other in self.texts]
        if not found:
            return 0.0, ""
        best = max(range(len(found)), key=found.__getitem__)
        return found[best], self.names[best]


def noted(question: Question, more: Mapping[str, Any]) -> Question:
    """*question* with *more* in its notes on drafting."""
    meta = dict(question.extra.get("meta", {}))
    return replace(
        question, extra={**question.extra, "meta": {**meta, "draft": {**meta.get("draft", {}), **more}}}
    )
