"""Seals of the questions that were asked, one by one: what two studies have in common can be known."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from evenhand.gold.nuggets import as_nuggets
from evenhand.metrics.catalogue.definition import definition
from evenhand.model.seal import seal

if TYPE_CHECKING:
    from evenhand.model.gold import GoldSet, Question

__all__ = ["NAME", "SCHEMA", "questions_file"]

NAME = "questions.json"
SCHEMA = "evenhand.questions/1"


def questions_file(gold: GoldSet, metrics: Iterable[str]) -> bytes:
    """Of each question its seal and cluster, and of each metric what it measures; no text of a question.

    The seal covers what a metric reads: the text, whether an answer is expected, and the evidence by
    document and quote. Tags, reviews and the places of quotes may change without it.
    """
    told: dict[str, Any] = {
        "schema": SCHEMA,
        "gold": gold.seal,
        "metrics": {name: definition(name) for name in metrics},
        "questions": [[str(q.id), _content(q), q.cluster] for q in as_nuggets(gold)],
    }
    rows = ",\n".join(json.dumps(row, ensure_ascii=False) for row in told.pop("questions"))
    head = json.dumps(told, ensure_ascii=False, indent=0, sort_keys=True)
    return f'{head[:-2]},\n"questions": [\n{rows}\n]\n}}\n'.encode("utf-8", "replace")


def _content(question: Question) -> str:
    evidence = [[n.vital, [[str(s.span.doc), s.quote] for s in n.spans]] for n in question.evidence]
    return seal([question.text, question.expect, evidence])[:32]
