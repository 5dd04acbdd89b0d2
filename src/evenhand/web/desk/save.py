"""What a desk sent is saved: answers, undos and events, each once, in their order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evenhand.errors import EvenhandError, InputError
from evenhand.labelling.desk.blind import fits
from evenhand.model.judging import EVENTS, Entry, Event, EvidenceMark
from evenhand.store.clock import now

if TYPE_CHECKING:
    from evenhand.model.judging import Desk
    from evenhand.model.sheet import Sheet
    from evenhand.protocols import Store
    from evenhand.web.desk.schemas import AnswerIn, EventsIn
    from evenhand.web.server.app_state import AppState

__all__ = ["record", "take"]


def take(there: AppState, desk: Desk, sheet: Sheet, answers: list[AnswerIn]) -> list[dict[str, Any]]:
    """Save each act; one that is refused says why and does not hold up the others."""
    results = []
    for answer in answers:
        try:
            results.append(_undo(there, desk, answer) if answer.kind == "undo" else
                           _save(there, desk, sheet, answer))  # fmt: skip
        except InputError as error:
            results.append({"token": answer.token, "saved": False, "what": error.what, "mend": error.mend})
        except EvenhandError:
            raise
        except ValueError:
            results.append({"token": answer.token, "saved": False, "what": "not understood", "mend": "again"})
    return results


def _save(there: AppState, desk: Desk, sheet: Sheet, answer: AnswerIn) -> dict[str, Any]:
    task = there.task(answer.task)
    if task.desk != desk.id:
        raise InputError("this desk has no such task", mend="reload the page")
    text = there.text(there.item(task.item).text_sha256)
    entry = Entry(
        desk=desk.id,
        task=task.id,
        token=answer.token,
        kind=answer.kind,
        grade=answer.grade,
        mode=answer.mode,
        reason=answer.reason.strip(),
        comment=answer.comment.strip(),
        evidence=tuple(
            EvidenceMark(start=mark.start, end=mark.end, quote=mark.quote) for mark in answer.evidence
        ),
        sheet=answer.sheet,
        shown_at=answer.shown_at,
        at=now(),
        active_ms=answer.active_ms,
    )
    fits(entry, seen(there.store, desk, sheet, answer.sheet), text)
    saved = there.store.save(entry)
    return {"token": answer.token, "saved": True, "fresh": saved.fresh, "number": saved.entry.number}


def seen(store: Store, desk: Desk, sheet: Sheet, version: str) -> Sheet:
    """The sheet an answer was given under: the present one, or one that this pool's desks did show.

    An answer that waited for a connection keeps the version its judge saw.
    """
    if version == sheet.seal:
        return sheet
    if any(line["sheet"] == version for _, line in store.lines(f"sheet/{desk.pool}")):
        return store.sheet(version)
    return sheet  # which `fits` then refuses


def _undo(there: AppState, desk: Desk, answer: AnswerIn) -> dict[str, Any]:
    if answer.task and there.task(answer.task).desk != desk.id:
        raise InputError("this desk has no such task", mend="reload the page")
    saved = there.store.undo(desk.id, token=answer.token, at=now(), task=answer.task)
    if saved is None:
        return {"token": answer.token, "saved": True, "fresh": False, "number": None, "undone": None}
    taken = next(iter(there.store.book(desk.id, after=saved.entry.undoes - 1)))
    return {
        "token": answer.token,
        "saved": True,
        "fresh": saved.fresh,
        "number": saved.entry.number,
        "undone": {
            "task": taken.task,
            "kind": taken.kind,
            "grade": taken.grade,
            "mode": taken.mode,
            "reason": taken.reason,
            "comment": taken.comment,
            "evidence": [{"start": m.start, "end": m.end, "quote": m.quote} for m in taken.evidence],
        },
    }


def record(store: Store, desk: Desk, sent: EventsIn) -> int:
    """Keep the events that a desk may tell; the others are passed over."""
    events = [
        Event(desk=desk.id, kind=one.kind, token=one.token, at=one.at, task=one.task, body=one.body)
        for one in sent.events
        if one.kind in EVENTS and one.kind != "unblinded"
    ]
    return store.record(events) if events else 0
