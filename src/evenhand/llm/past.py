"""What models were like in earlier calls: tokens, seconds, and how their endpoints count."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evenhand.llm.cost import tokens_about

if TYPE_CHECKING:
    from evenhand.store.calls import Calls

__all__ = ["Past", "past_of"]

ENOUGH = 5  # earlier calls of a model, from which on they say more than assumptions


@dataclass
class Past:
    """Sums over the latest calls of one model: tokens of replies, of requests as told and as we count."""

    n: int = 0
    seconds: float = 0.0
    out: int = 0
    told: int = 0
    counted: int = 0


def past_of(journal: Calls, count: Callable[[str], int] | None) -> dict[str, Past]:
    """By the model's seal; only those that were asked often enough."""
    found: dict[str, Past] = {}
    for one in journal.recent():
        reply = one.call.reply
        if reply is None or reply.tokens_in is None or reply.tokens_out is None or reply.reasked:
            continue
        past = found.setdefault(one.call.model, Past())
        past.n += 1
        past.seconds += one.call.seconds or 0.0
        past.out += reply.tokens_out
        past.told += reply.tokens_in
        past.counted += tokens_about(one.request, count)
    return {model: past for model, past in found.items() if past.n >= ENOUGH}
