"""LangSmith examples (0.15): inputs, reference outputs, metadata, split."""

from __future__ import annotations

from pathlib import Path

from evenhand.formats.guests.exporting import EVERYTHING, Going
from evenhand.formats.guests.gold_sets.langfuse import take_item
from evenhand.formats.guests.importing import OURS, Coming, ours_in
from evenhand.formats.guests.labels.tasks import dumped
from evenhand.formats.guests.rag_table import rows_at
from evenhand.formats.raw_bytes import write_bytes

__all__ = ["CARRIES", "SAYS", "read", "write"]

SAYS = "LangSmith examples: JSON lines, JSON"
CARRIES = EVERYTHING  # a question goes along whole, as metadata


def read(path: Path, coming: Coming) -> None:
    """Examples; ``outputs`` (``reference_outputs``) are what is expected, their contexts are looked up."""
    for line, row in rows_at(path):
        whole = ours_in(row.get("metadata"))
        if whole is not None:
            coming.take(line, whole)
            continue
        if "run_id" in row and "key" in row:
            coming.lose("feedback, which holds no questions")
            continue
        expected = row.get("reference_outputs") or row.get("outputs")
        take_item(coming, line, row, row.get("inputs"), expected)


def write(path: Path, going: Going) -> None:
    """An example a line."""
    rows = [
        {
            "inputs": {"question": q.text},
            "outputs": {
                "answer": q.reference,
                "contexts": [nugget.spans[0].quote for nugget in q.evidence if nugget.spans],
            },
            "metadata": {OURS: q.as_json()},
            "split": "dev",
        }
        for q in going.questions
    ]
    write_bytes(path, dumped(rows).encode())
