"""A holdout that can be checked without being shown."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from evenhand.gold.words import shingles, words
from evenhand.model.gold import GoldSet, Question, Quote

if TYPE_CHECKING:
    from collections.abc import Iterable

    from evenhand.gold.lint_finding import Finding

__all__ = ["Veiled", "veil", "wording"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Veiled:
    """Ids, clusters, spans, hashes and what is wrong by line; no words of questions or documents.

    ``bare`` holds the questions with empty texts and quotes, ``wordings`` a hash of each question's words,
    ``shingles`` its hashed trigrams.
    """

    bare: GoldSet
    wordings: tuple[str, ...]
    shingles: tuple[frozenset[int], ...]
    findings: tuple[Finding, ...]


def wording(text: str) -> str:
    """A hash of the words of *text*, the same whatever its case, punctuation and blanks."""
    return hashlib.sha256("\x1f".join(words(text)).encode()).hexdigest()


def veil(gold: GoldSet, findings: Iterable[Finding]) -> Veiled:
    """Keep of a holdout what a check may know."""
    return Veiled(
        bare=GoldSet(tuple(_bare(question) for question in gold), gold.spans, "holdout"),
        wordings=tuple(wording(question.text) for question in gold),
        shingles=tuple(shingles(question.text) for question in gold),
        findings=tuple(replace(finding, detail="", correction=None) for finding in findings),
    )


def _bare(question: Question) -> Question:
    evidence = tuple(
        replace(nugget, name="", spans=tuple(Quote(quote.span, "") for quote in nugget.spans))
        for nugget in question.evidence
    )
    return Question(
        id=question.id,
        text="",
        type=question.type,
        tags=question.tags,
        expect=question.expect,
        cluster=question.cluster,
        source=question.source,
        origin=question.origin,
        evidence=evidence,
        authoring=question.authoring,
        review=question.review,
        line=question.line,
    )
