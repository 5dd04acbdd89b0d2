"""Open-RAG-Eval's CSV: a row a passage, the query and the answer beside it; citations as ``[1]``."""

from __future__ import annotations

from typing import Any

from evenhand.errors import InputError
from evenhand.formats.guests.answers.export import Outgoing, reference_of, shown
from evenhand.formats.guests.answers.rows import NOTHING, Taking
from evenhand.formats.tables import rows_of, table_text
from evenhand.model.answer import Passage

__all__ = ["read", "write"]

COLUMNS = ("query_id", "query", "query_run", "passage_id", "passage", "generated_answer")


def read(text: str, taking: Taking) -> None:
    """One answer a query and run; a second run of a query becomes a topic of its own."""
    header, rows = rows_of(text, taking.file)
    missing = [name for name in ("query_id", "query", "passage") if name not in header]
    if missing:
        raise InputError(
            f"{taking.file}:1: has no column {missing[0]!r} (found {', '.join(header)})",
            mend="give the answers as Open-RAG-Eval's connectors write them",
        )
    grouped: dict[tuple[str, str], list[dict[str, str]]] = {}
    for _, cells in rows:
        row = dict(zip(header, cells, strict=False))
        grouped.setdefault((row["query_id"], row.get("query_run") or "1"), []).append(row)
    for (name, run), of in grouped.items():
        passages = [
            Passage(
                unit=(row.get("passage_id") or str(place)).strip("[]"),
                text=row["passage"],
                marker=(row.get("passage_id") or str(place)).strip("[]"),
            )
            for place, row in enumerate(of, start=1)
            if row["passage"].strip().casefold() not in NOTHING
        ]
        for _ in range(len(of) - len(passages)):
            taking.lose("rows have no passage text, and are left out")
        empty = "" if "generated_answer" in header else None
        said = next((row["generated_answer"] for row in of if row.get("generated_answer")), empty)
        extra: dict[str, Any] = {}
        if of[0].get("expected_answer"):
            extra["reference"] = of[0]["expected_answer"]
        taking.answer(
            topic=name if run == "1" else f"{name} (run {run})",
            ask=of[0]["query"],
            text=said,
            passages=passages,
            extra=extra,
        )


def write(out: Outgoing) -> str:
    """A row a passage; an answer without any passage has one with an empty passage."""
    out.without_metadata("Open-RAG-Eval")
    table: list[tuple[Any, ...]] = [COLUMNS]
    systems = {one.system for one in out.generations}
    out.lose("systems: name their files after them", len(systems) if len(systems) > 1 else 0)
    runs: dict[str, int] = {}
    for row in out:
        out.wrote(row, findings=(), ratings=False)
        one, item, *_ = row
        runs[one.topic] = runs.get(one.topic, 0) + 1
        out.lose(
            "rows have a reference answer: it belongs into the file of queries", int(bool(reference_of(one)))
        )
        said = "" if item is None else shown(item)
        for passage in one.passages or (Passage(unit="", text=""),):
            name = f"[{passage.marker}]" if passage.marker else ""
            table.append((one.topic, one.ask, runs[one.topic], name, passage.text, said))
    return table_text(table)
