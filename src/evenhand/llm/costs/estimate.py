"""What asking will take, before anything is spent: calls, tokens, money, minutes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING

from evenhand.errors import InputError, nearest
from evenhand.llm.costs.forecast import ASSUMED_OUT, ASSUMED_SECONDS, Asking, Estimate
from evenhand.llm.costs.request_cost import most, price_of_tokens, tokens_about
from evenhand.llm.costs.usage_history import Past, Span, at_once, past_of
from evenhand.llm.scheduling.endpoint_queue import endpoint_of
from evenhand.store.calls.journal import call_key

if TYPE_CHECKING:
    from evenhand.model.call import Request
    from evenhand.protocols import Chat
    from evenhand.store.calls.journal import Calls

__all__ = ["Asking", "Estimate", "estimate"]

CHARACTERS = "characters / 4"


@dataclass
class _Sum:
    calls: int = 0
    held: int = 0
    twice: int = 0
    tokens: int = 0
    out: int = 0
    most: float | None = 0.0
    seen: set[str] = field(default_factory=set)


def estimate(
    requests: Iterable[tuple[str, Request]],
    chats: Mapping[str, Chat],
    journal: Calls,
    *,
    concurrency: int = 8,
    count: Callable[[str], int] | None = None,
    counted_by: str = "",
) -> Estimate:
    """Count what `Caller.ask` would ask of *chats*; nothing is sent.

    *count* gives the tokens of a text (*counted_by* is its tokenizer's name); without one they are taken as
    characters / 4. Tokens of replies and what the endpoint makes of our count are learned from the latest
    calls of each model in the journal, and so is the time: what a call took, and how many of an endpoint were
    under way together, which a server that works through them one by one shows as well as one that does not.
    Where there are fewer than five calls, both are assumed.
    """
    past = past_of(journal, count)
    sums = {name: _Sum() for name in chats}
    models = {name: chat.seal for name, chat in chats.items()}
    for name, request in requests:
        if name not in sums:
            raise InputError(f"a model named {name!r} is asked", mend=nearest(name, chats))
        one, key = sums[name], call_key(models[name], request.seal)
        if key in one.seen:
            one.twice += 1
            continue
        one.seen.add(key)
        if journal.state(key) == "stands":
            one.held += 1
            continue
        one.calls += 1
        one.tokens += tokens_about(request, count)
        known = past.get(models[name])
        learned = known.out / known.n if known is not None and known.n else ASSUMED_OUT
        one.out += min(request.max_tokens, round(learned))
        if one.most is not None:
            dearest = most(chats[name], request)
            one.most = None if dearest is None else one.most + dearest
    slots = _slots(chats, sums, past, concurrency)
    asking = tuple(
        _asking(name, chat, sums[name], past.get(models[name]), slots[endpoint_of(chat)])
        for name, chat in chats.items()
    )
    took: dict[str, float] = {}
    for one_model in asking:
        where = endpoint_of(chats[one_model.name])
        took[where] = took.get(where, 0.0) + one_model.seconds
    return Estimate(
        models=asking,
        seconds=max(took.values(), default=0.0),
        counted_by=counted_by or ("a tokenizer" if count is not None else CHARACTERS),
        concurrency=concurrency,
    )


def _slots(
    chats: Mapping[str, Chat], sums: Mapping[str, _Sum], past: Mapping[str, Past], concurrency: int
) -> dict[str, float]:
    """By endpoint: how many of its calls may be taken to be under way at once."""
    spans: dict[str, dict[str, list[Span]]] = {}
    calls: dict[str, int] = {}
    for name, chat in chats.items():
        where = endpoint_of(chat)
        calls[where] = calls.get(where, 0) + sums[name].calls
        known = past.get(chat.seal)
        spans.setdefault(where, {})[chat.seal] = known.spans if known is not None else []
    return {
        where: max(1.0, min(concurrency, calls[where], at_once(chain.from_iterable(of_models.values()))))
        for where, of_models in spans.items()
    }


def _asking(name: str, chat: Chat, one: _Sum, past: Past | None, slots: float) -> Asking:
    ratio = past.told / past.counted if past is not None and past.counted else 1.0
    seconds = 0.0 if getattr(chat, "instant", False) else ASSUMED_SECONDS
    if past is not None and past.timed:
        seconds = past.seconds / past.timed
    tokens = round(one.tokens * ratio)
    return Asking(
        name=name,
        model=chat.name,
        calls=one.calls,
        held=one.held,
        twice=one.twice,
        tokens_in=tokens,
        tokens_out=one.out,
        price=price_of_tokens(chat, tokens, one.out),
        most=one.most,
        seconds=seconds * one.calls / slots,
        learned=past.n if past is not None else 0,
        timed=past.timed if past is not None else 0,
        instant=bool(getattr(chat, "instant", False)),
        key_unset=str(getattr(chat, "key_unset", "")),
    )
