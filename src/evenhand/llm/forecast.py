"""What asking will take, in numbers and in sentences: a model each, and all together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from evenhand.llm.line import dollars, span

__all__ = ["ASSUMED_OUT", "ASSUMED_SECONDS", "Asking", "Estimate"]

ASSUMED_OUT = 150  # tokens of a reply: a verdict with its reason and a quotation
ASSUMED_SECONDS = 2.0  # a call


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


def _sum(parts: Iterable[float | None]) -> float | None:
    total = 0.0
    for part in parts:
        if part is None:
            return None
        total += part
    return total
