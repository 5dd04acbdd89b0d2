"""What models were like in earlier calls: tokens, how their endpoints count them, and how fast they were."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from evenhand.llm.costs.request_cost import tokens_about

if TYPE_CHECKING:
    from evenhand.store.calls.journal import Calls

__all__ = ["Past", "Span", "at_once", "past_of"]

ENOUGH = 5  # earlier calls of a model, from which on they say more than assumptions

Span = tuple[float, float]  # seconds since 1970 from when to when a call was under way


@dataclass
class Past:
    """The latest calls of one model: ``n`` that say how many tokens, ``timed`` that say how long they took.

    ``out``, ``told`` and ``counted`` are sums over the former: tokens of replies, of requests as the endpoint
    told them and as we count; ``seconds`` is the sum over the latter, ``spans`` when they were under way.
    """

    n: int = 0
    out: int = 0
    told: int = 0
    counted: int = 0
    timed: int = 0
    seconds: float = 0.0
    spans: list[Span] = field(default_factory=list)


def past_of(journal: Calls, count: Callable[[str], int] | None) -> dict[str, Past]:
    """By the model's seal. What fewer than five calls say is left out: then ``n`` or ``timed`` is 0."""
    found: dict[str, Past] = {}
    for one in journal.recent():
        reply, seconds = one.call.reply, one.call.seconds
        if reply is None:
            continue
        past = found.setdefault(one.call.model, Past())
        if seconds is not None:
            end = datetime.fromisoformat(one.at).timestamp()
            past.timed += 1
            past.seconds += seconds
            past.spans.append((end - seconds, end))
        if reply.tokens_in is None or reply.tokens_out is None or reply.reasked:
            continue
        past.n += 1
        past.out += reply.tokens_out
        past.told += reply.tokens_in
        past.counted += tokens_about(one.request, count)
    return {model: _enough(past) for model, past in found.items()}


def _enough(past: Past) -> Past:
    if past.n < ENOUGH:
        past.n = past.out = past.told = past.counted = 0
    if past.timed < ENOUGH:
        past.timed, past.seconds, past.spans = 0, 0.0, []
    return past


def at_once(spans: Iterable[Span]) -> float:
    """How many of the calls were under way on average while any was; inf when all of them took no time."""
    total = covered = 0.0
    last = float("-inf")
    for begin, end in sorted(spans):
        total += end - begin
        covered += max(0.0, end - max(begin, last))
        last = max(last, end)
    return total / covered if covered else float("inf")
