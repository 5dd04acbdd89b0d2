"""What asking will take, before anything is spent: calls, tokens, money, minutes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from evenhand.errors import InputError, nearest
from evenhand.llm.cost import most, price_of_tokens, tokens_about
from evenhand.llm.line import dollars, span
from evenhand.store.calls import call_key

if TYPE_CHECKING:
    from evenhand.model.call import Request
    from evenhand.protocols import Chat
    from evenhand.store.calls import Calls

__all__ = ["Asking", "Estimate", "estimate"]

ENOUGH = 5  # earlier calls of a model, from which on they say more than assumptions
ASSUMED_OUT = 150  # tokens of a reply: a verdict with its reason and a quotation
ASSUMED_SECONDS = 2.0  # a call
CHARACTERS = "characters / 4"


@dataclass(frozen=True, kw_only=True)
class Asking:
    """What one model will be asked. ``price`` and ``most`` are US dollars, None where not known.

    ``calls`` are those to be made; ``held`` are in the journal already, ``twice`` are equal to another one.
    ``learned`` is from how many earlier calls tokens and seconds were taken; 0: they are assumed.
    """

    name: str
    model: str
    calls: int
    held: int
    twice: int
    tokens_in: int
    tokens_out: int
    price: float | None
    most: float | None
    seconds: float
    learned: int

    @property
    def sentence(self) -> str:
        """One line for people."""
        held = f" ({self.held:,} more are in the journal)" if self.held else ""
        if not self.calls:
            return f"{self.name} ({self.model}): nothing to ask{held}"
        if self.price is None or self.most is None:
            money = "its price is not known"
        elif self.most == 0:
            money = "free"
        else:
            money = f"about {dollars(self.price)}, at most {dollars(self.most)}"
        calls = "1 call" if self.calls == 1 else f"{self.calls:,} calls"
        return (
            f"{self.name} ({self.model}): {calls}{held}, about {self.tokens_in:,} tokens in and "
            f"{self.tokens_out:,} out, {money}, about {span(self.seconds)}"
        )


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """All models of a panel; they are asked at the same time."""

    models: tuple[Asking, ...]
    counted_by: str
    concurrency: int

    @property
    def calls(self) -> int:
        """Calls to be made."""
        return sum(one.calls for one in self.models)

    @property
    def price(self) -> float | None:
        """US dollars, about; None when a price is not known."""
        return _sum(one.price for one in self.models if one.calls)

    @property
    def most(self) -> float | None:
        """US dollars at the most; None when a price is not known."""
        return _sum(one.most for one in self.models if one.calls)

    @property
    def seconds(self) -> float:
        """How long it takes, about."""
        return max((one.seconds for one in self.models), default=0.0)

    @property
    def sentences(self) -> tuple[str, ...]:
        """Lines for people: a model each, the sum, and how it was counted."""
        lines = [one.sentence for one in self.models]
        if self.calls and len(self.models) > 1:
            price, top = self.price, self.most
            money = "at prices that are not all known" if price is None or top is None else "free"
            if price is not None and top:
                money = f"about {dollars(price)}, at most {dollars(top)}"
            lines.append(f"together {self.calls:,} calls, {money}, about {span(self.seconds)}")
        if self.calls:
            new = sorted(one.name for one in self.models if one.calls and not one.learned)
            assumed = ""
            if new:
                were = "was" if len(new) == 1 else "were"
                assumed = (
                    f"; {', '.join(new)} {were} not asked before: {ASSUMED_OUT} tokens and "
                    f"{ASSUMED_SECONDS:g} s a reply are assumed"
                )
            lines.append(f"tokens by {self.counted_by}, {self.concurrency} calls at once{assumed}")
        return tuple(lines)

    def to_json(self) -> dict[str, object]:
        """Plain JSON."""
        return {
            "calls": self.calls,
            "price": self.price,
            "most": self.most,
            "seconds": round(self.seconds, 1),
            "counted_by": self.counted_by,
            "models": [dict(vars(one)) for one in self.models],
        }


@dataclass
class _Past:
    """What a model was like in earlier calls."""

    n: int = 0
    seconds: float = 0.0
    out: int = 0
    told: int = 0
    counted: int = 0


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
    characters / 4. Tokens of replies, seconds, and what the endpoint makes of our count are learned from
    the latest calls of each model in the journal, and assumed where there are fewer than five.
    """
    past = _past(journal, count)
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
        learned = known.out / known.n if known is not None else ASSUMED_OUT
        one.out += min(request.max_tokens, round(learned))
        if one.most is not None:
            dearest = most(chats[name], request)
            one.most = None if dearest is None else one.most + dearest
    return Estimate(
        models=tuple(
            _asking(name, chats[name], sums[name], past.get(models[name]), concurrency) for name in chats
        ),
        counted_by=counted_by or ("a tokenizer" if count is not None else CHARACTERS),
        concurrency=concurrency,
    )


def _asking(name: str, chat: Chat, one: _Sum, past: _Past | None, concurrency: int) -> Asking:
    ratio = past.told / past.counted if past is not None and past.counted else 1.0
    seconds = past.seconds / past.n if past is not None else ASSUMED_SECONDS
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
        seconds=seconds * one.calls / max(1, min(concurrency, one.calls)),
        learned=past.n if past is not None else 0,
    )


def _past(journal: Calls, count: Callable[[str], int] | None) -> dict[str, _Past]:
    """By the model's seal; only those that were asked often enough."""
    found: dict[str, _Past] = {}
    for one in journal.recent():
        reply = one.call.reply
        if reply is None or reply.tokens_in is None or reply.tokens_out is None or reply.reasked:
            continue
        past = found.setdefault(one.call.model, _Past())
        past.n += 1
        past.seconds += one.call.seconds or 0.0
        past.out += reply.tokens_out
        past.told += reply.tokens_in
        past.counted += tokens_about(one.request, count)
    return {model: past for model, past in found.items() if past.n >= ENOUGH}


def _sum(parts: Iterable[float | None]) -> float | None:
    total = 0.0
    for part in parts:
        if part is None:
            return None
        total += part
    return total
