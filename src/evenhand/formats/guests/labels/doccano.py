"""doccano-like JSON lines: spans and categories of one text, a line an annotator."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from evenhand.formats.guests.labels.tasks import Reading, Taken, by_item, dumped, json_lines, place, spelled

if TYPE_CHECKING:
    from evenhand.model.label import Label, Shown

__all__ = ["read", "write"]

KEYS = ("cats", "categories", "entities", "label", "labels", "annotations")
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
    """Labels; ``label`` may hold categories or spans, as the kind of project had it.

    Of several categories the one that is a grade counts; two of them are no answer. In ``annotations`` a
    label is often the number of a label, which is no grade unless ``grades`` spells it.
    """
    for _, row in json_lines(text, reading.file):
        if not any(key in row for key in KEYS):
            reading.lose("rows hold neither categories nor spans")
            continue
        for person, cats, spans in _said(row, reading):
            shown = reading.find(row.get("item"), ask=row.get("question"), text=row.get("text"))
            if shown is None:
                break
            grades = [one for one in cats if reading.answer(one) is not None]
            if len(grades) > 1:
                reading.lose("texts have several categories that are grades")
                continue
            for one in cats if grades else cats[1:]:
                if one not in grades:
                    reading.lose("further categories of a text are no grade")
            reading.take(
                shown,
                person,
                grades[0] if grades else cats[0] if cats else None,
                evidence=reading.marks(shown, spans),
                comment="\n".join(row.get("Comments") or row.get("comments") or ()),
                active_ms=row.get("active_ms"),
                **{name: row.get(name) for name in WORDS},
            )
    return reading.done()


def _said(row: dict[str, Any], reading: Reading) -> Iterator[tuple[Any, list[Any], list[Any]]]:
    """Who said which categories, with which spans; nothing of a text that nobody labelled."""
    by: dict[Any, tuple[list[Any], list[Any]]] = {}
    person = row.get("user", row.get("annotator"))
    for key in KEYS:
        for one in row.get(key) or ():
            number = key == "annotations" and isinstance(one, dict)
            who = one.get("user", person) if number else person
            cats, spans = by.setdefault(who, ([], []))
            if isinstance(one, dict) and "start_offset" in one:
                spans.append((one["start_offset"], one.get("end_offset"), None))
            elif isinstance(one, list):
                spans.append((one[0], one[1], None))
            else:
                said = one.get("label") if isinstance(one, dict) else one
                if number and not isinstance(said, str) and str(said) not in reading.grades:
                    reading.lose(f"annotations have a label by its number: spell it, --grade {said}=1")
                elif said not in cats:
                    cats.append(said)
    for who, (cats, spans) in by.items():
        if cats or spans:
            yield who, cats, spans
