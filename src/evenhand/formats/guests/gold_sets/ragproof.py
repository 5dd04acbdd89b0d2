"""ragproof's cases (1.0), JSON lines: whole documents as evidence, and what cannot be answered."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from evenhand.formats.guests.exporting import Going
from evenhand.formats.guests.importing import Coming, nugget
from evenhand.formats.guests.labels.tasks import dumped
from evenhand.formats.guests.rag_table import rows_at
from evenhand.formats.raw_bytes import write_bytes

__all__ = ["CARRIES", "SAYS", "read", "write"]

SAYS = "ragproof cases: JSON lines, or a frozen set"
CARRIES = frozenset({"ids", "expectation", "reference", "facts"})


def read(path: Path, coming: Coming) -> None:
    """Cases: each expected source is a document that must be found; ``unanswerable`` expects to abstain.

    An injection tests what a model does with a planted text, and holds no question for retrieval.
    """
    for line, thing in rows_at(path):
        for row in thing.get("cases", [thing]):  # a frozen set is one object
            kind = row.get("kind", "qa")
            if kind == "injection":
                coming.lose("injections test the model that answers, and are left out")
                continue
            spans = [made for one in row.get("expected_source_ids") or () if (made := coming.whole(str(one)))]
            if kind == "qa" and not spans:
                coming.lose("questions have no document that is in the corpus, and are left out")
                continue
            coming.take(
                line,
                {
                    "id": row.get("id"),
                    "text": row.get("question"),
                    "expect": "abstain" if kind == "unanswerable" else "answer",
                    "evidence": [nugget([one]) for one in spans] if kind == "qa" else [],
                    "reference": row.get("expected_answer"),
                },
            )


def write(path: Path, going: Going) -> None:
    """Cases with the documents of their evidence."""
    rows: list[dict[str, Any]] = []
    for q in going.questions:
        docs = [*dict.fromkeys(str(fact.spans[0].span.doc) for fact in q.evidence if fact.spans)]
        if q.expect == "clarify" or (q.expect == "answer" and not docs):
            going.leave_out("questions to be clarified or without evidence")
            continue
        rows.append(
            {
                "id": str(q.id),
                "kind": "qa" if q.expect == "answer" else "unanswerable",
                "question": q.text,
                "expected_answer": q.reference or None,
                "expected_source_ids": docs if q.expect == "answer" else [],
                "adversarial_payload": None,
            }
        )
    write_bytes(path, dumped(rows).encode())
