"""Langfuse: dataset items to be judged, and scores of people (ANNOTATION) and models (EVAL)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from evenhand.formats.guests.labels.tasks import Reading, Taken, by_item, dumped, json_lines, place

if TYPE_CHECKING:
    from evenhand.model.label import Label, Shown

__all__ = ["NAMES", "read", "write"]

NAMES = ("grade", "relevance")
WORDS = ("mode", "reason", "sheet", "by")


def write(shown: Iterable[Shown], labels: Iterable[Label], *, dataset: str = "evenhand") -> str:
    """JSON lines: a dataset item an item, then a score a label, whose ``traceId`` is the item."""
    shown = list(shown)
    given = by_item(labels)
    rows: list[dict[str, Any]] = [
        {
            "datasetName": dataset,
            "id": one.item,
            "input": {"question": one.ask, "passage": one.text},
            "expectedOutput": None,
            "metadata": place(one),
        }
        for one in shown
    ]
    for one in shown:
        for i, label in enumerate(given.get(one.item, ()), start=1):
            more: dict[str, Any] = {name: getattr(label, name) for name in WORDS if getattr(label, name)}
            if label.evidence:
                more["evidence"] = [[m.start, m.end, m.quote] for m in label.evidence]
            if label.active_ms is not None:
                more["active_ms"] = label.active_ms
            graded = label.grade is not None
            rows.append(
                {
                    "id": f"{one.item}-{i}",
                    "traceId": one.item,
                    "name": NAMES[0],
                    "value": label.grade if graded else label.kind,
                    "dataType": "NUMERIC" if graded else "CATEGORICAL",
                    "source": "API",  # ANNOTATION wants a configuration, EVAL is refused; `by` says who
                    "authorUserId": label.judge,
                    "comment": label.comment or None,
                    "timestamp": label.at or None,
                    "metadata": more,
                }
            )
    return dumped(rows)


def read(text: str, reading: Reading) -> Taken:
    """Labels of scores named ``grade``, else ``relevance``: EVAL is a panel, others are people by name."""
    rows = [row for _, row in json_lines(text, reading.file)]
    about = {str(row.get("id")): row for row in rows if "datasetName" in row}
    grade = reading.only([str(row.get("name")) for row in rows if "datasetName" not in row], *NAMES)
    for row in rows:
        if "datasetName" in row:
            continue
        if row.get("name") != grade:
            reading.lose(f"scores called {row.get('name')!r}")
            continue
        trace = str(row.get("traceId"))
        item = about.get(trace) or {}
        asked, metadata = item.get("input") or {}, item.get("metadata") or {}
        shown = reading.find(
            trace, metadata.get("item"), ask=asked.get("question"), text=asked.get("passage")
        )
        if shown is not None:
            _take(row, shown, reading)
    return reading.done()


def _take(row: Mapping[str, Any], shown: Shown, reading: Reading) -> None:
    more = dict(row.get("metadata") or {})
    if row.get("source") == "EVAL":
        more["by"] = "panel"
    said = row.get("stringValue") if row.get("dataType") == "CATEGORICAL" else row.get("value")
    reading.take(
        shown,
        row.get("authorUserId"),
        row.get("value") if said is None else said,
        evidence=reading.marks(shown, more.get("evidence") or ()),
        comment=row.get("comment"),
        at=row.get("timestamp"),
        active_ms=more.get("active_ms"),
        **{name: more.get(name) for name in WORDS},
    )
