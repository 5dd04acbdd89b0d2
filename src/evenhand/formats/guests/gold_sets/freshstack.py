"""FreshStack's queries, JSON lines: nuggets of a question, each with the chunks that support it."""

from __future__ import annotations

from pathlib import Path

from evenhand.formats.guests.importing import Coming, nugget
from evenhand.formats.guests.passages import passages_of, placed
from evenhand.formats.guests.rag_table import rows_at

__all__ = ["CARRIES", "SAYS", "read"]

SAYS = "FreshStack queries: JSON lines, with --chunks corpus.jsonl"
CARRIES: frozenset[str] = frozenset()  # it is not written


def read(path: Path, coming: Coming) -> None:
    """A nugget's relevant chunks are alternatives; nuggets that no chunk supports are left out."""
    chunks = passages_of(coming)
    for line, row in enumerate(rows_at(path), start=1):
        thing = row[1]
        evidence = []
        for one in thing.get("nuggets") or ():
            names = [str(name) for name in one.get("relevant_corpus_ids") or ()]
            spans = [made for name in names for made in placed(name, chunks, coming)]
            coming.lose("nuggets are supported by no chunk that could be placed", int(not spans))
            coming.lose(
                "chunks judged not to support a nugget", len(one.get("non_relevant_corpus_ids") or ())
            )
            if spans:
                evidence.append(nugget(spans, str(one.get("text") or "")))
        if not evidence:
            coming.lose("questions have no nugget that could be placed, and are left out")
            continue
        words = (thing.get("query_title"), thing.get("query_text"))
        coming.take(
            line,
            {
                "id": str(thing.get("query_id", thing.get("_id"))),
                "text": "\n".join(str(one) for one in words if one),
                "evidence": evidence,
                "reference": thing.get("answer_text"),
            },
        )
