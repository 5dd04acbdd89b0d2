"""A flat table, CSV or Parquet: a row a span, with the columns that `gold check` reads."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenhand.formats.guests.exporting import Going
from evenhand.formats.guests.importing import Coming, nugget
from evenhand.formats.guests.parquet_rows import parquet_rows
from evenhand.formats.guests.parquet_rows import write_parquet as write_columns
from evenhand.formats.raw_bytes import write_bytes
from evenhand.formats.tables import ESCAPED, inert, table_text

if TYPE_CHECKING:
    from evenhand.model.gold import Question

__all__ = ["CARRIES", "COLUMNS", "SAYS", "read", "write_csv", "write_parquet"]

SAYS = "a flat table, a row a span: Parquet (CSV is read by its own reader)"
CARRIES = frozenset({"ids", "kind", "tags", "expectation", "reference", "place", "facts"})
COLUMNS = (
    *("id", "question", "document", "quote", "start", "end"),
    *("nugget", "type", "tags", "expect", "cluster", "reference"),
)


def read(path: Path, coming: Coming) -> None:
    """Rows of one id are the facts of one question."""
    rows = parquet_rows(path, "id", "question", mend=f"call its columns {', '.join(COLUMNS)}")
    made: dict[str, dict[str, Any]] = {}
    for line, row in enumerate(rows, start=1):
        name = str(row["id"])
        one = made.get(name)
        if one is None:
            one = made[name] = {
                "id": name,
                "text": row["question"],
                "tags": [tag for tag in str(row.get("tags") or "").split("|") if tag],
                "evidence": [],
                **{key: row.get(key) or "" for key in ("type", "cluster", "reference")},
                "expect": row.get("expect") or "answer",
            }
            coming.rows.append((line, one))
        if row.get("quote") or row.get("start") is not None:
            span = {key: row[at] for key, at in _PLACE if row.get(at) is not None}
            one["evidence"].append(nugget([span], str(row.get("nugget") or "")))


_PLACE = (("doc", "document"), ("start", "start"), ("end", "end"), ("quote", "quote"))


def _rows(questions: list[Question]) -> list[dict[str, Any]]:
    rows = []
    for q in questions:
        head = {"id": str(q.id), "question": q.text}
        tail = {
            "type": q.type,
            "tags": "|".join(q.tags),
            "expect": q.expect,
            "cluster": q.cluster,
            "reference": q.reference,
        }
        for fact in q.evidence or (None,):
            place: dict[str, Any] = dict.fromkeys(("document", "quote", "start", "end"))
            if fact is not None and fact.spans:
                one = fact.spans[0]
                place = {
                    "document": str(one.span.doc),
                    "quote": one.quote,
                    "start": one.span.start,
                    "end": one.span.end,
                }
            rows.append({**head, **place, "nugget": fact.name if fact is not None else "", **tail})
    return rows


def write_csv(path: Path, going: Going) -> None:
    """A row a fact; a cell that a spreadsheet would run begins with an apostrophe, and is counted."""
    rows = [[row[name] for name in COLUMNS] for row in _rows(going.questions)]
    going.lose(ESCAPED, sum(inert(cell) != cell for row in rows for cell in row))
    write_bytes(path, table_text([COLUMNS, *rows]).encode("utf-8", "surrogatepass"))


def write_parquet(path: Path, going: Going) -> None:
    """The same rows, offsets as whole numbers."""
    import polars as pl

    schema = {name: pl.Int64 if name in ("start", "end") else pl.String for name in COLUMNS}
    frame = pl.DataFrame(_rows(going.questions), schema=schema)
    write_columns(path, frame)
