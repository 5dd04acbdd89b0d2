"""What a rubric desk sent is saved: each act once, in its order; what is refused holds up nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evenhand.answer.rating.rater_queues import events_log
from evenhand.answer.rating.rating_log import Act
from evenhand.answer.rating.rubric import RUBRIC, SAID
from evenhand.errors import InputError, nearest
from evenhand.model.judging import EVENTS
from evenhand.store.clock import now

if TYPE_CHECKING:
    from collections.abc import Iterable

    from evenhand.protocols import Store
    from evenhand.web.desk.schemas import EventsIn
    from evenhand.web.rubric.schemas import RatedIn
    from evenhand.web.rubric.session import Room

__all__ = ["record", "take"]


def take(room: Room, acts: Iterable[RatedIn]) -> list[dict[str, Any]]:
    """Save each act; one that is refused says why."""
    results = []
    for sent in acts:
        try:
            with room.lock:
                results.append(_undo(room, sent) if sent.act == "undo" else _save(room, sent))
        except InputError as error:
            results.append({"token": sent.token, "saved": False, "what": error.what, "mend": error.mend})
    return results


def _save(room: Room, sent: RatedIn) -> dict[str, Any]:
    item = room.item_of(sent.task)
    _fits(room, sent, item)
    act = Act(
        token=sent.token,
        act=sent.act,
        item=item,
        field=sent.field,
        said=sent.said,
        reason=sent.reason.strip(),
        comment=sent.comment.strip(),
        sheet=sent.sheet,
        shown_at=sent.shown_at,
        at=now(),
        active_ms=sent.active_ms,
    )
    book = room.book()
    if act.act == "rate":
        act = room.rated(act)
        stands = book.given(item).get(act.field)
    elif act.act == "skip":
        stands = book.skipped(item)
    else:
        stands = None
    # a double click has a token of its own and says what stands already; a rating said again stays as it
    # was given, blind or not, unless it takes up an item that was skipped
    again = stands is not None and stands.what == act.what and act.token not in book.tokens
    if stands is not None and again and (act.act == "skip" or book.skipped(item) is None):
        return {"token": sent.token, "saved": True, "fresh": False, "number": stands.number}
    kept, fresh = room.put(act)
    return {"token": sent.token, "saved": True, "fresh": fresh, "number": kept.number}


def _fits(room: Room, sent: RatedIn, item: str) -> None:
    """Refuse what the rubric does not have."""
    if sent.act == "skip" and not sent.reason.strip():
        raise InputError("a skip has no reason", mend="say in a few words why")
    if sent.act == "rate":
        asked = room.asked(item)
        if sent.field not in asked:
            raise InputError(f"this item is not rated by {sent.field!r}", mend=nearest(sent.field, asked))
        if sent.said not in SAID:
            raise InputError(f"{sent.field} is rated {sent.said!r}", mend=nearest(sent.said, SAID))
    elif sent.field or sent.said:
        raise InputError(f"a {sent.act} rates no field", mend="leave field and said out")
    if sent.act == "rate" and sent.sheet != RUBRIC.seal:
        raise InputError("the answer was given under another version of the rubric", mend="reload the page")


def _undo(room: Room, sent: RatedIn) -> dict[str, Any]:
    book = room.book()
    item = room.item_of(sent.task) if sent.task else ""
    there = book.tokens.get(sent.token)
    done = {"token": sent.token, "saved": True, "fresh": False, "number": None, "undone": None}
    if there is None:
        last = book.last(item, sent.field)
        if last is None:
            return done
        there, fresh = room.put(
            Act(token=sent.token, act="undo", item=last.item, undoes=last.number, at=now())
        )
    else:
        fresh = False
    if there.act != "undo":
        raise InputError("this token was used for another act", mend="reload the page")
    gone = next(act for act in book.tokens.values() if act.number == there.undoes)
    return {
        **done,
        "fresh": fresh,
        "number": there.number,
        "undone": {
            "task": room.names[gone.item],
            "act": gone.act,
            "field": gone.field,
            "said": gone.said,
            "reason": gone.reason,
        },
        "item": room.sent(gone.item),
    }


def record(store: Store, room: Room, sent: EventsIn) -> int:
    """Keep the events that a desk may tell; the others are passed over. Returns how many were taken."""
    log = events_log(room.desk.pack, room.desk.rater)
    kept = [one for one in sent.events if one.kind in EVENTS and one.kind != "unblinded"]
    for one in kept:
        line = {"kind": one.kind, "at": one.at, "item": room.tasks.get(one.task, ""), "body": dict(one.body)}
        store.append(log, line, token=one.token)
    return len(kept)
