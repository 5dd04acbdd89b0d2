"""DeepEval goldens (4.3): JSON, JSON lines and CSV, in snake_case (its files) or camelCase (its API)."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from evenhand.formats.guests.exporting import EVERYTHING, Going
from evenhand.formats.guests.importing import OURS, Coming, ours_in
from evenhand.formats.guests.rag_table import cell_at, first, rows_at, take_row, texts
from evenhand.formats.raw_bytes import write_bytes
from evenhand.model.json_text import loads

__all__ = ["CARRIES", "SAYS", "read", "write"]

SAYS = "DeepEval goldens: JSON, JSON lines, CSV"
CARRIES = EVERYTHING  # a question goes along whole, as additional metadata
JOINED = "|"  # between contexts, in its JSON lines and CSV
SYSTEM = ("actual_output", "retrieval_context", "tools_called")
KEPT = ("input", "expected_output", "context", "name", "source_file", "additional_metadata", "id")


def read(path: Path, coming: Coming) -> None:
    """Goldens; ``context`` is looked up in the document that ``source_file`` names, else in all."""
    for line, raw in rows_at(path):
        row = {_snake(name): value for name, value in raw.items()}
        meta = row.get("additional_metadata")
        if isinstance(meta, str) and meta.lstrip().startswith("{"):
            meta = loads(meta)
        whole = ours_in(meta)
        if whole is not None:
            coming.take(line, whole)
            continue
        for name in SYSTEM:
            coming.lose(f"{name}: what a system gave is no gold", int(bool(row.get(name))))
        for name, value in row.items():
            lost = name not in (*SYSTEM, *KEPT) and value not in (None, "", [], {})
            coming.lose(f"columns called {name!r}", int(lost))
        if "scenario" in row:
            coming.lose("conversations of several turns are left out")
            continue
        source = str(row.get("source_file") or "")
        contexts = texts(row.get("context"), JOINED, where=cell_at(path.name, line, "context"))
        take_row(
            coming,
            line,
            name=first(row, ("id", "name")),
            ask=row.get("input"),
            contexts=contexts,
            places=[f"{source}#"] * len(contexts) if source else (),
            reference=row.get("expected_output"),
            meta=meta if isinstance(meta, dict) else None,
        )


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z])([A-Z])", lambda m: f"_{m[1].lower()}", name)


def write(path: Path, going: Going) -> None:
    """A JSON array of goldens, as ``EvaluationDataset.save_as`` writes them."""
    rows: list[dict[str, Any]] = [
        {
            "input": q.text,
            "actual_output": None,
            "expected_output": q.reference or None,
            "retrieval_context": None,
            "context": [nugget.spans[0].quote for nugget in q.evidence if nugget.spans],
            "name": str(q.id),
            "source_file": q.source or None,
            "additional_metadata": {OURS: q.as_json()},
        }
        for q in going.questions
    ]
    write_bytes(path, (json.dumps(rows, indent=1) + "\n").encode())
