"""What a gate owes to its corpus: status of documents, outdated ones on top, the rerank by status."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from evenhand.corpus.document_status import standing_of
from evenhand.stats.intervals.proportion import wilson
from evenhand.study.gate.runs import ranked, reranked_from

if TYPE_CHECKING:
    from evenhand.gate.gold_labels import Truth
    from evenhand.model.text import Corpus
    from evenhand.study.comparison.steps import Table
    from evenhand.study.gate.labelled_questions import Ground
    from evenhand.study.steps.loop import Artifacts

__all__ = ["corpus_told", "reranked_told"]

SHOWN = 20  # ids of each list


def corpus_told(corpus: Corpus, on: Ground, *, level: float) -> dict[str, Any]:
    """Where status, owner and links fail, the first of each; and how often an outdated document is on top."""
    found = standing_of(corpus)
    lists = {
        name: {"n": len(value), "first": [list(x) if isinstance(x, tuple) else x for x in value[:SHOWN]]}
        for name, value in asdict(found).items()
        if isinstance(value, tuple)
    }
    tops = []
    for name in on.plan.of:
        firsts = [on.ranked.documents(name, q, 1) for q in range(len(on.truth.questions))]
        k = sum(bool(first) and first[0] in on.truth.outdated for first in firsts)
        span = wilson(k, len(firsts), level=level)
        tops.append({"system": name, "k": k, "n": len(firsts), "low": span.low, "high": span.high})
    return {
        "documents": found.documents,
        "by_status": found.by_status,
        "faults": found.faults,
        **lists,
        "outdated_first": tops,
    }


def reranked_told(table: Table, larder: Artifacts, truth: Truth) -> list[dict[str, Any]]:
    """What putting current documents first did to the first document, question by question."""
    rows = []
    for name, before in reranked_from(table).items():
        both = ranked(table, larder, (before, name)).take(truth.questions)
        moved: list[dict[str, Any]] = []
        for q, question in enumerate(truth.questions):
            old, new = both.documents(before, q, 1), both.documents(name, q, 1)
            if old == new or not old or not new:
                continue
            was, now = truth.right(q, old[0]), truth.right(q, new[0])
            moved.append(
                {
                    "question": question,
                    "expect": truth.expect[q],
                    "from": old[0],
                    "to": new[0],
                    "outdated": old[0] in truth.outdated,
                    "replaces": new[0] in truth.replaced.get(old[0], frozenset()),
                    "change": "gained" if now > was else "lost" if was > now else "neither",
                }
            )
        rows.append(
            {
                "system": name,
                "of": before,
                "n": len(truth.questions),
                "moved": len(moved),
                "gained": sum(one["change"] == "gained" for one in moved),
                "lost": sum(one["change"] == "lost" for one in moved),
                "replaces": sum(bool(one["replaces"]) for one in moved),
                "rows": moved,
            }
        )
    return rows
