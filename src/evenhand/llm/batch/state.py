"""A batch as it stands in the journal, and a call out of one of its results."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from evenhand.errors import Unreachable
from evenhand.llm.scheduling.attempt import outcome_of, price_of_reply
from evenhand.model.call import Call, Request
from evenhand.redact import in_line

if TYPE_CHECKING:
    from evenhand.llm.batch.providers import Result
    from evenhand.store.calls.journal import Calls

__all__ = ["GIVEN_UP", "OPEN", "Batch", "all_batches", "call_of", "keep"]

SHELF = "batch"
OPEN = ("sending", "sent", "emitted")
GIVEN_UP = "given up"


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """A batch of one model. ``state``: sending (perhaps handed in), sent, emitted (a file), lost, collected.

    ``id`` is the provider's, ``done`` of ``n`` requests are answered as far as is known, ``why`` it was lost;
    ``file`` is what was emitted, as seen from the study's folder (empty in older journals).
    """

    key: str
    chat: str
    model: str
    state: str
    n: int
    at: str
    id: str = ""
    done: int = 0
    ended: bool = False
    why: str = ""
    file: str = ""


def all_batches(journal: Calls) -> list[Batch]:
    """Every batch that was ever begun, in the order in which they were."""
    return [Batch(key=key, **content) for key, content in journal.notes(SHELF).items()]


def keep(journal: Calls, one: Batch) -> Batch:
    """Write down, durably, how a batch stands; and give it back."""
    content = {field.name: getattr(one, field.name) for field in fields(Batch) if field.name != "key"}
    journal.note(SHELF, one.key, content)
    return one


def call_of(chat: Any, request: Request, result: Result, share: float) -> Call:
    """The call that a result is, at *share* of the list price."""
    reply, why = None, in_line(result.why, 300)
    if result.body is not None:
        try:
            reply = chat.read(request, result.body)
        except Unreachable as error:
            why = error.why
    outcome, said = outcome_of(request, reply, why)
    price = None if reply is None else price_of_reply(chat, reply)
    return Call(
        key=result.key,
        task=request.task,
        model=chat.seal,
        outcome=outcome,
        reply=reply,
        why=said,
        price=None if price is None else price * share,
    )
