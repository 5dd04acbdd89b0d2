"""BRIGHT's examples, JSON lines or Parquet: documents that answer, and those no ranking may hold."""

from __future__ import annotations

from pathlib import Path

from evenhand.formats.guests.importing import Coming, nugget
from evenhand.formats.guests.passages import passages_of, placed
from evenhand.formats.guests.rag_table import rows_at

__all__ = ["CARRIES", "SAYS", "read"]

SAYS = "BRIGHT examples: JSON lines, with --chunks documents.jsonl"
CARRIES: frozenset[str] = frozenset()  # it is not written


def read(path: Path, coming: Coming) -> None:
    """Every gold document is needed; ``excluded_ids`` stay in the question's meta, and are counted.

    ``evenhand eval`` with the examples as judgements takes them out of rankings; a gold set cannot.
    """
    chunks = passages_of(coming)
    for line, row in rows_at(path):
        out = [str(one) for one in row.get("excluded_ids") or () if one != "N/A"]
        coming.lose("documents that no ranking may hold: only `evenhand eval` takes them out", len(out))
        named = [str(one) for one in row.get("gold_ids") or ()]
        spans = [placed(name, chunks, coming) for name in named]
        if not named or not all(spans):
            coming.lose("questions have gold documents that could not be placed, and are left out")
            continue
        answer = row.get("gold_answer")
        coming.take(
            line,
            {
                "id": str(row.get("id")),
                "text": row.get("query"),
                "evidence": [nugget(one) for one in spans],
                "reference": answer if answer != "N/A" else "",
                "meta": {"excluded_ids": out} if out else None,
            },
        )
