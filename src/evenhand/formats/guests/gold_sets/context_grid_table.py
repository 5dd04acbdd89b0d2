"""context-grid's eval sets as a table: a row a question, one anchor each, by any of its column names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evenhand.model.json_text import loads

__all__ = ["item_of"]

NAMES = {
    "id": ("id", "question_id", "qid"),
    "question": ("question", "query", "q"),
    "source_id": ("source_id", "document", "doc", "doc_id", "file", "filename"),
    "quote": ("quote", "evidence", "answer_span", "context", "passage"),
    "answer": ("answer", "expected_answer", "gold_answer"),
    "qtype": ("qtype", "type", "question_type", "category"),
    "page_hint": ("page", "page_hint", "page_number"),
    "grade": ("grade", "relevance", "rel"),
    "occurrence": ("occurrence",),
}


def item_of(row: Mapping[str, Any], number: int) -> dict[str, Any]:
    """The item of one row, as its JSON lines have it; raises ValueError for a ``meta`` that is not JSON."""
    cells = {name.strip().lower(): cell for name, cell in row.items()}
    found = {
        key: next((cells[name] for name in names if cells.get(name)), None) for key, names in NAMES.items()
    }
    anchor = {key: found[key] for key in ("source_id", "quote", "page_hint") if found[key] is not None}
    anchor |= {key: int(str(found[key])) for key in ("grade", "occurrence") if found[key] is not None}
    return {
        "id": found["id"] or f"q{number:04d}",
        **{key: found[key] for key in ("question", "qtype", "answer")},
        "anchors": [anchor] if found["quote"] else [],
        "meta": loads(str(cells["meta"])) if cells.get("meta") else None,
    }
