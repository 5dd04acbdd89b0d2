"""doccano-like JSON lines: spans and categories of one text, a line an annotator."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from evenhand.formats.guests.tasks import Reading, Taken, by_item, dumped, json_lines, place, spelled

if TYPE_CHECKING:
    from evenhand.model.label import Label, Shown

__all__ = ["read", "write"]

WORDS = ("mode", "reason", "sheet", "at", "by")


def write(shown: Iterable[Shown], labels: Iterable[Label]) -> str:
    """A line a label (``user``, ``cats``, ``entities``, ``Comments``); a bare one for items without."""
    given = by_item(labels)
    rows: list[dict[str, Any]] = []
    for one in shown:
        head = {"text": one.text, "question": one.ask, **place(one)}
        found = given.get(one.item, ())
        if not found:
            rows.append({"id": len(rows) + 1, **head, "cats": [], "entities": []})
        for label in found:
            more = {name: getattr(label, name) for name in WORDS if getattr(label, name)}
            if label.active_ms is not None:
                more["active_ms"] = label.active_ms
            rows.append(
                {
                    "id": len(rows) + 1,
                    **head,
                    "user": label.judge,
                    "cats": [spelled(label)],
                    "entities": [[m.start, m.end, "Evidence"] for m in label.evidence],
                    "Comments": [label.comment] if label.comment else [],
                    **more,
                }
            )
    return dumped(rows)


def read(text: str, reading: Reading) -> Taken:
    """Labels; ``label`` may hold categories or spans, as the kind of project had it."""
    for _, row in json_lines(text, reading.file):
        cats, spans = list(row.get("cats") or ()), list(row.get("entities") or ())
        for one in row.get("label") or row.get("labels") or ():
            (spans if isinstance(one, list) else cats).append(one)
        if not cats and not spans:
            continue
        shown = reading.find(row.get("item"), ask=row.get("question"), text=row.get("text"))
        if shown is None:
            continue
        for _ in cats[1:]:
            reading.lose("further categories of a text: the first is its grade")
        places = [
            (s.get("start_offset"), s.get("end_offset"), None) if isinstance(s, dict) else (s[0], s[1], None)
            for s in spans
        ]
        reading.take(
            shown,
            row.get("user", row.get("annotator")),
            cats[0] if cats else None,
            evidence=reading.marks(shown, places),
            comment="\n".join(row.get("Comments") or row.get("comments") or ()),
            active_ms=row.get("active_ms"),
            **{name: row.get(name) for name in WORDS},
        )
    return reading.done()
