"""Argilla records: responses by question and user. Times, guideline and source have no place there."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from evenhand.formats.guests.tasks import Reading, Taken, by_item, dumped, json_lines, place, spelled

if TYPE_CHECKING:
    from evenhand.model.label import Label, Shown

__all__ = ["read", "write"]

WORDS = ("mode", "reason", "comment")
NOT_CARRIED = ("at", "active_ms", "sheet")


def write(shown: Iterable[Shown], labels: Iterable[Label]) -> str:
    """JSON lines of records: fields question and passage; responses grade, evidence, mode and words."""
    given = by_item(labels)
    rows = []
    for one in shown:
        answers: dict[str, list[dict[str, Any]]] = {}
        for label in given.get(one.item, ()):
            parts: dict[str, Any] = {"grade": spelled(label)}
            if label.evidence:
                parts["evidence"] = [
                    {"start": m.start, "end": m.end, "label": "Evidence"} for m in label.evidence
                ]
            parts |= {name: getattr(label, name) for name in WORDS if getattr(label, name)}
            if label.by != "human":
                parts["by"] = label.by
            for name, value in parts.items():
                answers.setdefault(name, []).append({"value": value, "user_id": label.judge})
        rows.append(
            {
                "id": one.item,
                "fields": {"question": one.ask, "passage": one.text},
                "metadata": place(one),
                "suggestions": {},
                "responses": answers,
                "status": "completed" if answers else "pending",
            }
        )
    return dumped(rows)


def read(text: str, reading: Reading) -> Taken:
    """Labels of records; the responses of one user to one record are one label. Suggestions are a model's."""
    for _, row in json_lines(text, reading.file):
        for _ in row.get("suggestions") or {}:
            reading.lose("suggestions of a model: no person's answers")
        answers = row.get("responses") or {}
        if not answers:
            continue
        fields = row.get("fields", {})
        shown = reading.find(
            row.get("id"),
            (row.get("metadata") or {}).get("item"),
            ask=fields.get("question"),
            text=fields.get("passage", fields.get("text")),
        )
        if shown is not None:
            _take(answers, shown, reading)
    return reading.done()


def _take(answers: dict[str, Any], shown: Shown, reading: Reading) -> None:
    by_user: dict[str, dict[str, Any]] = {}
    for name, given in answers.items():
        for one in given:
            by_user.setdefault(str(one.get("user_id") or ""), {})[name] = one.get("value")
    for user, parts in by_user.items():
        for name in parts:
            if name not in ("grade", "evidence", "by", *WORDS):
                reading.lose(f"responses to {name!r}")
        spans = [(one.get("start"), one.get("end"), one.get("text")) for one in parts.get("evidence") or ()]
        reading.take(
            shown,
            user,
            parts.get("grade"),
            evidence=reading.marks(shown, spans),
            **{name: parts.get(name) for name in (*WORDS, "by")},
        )
