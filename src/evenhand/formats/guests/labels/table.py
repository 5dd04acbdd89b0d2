"""Labels as a table: a row a label, a bare row an item without; nothing in it acts as a formula."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from evenhand.errors import InputError
from evenhand.formats.gold.jsonl import strict
from evenhand.formats.guests.labels.tasks import Reading, Taken, by_item, place, spelled
from evenhand.formats.tables import rows_of, table_text

if TYPE_CHECKING:
    from evenhand.model.label import Label, Shown

__all__ = ["read", "write"]

WORDS = ("mode", "reason", "comment", "sheet", "at", "by")
ALIASES = {
    "grade": ("grade", "label", "relevance", "rel", "score", "rating"),
    "judge": ("judge", "annotator", "user", "rater", "worker"),
    "question": ("question", "query", "q"),
    "passage": ("passage", "text", "context", "chunk", "content"),
}


def write(shown: Iterable[Shown], labels: Iterable[Label]) -> str:
    """CSV with a header; evidence as JSON in its cell."""
    given = by_item(labels)
    table: list[Iterable[Any]] = []
    for one in shown:
        head = {"question": one.ask, "passage": one.text, **place(one)}
        found: list[Label | None] = [*given.get(one.item, ())]
        for label in found or [None]:
            row = {**head, "judge": "", "grade": "", **dict.fromkeys(WORDS, ""), "active_ms": ""}
            row["evidence"] = ""
            if label is not None:
                row |= {"judge": label.judge, "grade": spelled(label)}
                row |= {name: getattr(label, name) for name in WORDS}
                row["active_ms"] = "" if label.active_ms is None else label.active_ms
                marks = [[m.start, m.end, m.quote] for m in label.evidence]
                row["evidence"] = json.dumps(marks) if marks else ""
            if not table:
                table.append(row)
            table.append(row.values())
    return table_text(table, end="\r\n")


def read(text: str, reading: Reading) -> Taken:
    """Labels of a table of ours, or of any with columns for grade, judge, question and passage."""
    header, rows = rows_of(text, reading.file)
    lower = [name.lower() for name in header]
    column = {
        name: next((lower.index(alias) for alias in aliases if alias in lower), None)
        for name, aliases in ALIASES.items()
    }
    graded = reading.only(lower, *ALIASES["grade"])
    if not graded:
        raise InputError(
            f"{reading.file}:1: has no column for the grade (found {', '.join(header)})",
            mend="call it grade, label, relevance or score, or name it: --control NAME",
        )
    column["grade"] = lower.index(graded)
    for name in lower:
        known = ("item", "question_id", "doc", "start", "end", "text_sha256", "title", "heading")
        read = [graded, *(a for key, of in ALIASES.items() if key != "grade" for a in of)]
        if name not in (*known, *WORDS, "active_ms", "evidence", *read):
            reading.lose(f"columns called {name!r}")
    for line, cells in rows:
        row = dict(zip(lower, cells, strict=False))
        wanted = {key: cells[i] if i is not None and i < len(cells) else "" for key, i in column.items()}
        if not wanted["grade"].strip():
            continue
        unit = f"{row.get('doc')}#{row.get('start')}-{row.get('end')}"
        shown = reading.find(
            row.get("item"),
            f"{row.get('question_id')} {unit}",
            ask=wanted["question"],
            text=wanted["passage"],
        )
        if shown is None:
            continue
        active = row.get("active_ms", "")
        try:
            spans = strict(row["evidence"]) if row.get("evidence") else ()
        except ValueError as error:
            raise InputError(f"{reading.file}:{line}: evidence: {error}", mend='[[0, 3, "its"]]') from error
        reading.take(
            shown,
            wanted["judge"],
            wanted["grade"],
            evidence=reading.marks(shown, spans),
            active_ms=int(active) if active.isdecimal() else None,
            **{name: row.get(name) for name in WORDS},
        )
    return reading.done()
