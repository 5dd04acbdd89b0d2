"""LegalBench-RAG's benchmarks: character spans of files, all of them needed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from evenhand.errors import InputError
from evenhand.formats.gold.jsonl import strict
from evenhand.formats.guests.exporting import Going
from evenhand.formats.guests.importing import Coming, nugget, span
from evenhand.formats.guests.rag_table import text_at
from evenhand.formats.raw_bytes import write_bytes

__all__ = ["CARRIES", "SAYS", "read", "write"]

SAYS = "LegalBench-RAG benchmark: JSON"
CARRIES = frozenset({"tags", "place", "facts"})


def read(path: Path, coming: Coming) -> None:
    """Tests; each snippet is a nugget of its own, placed by its span, whose words are checked."""
    try:
        whole = strict(text_at(path))
    except ValueError as error:
        raise InputError(f"{path.name}: {error}", mend="give the benchmark as it was published") from error
    tests = whole.get("tests") if isinstance(whole, dict) else whole
    if not isinstance(tests, list) or not all(isinstance(one, dict) for one in tests):
        raise InputError(f"{path.name} has no list of tests", mend='write {"tests": [...]}')
    for line, test in enumerate(tests, start=1):
        snippets = test.get("snippets") or []
        evidence = [nugget([made]) for one in snippets if (made := _snippet(one, coming)) is not None]
        if len(evidence) < len(snippets) or not evidence:
            coming.lose("questions lose a snippet or have none, and are left out")
            continue
        coming.take(
            line,
            {
                "id": str(test.get("id") or f"q{line:04d}"),
                "text": test.get("query"),
                "tags": [str(one) for one in test.get("tags") or ()],
                "evidence": evidence,
                "reference": test.get("answer"),
            },
        )


def _snippet(one: Any, coming: Coming) -> dict[str, Any] | None:
    place = one.get("span") if isinstance(one, dict) else None
    if not isinstance(place, list) or len(place) != 2 or not one.get("file_path"):
        return None
    doc, start, end = coming.doc(str(one["file_path"])), int(place[0]), int(place[1])
    document = coming.document(doc)
    words = str(one.get("answer") or "")
    if document is not None and not words:
        words = document.text[start:end]
    return span(doc, start, end, words)


def write(path: Path, going: Going) -> None:
    """Tests with a snippet for each fact: the first of its spans."""
    tests = []
    for q in going.questions:
        spans = [fact.spans[0] for fact in q.evidence if fact.spans]
        if not spans:
            going.leave_out("questions without evidence")
            continue
        snippets = [
            {"file_path": str(s.span.doc), "span": [s.span.start, s.span.end], "answer": s.quote}
            for s in spans
        ]
        tests.append({"query": q.text, "snippets": snippets, "tags": list(q.tags)})
    write_bytes(path, (json.dumps({"tests": tests}, indent=1) + "\n").encode())
