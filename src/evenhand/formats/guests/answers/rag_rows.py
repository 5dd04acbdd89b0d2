"""Ragas samples and DeepEval test cases: a row an answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evenhand.formats.guests.answers.export import Outgoing, judged, reference_of, shown
from evenhand.formats.guests.answers.rows import GIVEN, NAMED, OURS, Taking, answer_row, rows_of
from evenhand.formats.guests.labels.tasks import dumped
from evenhand.formats.guests.rag_table import cell_at, listed
from evenhand.formats.tables import rows_of as table_of

__all__ = ["read", "write_deepeval", "write_ragas"]


def read(text: str, taking: Taking) -> None:
    """Rows of JSON, JSON lines or a table; lists may be spelled out in a cell."""
    if text.lstrip("\ufeff \t\r\n")[:1] in ("{", "[", '"') or not text.strip():
        for number, row in rows_of(text, taking.file):
            answer_row(row, number, taking)
        return
    header, rows = table_of(text, taking.file, escaped=False)
    for number, (line, cells) in enumerate(rows, start=1):
        flat: dict[str, Any] = {name: cell for name, cell in zip(header, cells, strict=False) if cell}
        for name in (*GIVEN, *NAMED):
            if name in flat and not (taking.joined and name in GIVEN and flat[name][:1] != "["):
                flat[name] = listed(flat[name], where=cell_at(taking.file, line, name))
        answer_row(flat, number, taking)


def write_ragas(out: Outgoing) -> str:
    """Samples, with findings and ratings as further columns."""
    rows: list[Mapping[str, Any]] = []
    out.without_metadata("Ragas", findings=False)
    for line in out:
        out.wrote(line)
        one, item, _, found, rated = line
        row: dict[str, Any] = {
            "user_input": one.ask,
            "retrieved_contexts": [passage.text for passage in one.passages],
            "retrieved_context_ids": [passage.unit for passage in one.passages],
        }
        if item is not None:
            row["response"] = shown(item)
        if reference_of(one) is not None:
            row["reference"] = reference_of(one)
        rows.append(row | dict(judged(found, rated)))
    return dumped(rows)


def write_deepeval(out: Outgoing) -> str:
    """Test cases; the generation goes along whole as metadata."""
    out.all_of_it()
    return dumped(
        {
            "input": one.ask,
            "actual_output": None if item is None else shown(item),
            "expected_output": reference_of(one),
            "retrieval_context": [passage.text for passage in one.passages],
            "name": item.id if item is not None else f"{one.system}/{one.topic}",
            "additional_metadata": {OURS: ours, **judged(found, rated)},
        }
        for one, item, ours, found, rated in out
    )
