"""Langfuse data set items, as its API gives and takes them (SDK 5)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from evenhand.formats.guests.exporting import EVERYTHING, Going
from evenhand.formats.guests.importing import OURS, Coming, nugget, ours_in
from evenhand.formats.guests.labels.tasks import dumped
from evenhand.formats.guests.rag_table import cell_at, first, rows_at, take_row, texts
from evenhand.formats.raw_bytes import write_bytes

__all__ = ["CARRIES", "SAYS", "read", "write"]

SAYS = "Langfuse data set items: JSON lines, JSON"
CARRIES = EVERYTHING  # a question goes along whole, as metadata
ASK = ("question", "query", "input", "user_input", "prompt")
ANSWER = ("answer", "reference", "expected_output", "output")
CONTEXTS = ("contexts", "context", "reference_contexts")


def read(path: Path, coming: Coming) -> None:
    """Items; ``metadata.spans`` are spans as they are, ``expectedOutput.contexts`` is looked up."""
    for line, row in rows_at(path):
        whole = ours_in(row.get("metadata"))
        if whole is not None:
            coming.take(line, whole)
            continue
        if row.get("status") == "ARCHIVED":
            coming.lose("items are archived, and are left out")
            continue
        if "traceId" in row and "value" in row:
            coming.lose("scores are no questions")
            continue
        take_item(coming, line, row, row.get("input"), row.get("expectedOutput"))


def take_item(coming: Coming, line: int, row: Mapping[str, Any], asked: Any, expected: Any) -> None:
    """One item of inputs and expected outputs, each a text or an object."""
    meta = row["metadata"] if isinstance(row.get("metadata"), Mapping) else {}
    inner = expected if isinstance(expected, Mapping) else {}
    spans = meta.get("spans")
    tags = meta.get("tags")
    common = {
        "name": row.get("id"),
        "ask": first(asked, ASK) if isinstance(asked, Mapping) else asked,
        "reference": expected if isinstance(expected, str) else first(inner, ANSWER),
    }
    more: dict[str, Any] = {"tags": tags} if isinstance(tags, list) else {}
    rest = {name: value for name, value in meta.items() if name not in ("spans", "tags")}
    if rest:
        more["meta"] = rest
    if isinstance(spans, list) and spans and isinstance(common["ask"], str):
        reference = common["reference"] if isinstance(common["reference"], str) else ""
        evidence = [nugget([one]) for one in spans]
        names = str(row.get("id") or f"q{len(coming.rows) + 1:03d}")
        coming.take(
            line,
            {"id": names, "text": common["ask"], "evidence": evidence, "reference": reference, **more},
        )
        return
    where = cell_at(coming.file, line, "expectedOutput")
    take_row(coming, line, contexts=texts(first(inner, CONTEXTS), where=where), **common, **more)


def write(path: Path, going: Going) -> None:
    """An item a line, with the fields that creating one takes."""
    rows = [
        {
            "datasetName": "gold",
            "id": str(q.id),
            "input": {"question": q.text},
            "expectedOutput": {
                "answer": q.reference,
                "contexts": [nugget.spans[0].quote for nugget in q.evidence if nugget.spans],
            },
            "metadata": {OURS: q.as_json()},
        }
        for q in going.questions
    ]
    write_bytes(path, dumped(rows).encode())
