"""Ragas ``EvaluationDataset`` (0.4): JSON lines or CSV, also the names from before 0.2."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from evenhand.formats.guests.exporting import Going
from evenhand.formats.guests.importing import Coming
from evenhand.formats.guests.labels.tasks import dumped
from evenhand.formats.guests.rag_table import cell_at, first, rows_at, take_row, texts
from evenhand.formats.raw_bytes import write_bytes

__all__ = ["CARRIES", "SAYS", "read", "write"]

SAYS = "Ragas EvaluationDataset or test set: JSON lines, JSON, CSV"
CARRIES = frozenset({"reference", "place", "facts"})
# what a system gave; before 0.2 `answer` and `contexts` were the system's, `ground_truth(s)` the reference
SYSTEM = ("response", "retrieved_contexts", "multi_responses", "answer", "contexts")
KNOWN = frozenset(
    [
        *SYSTEM,
        *("user_input", "question", "reference", "ground_truth", "ground_truths", "reference_contexts"),
        *("reference_context_ids", "retrieved_context_ids", "synthesizer_name", "id"),
    ]
)
LISTS = ("reference_contexts", "reference_context_ids", "ground_truths")


def read(path: Path, coming: Coming) -> None:
    """Questions of a file; ``reference_contexts`` are looked up word for word, each a fact of its own."""
    for line, row in rows_at(path):
        for name in SYSTEM:
            coming.lose(f"{name}: what a system gave is no gold", int(bool(row.get(name))))
        for name in row:
            coming.lose(f"columns called {name!r}", int(name not in KNOWN and row[name] not in (None, "")))
        asked = first(row, ("user_input", "question"))
        if isinstance(asked, list) or (isinstance(asked, str) and asked.startswith("[{")):
            coming.lose("conversations of several turns are left out")
            continue
        lists = {name: texts(row.get(name), where=cell_at(path.name, line, name)) for name in LISTS}
        take_row(
            coming,
            line,
            name=row.get("id"),
            ask=asked,
            contexts=lists["reference_contexts"],
            places=lists["reference_context_ids"],
            reference=first(row, ("reference", "ground_truth"))
            or next(filter(None, lists["ground_truths"]), ""),
            **_made(row),
        )


def _made(row: Mapping[str, Any]) -> dict[str, Any]:
    """Ragas writes its test sets with a model: such a question is provisional until somebody accepts it."""
    name = row.get("synthesizer_name")
    return {"origin": "synthetic", "authoring": {"by": "", "model": str(name), "on": ""}} if name else {}


def write(path: Path, going: Going) -> None:
    """A row a question; a context's id is ``document#start-end``."""
    rows: list[dict[str, Any]] = []
    for q in going.questions:
        spans = [nugget.spans[0] for nugget in q.evidence if nugget.spans]
        row: dict[str, Any] = {"user_input": q.text, "reference": q.reference or None}
        if spans:
            row["reference_contexts"] = [one.quote for one in spans]
            row["reference_context_ids"] = [
                f"{one.span.doc}#{one.span.start}-{one.span.end}" for one in spans
            ]
        rows.append({name: value for name, value in row.items() if value is not None})
    write_bytes(path, dumped(rows).encode())
