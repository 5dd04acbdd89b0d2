"""Argilla records: responses by question and user. Times, guideline and source have no place there."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from evenhand.errors import InputError
from evenhand.formats.guests.labels.tasks import Reading, Taken, by_item, dumped, json_lines, place, spelled

if TYPE_CHECKING:
    from evenhand.model.label import Label, Shown

__all__ = ["read", "write"]

WORDS = ("mode", "reason", "comment")
NOT_CARRIED = ("at", "active_ms", "sheet")
SUBMITTED = "submitted"
NO_STATUS = "responses have no status, so drafts count as answers: export records.to_list(flatten=True)"
RESPONSES = ".responses"


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
                answers.setdefault(name, []).append(
                    {"value": value, "user_id": label.judge, "status": SUBMITTED}
                )
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
    """Labels of records; the submitted responses of one user to one record are one label.

    Records as ``to_list`` gives them, nested or flat, or as the server does (responses a list, one a user).
    """
    rows = [row for _, row in json_lines(text, reading.file)]
    given = [_responses(row, reading) for row in rows]
    grade = reading.named("grade")[0]
    asked = sorted({str(name) for one in given for name, *_ in one or ()})
    if asked and grade not in asked:
        raise InputError(
            f"{reading.file} has no question called {grade!r} (found {', '.join(asked)})",
            mend=f"add --control {asked[0]}",
        )
    for row, answers in zip(rows, given, strict=True):
        if answers is None:
            reading.lose("rows hold no responses in any form of a record")
        elif answers:
            fields = row.get("fields", row)
            shown = reading.find(
                row.get("id"),
                row.get("external_id"),
                (row.get("metadata") or row).get("item"),
                ask=fields.get("question"),
                text=fields.get("passage", fields.get("text")),
            )
            if shown is not None:
                _take(answers, shown, reading, grade)
    return reading.done()


Answer = tuple[str, Any, str, Any]  # question, value, user, status


def _responses(row: dict[str, Any], reading: Reading) -> list[Answer] | None:
    """Responses of a record in whichever of its forms, and suggestions counted; None: no record."""
    flat_ones = [name for name, value in row.items() if name.endswith(".suggestion") and value is not None]
    for _ in [*(row.get("suggestions") or ()), *flat_ones]:
        reading.lose("suggestions of a model: no person's answers")
    given = row.get("responses")
    if isinstance(given, list):  # as the server gives them
        if not all(isinstance(of, dict) and isinstance(of.get("values"), dict) for of in given):
            return None
        return [
            (name, one.get("value"), str(of.get("user_id") or ""), of.get("status"))
            for of in given
            for name, one in of["values"].items()
        ]
    if isinstance(given, dict):
        # to_json leaves the status of a response out; a record that waits has no submitted ones, or too few
        waiting = row.get("status") if row.get("status") == "pending" else None
        return [
            (name, one.get("value"), str(one.get("user_id") or ""), one.get("status", waiting))
            for name, of in given.items()
            for one in of or ()
        ]
    flat = [name for name in row if name.endswith(RESPONSES)]
    if not flat and "fields" not in row and "id" not in row:
        return None
    made: list[Answer] = []
    for name in flat:
        values = row[name] or []
        users, states = (row.get(f"{name}.{what}") or [None] * len(values) for what in ("users", "status"))
        made += [
            (name.removesuffix(RESPONSES), value, str(user or ""), state)
            for value, user, state in zip(values, users, states, strict=True)
        ]
    return made


def _take(answers: list[Answer], shown: Shown, reading: Reading, grade: str) -> None:
    by_user: dict[str, dict[str, Any]] = {}
    for name, value, user, status in answers:
        if status not in (None, SUBMITTED):
            if name == grade:
                reading.lose(f"responses have the status {status!r}: that is no answer")
            continue
        if status is None and name == grade:
            reading.lose(NO_STATUS)
        parts = by_user.setdefault(user, {})
        if name in parts and parts[name] != value:
            reading.lose(f"responses to {name!r} are one user's second ones: neither counts")
            parts[name] = None
        else:
            parts[name] = value
    for user, parts in by_user.items():
        for name in parts:
            if name not in (grade, "evidence", "by", *WORDS):
                reading.lose(f"responses to {name!r}")
        spans = [(one.get("start"), one.get("end"), one.get("text")) for one in parts.get("evidence") or ()]
        reading.take(
            shown,
            user,
            parts.get(grade),
            evidence=reading.marks(shown, spans),
            **{name: parts.get(name) for name in (*WORDS, "by")},
        )
