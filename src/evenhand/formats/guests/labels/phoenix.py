"""Phoenix: retriever spans that hold the passages, and document annotations of people and models."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from evenhand.formats.guests.answers.openinference_export import annotation, hexed, retriever
from evenhand.formats.guests.labels.tasks import Reading, Taken, by_item, dumped, json_lines, place
from evenhand.model.answer import Passage

if TYPE_CHECKING:
    from evenhand.model.label import Label, Shown

__all__ = ["NAMES", "read", "write"]

NAMES = ("grade", "relevance")
WORDS = ("mode", "reason", "sheet", "by", "at")


def write(shown: Iterable[Shown], labels: Iterable[Label]) -> str:
    """JSON lines: a retriever span a question with its passages, then an annotation a label.

    ``document_position`` counts from 0 in the span; a score is the grade, what a score cannot say a label.
    """
    of: dict[tuple[str, str], list[Shown]] = {}
    for one in shown:
        of.setdefault((one.question, one.ask), []).append(one)
    given = by_item(labels)
    spans: list[dict[str, Any]] = []
    notes: list[dict[str, Any]] = []
    for (name, ask), some in of.items():
        trace, own = hexed("judge", name, ask, size=32), hexed("judged", name, ask, size=16)
        passages = tuple(Passage(unit=one.item, text=one.text) for one in some)
        made = retriever(ask, trace, own, passages)
        for position, one in enumerate(some):
            made["attributes"][f"retrieval.documents.{position}.document.metadata"] = json.dumps(place(one))
        spans.append(made)
        for position, one in enumerate(some):
            notes += [_note(own, position, one, label) for label in given.get(one.item, ())]
    return dumped([*spans, *notes])


def _note(own: str, position: int, shown: Shown, label: Label) -> dict[str, Any]:
    more: dict[str, Any] = {name: getattr(label, name) for name in WORDS if getattr(label, name)}
    if label.evidence:
        more["evidence"] = [[m.start, m.end, m.quote] for m in label.evidence]
    if label.active_ms is not None:
        more["active_ms"] = label.active_ms
    return annotation(
        own,
        NAMES[0],
        "LLM" if label.by == "panel" else "HUMAN",
        identifier=label.judge,
        document_position=position,
        score=label.grade,
        label=None if label.grade is not None else label.kind,
        explanation=label.comment or None,
        metadata={**place(shown), "judge": label.judge, **more},
    )


def read(text: str, reading: Reading) -> Taken:
    """Labels of document annotations; spans in the same file say what their positions are of."""
    rows = [row for _, row in json_lines(text, reading.file)]
    spans = {_own(row): row for row in rows if "annotator_kind" not in row}
    grade = reading.only([str(_name(row)) for row in rows if "annotator_kind" in row], *NAMES)
    for row in rows:
        if "annotator_kind" not in row:
            continue
        name = _name(row)
        if name != grade:
            reading.lose(f"annotations called {name!r}")
            continue
        if row.get("document_position") is None:
            reading.lose("annotations are of a whole span, not of a passage")
            continue
        meta = row["metadata"] if isinstance(row.get("metadata"), Mapping) else {}
        ask, unit, words = _passage(spans.get(row.get("span_id")), int(row["document_position"]))
        shown = reading.find(meta.get("item"), unit, ask=ask, text=words)
        if shown is not None:
            _take(row, meta, shown, reading)
    return reading.done()


def _name(row: Mapping[str, Any]) -> Any:
    return row.get("name", row.get("annotation_name"))


def _own(span: Mapping[str, Any]) -> Any:
    context = span.get("context")
    return context.get("span_id") if isinstance(context, Mapping) else span.get("context.span_id")


def _passage(span: Mapping[str, Any] | None, position: int) -> tuple[Any, Any, Any]:
    """What was asked, and id and words of the passage at a position of a retriever's span."""
    attributes = (span or {}).get("attributes") or {}
    head = f"retrieval.documents.{position}.document"
    return tuple(attributes.get(name) for name in ("input.value", f"{head}.id", f"{head}.content"))  # type: ignore[return-value]


def _take(row: Mapping[str, Any], meta: Mapping[str, Any], shown: Shown, reading: Reading) -> None:
    more = {name: meta.get(name) for name in WORDS}
    if row["annotator_kind"] == "CODE":
        reading.lose("annotations by code: nobody judged them")
        return
    if row["annotator_kind"] == "LLM":
        more["by"] = "panel"
    said = row.get("score")
    reading.take(
        shown,
        row.get("identifier") or meta.get("judge"),
        row.get("label") if said is None else said,
        evidence=reading.marks(shown, meta.get("evidence") or ()),
        comment=row.get("explanation"),
        active_ms=meta.get("active_ms"),
        **more,
    )
