"""Which documents hold sufficient evidence for a question: by gold spans, or by grades of units."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evenhand.gold.align import sufficient
from evenhand.gold.nuggets import as_counted

if TYPE_CHECKING:
    from evenhand.model.gold import GoldSet
    from evenhand.model.run import Qrels

__all__ = ["documents_by_evidence", "documents_by_units"]


def documents_by_evidence(gold: GoldSet) -> dict[str, frozenset[str]]:
    """For each question the documents that hold a span of every vital nugget: alone they are enough."""
    found: dict[str, frozenset[str]] = {}
    for question in gold:
        vital = [nugget for nugget in as_counted(question.evidence, gold.spans) if nugget.vital]
        holders = [{str(quote.span.doc) for quote in nugget.spans} for nugget in vital]
        found[question.id] = frozenset(set.intersection(*holders)) if holders else frozenset()
    return found


def documents_by_units(qrels: Qrels, *, rel: float = 2) -> dict[str, frozenset[str]]:
    """For each question the documents with a unit of grade *rel* or more: one unit of it is enough.

    So is one that holds all that is needed by itself, and a document that is judged relevant as a whole.
    """
    enough = (qrels.grade >= rel) | (sufficient(qrels) == 1)
    found: dict[str, frozenset[str]] = {}
    for q, question in enumerate(qrels.questions):
        part = slice(int(qrels.offsets[q]), int(qrels.offsets[q + 1]))
        good = qrels.unit[part][enough[part]].tolist()
        units = qrels.units
        found[question] = frozenset(
            qrels.table[i] if units is None else str(units.corpus.documents[int(units.doc[i])].id)
            for i in good
        )
    return found
