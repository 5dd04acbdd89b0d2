"""What asking will take, in numbers and in sentences: a model each, and all together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from evenhand.llm.scheduling.progress_text import dollars, span
from evenhand.text.plural import many, money, verb

__all__ = ["ASSUMED_OUT", "ASSUMED_SECONDS", "Asking", "Estimate"]

ASSUMED_OUT = 150  # tokens of a reply: a verdict with its reason and a quotation
ASSUMED_SECONDS = 2.0  # a call


@dataclass(frozen=True, kw_only=True)
class Asking:
    """What one model will be asked. ``price`` and ``most`` are US dollars, None where not known.

    ``calls`` are those to be made; ``held`` are in the journal already, ``twice`` are equal to another one.
    ``seconds`` is the model's part of its endpoint's time. ``learned`` is from how many earlier calls tokens
    were taken, ``timed`` from how many the time; 0: they are assumed. ``instant``: a reply takes no time.
    ``key_unset`` names the variable that should hold the key, where the environment has none.
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
    timed: int = 0
    instant: bool = False
    key_unset: str = ""

    @property
    def time(self) -> str:
        """How long it takes, as far as that is known."""
        if self.timed:
            return f"about {span(self.seconds)} at the pace of its latest {many(self.timed, 'call')}"
        if self.instant:
            return "in no time"
        return f"time not known yet ({_assuming(self.seconds)})"

    @property
    def sentence(self) -> str:
        """One line for people."""
        held = f" ({self.held:,} more {verb(self.held, 'is', 'are')} in the journal)" if self.held else ""
        if not self.calls:
            return f"{self.name} ({self.model}): nothing to ask{held}"
        if self.price is None or self.most is None:
            cost = "its price is not known"
        elif self.most == 0:
            cost = "free"
        else:
            cost = f"about {dollars(self.price)}, at most {dollars(self.most)}"
        calls = many(self.calls, "call")
        return (
            f"{self.name} ({self.model}): {calls}{held}, about {self.tokens_in:,} tokens in and "
            f"{self.tokens_out:,} out, {cost}, {self.time}"
            + (f"; it cannot be asked yet: the environment has no {self.key_unset}" if self.key_unset else "")
        )

    def to_json(self) -> dict[str, object]:
        """Plain JSON."""
        sums = {"price": self.price, "most": self.most}
        return dict(vars(self)) | {name: one if one is None else money(one) for name, one in sums.items()}


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """All models of a panel; they are asked at the same time."""

    models: tuple[Asking, ...]
    counted_by: str
    concurrency: int
    seconds: float
    """About how long it takes: models of one endpoint share its calls, endpoints are asked side by side."""

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
    def sentences(self) -> tuple[str, ...]:
        """Lines for people: a model each, the sum, and how it was counted."""
        lines = [one.sentence for one in self.models]
        if self.calls and len(self.models) > 1:
            lines.append(f"together {many(self.calls, 'call')}, {self._cost}, {self._time}")
        if self.calls:
            once = many(self.concurrency, "call")
            lines.append(f"{self._counting}; {once} at once")
            if unknown := self._untimed:
                lines.append(
                    f"how long a call of {', '.join(unknown)} takes is not known: a model on your own "
                    "machine may need minutes for one; once it was asked 5 times, the estimate goes by that"
                )
        return tuple(lines)

    @property
    def _cost(self) -> str:
        """What it costs together; of models without a price, what is known without them."""
        asked = [one for one in self.models if one.calls]
        known = [one for one in asked if one.price is not None and one.most is not None]
        lacking = sorted(one.name for one in asked if one not in known)
        price, top = (sum(getattr(one, part) for one in known) for part in ("price", "most"))
        cost = f"about {dollars(price)}, at most {dollars(top)}" if top else "free"
        if not lacking:
            return cost
        if not known:
            return "at prices that are not known"
        whose = f"and what {', '.join(lacking)} {verb(len(lacking), 'costs', 'cost')}"
        return f"{cost} {whose}, which is not known" if top else f"{whose.removeprefix('and ')} is not known"

    @property
    def _counting(self) -> str:
        """How tokens were counted, and for whom an endpoint's own counts corrected that."""
        asked = [one for one in self.models if one.calls]
        new = sorted(one.name for one in asked if not one.learned)
        old = sorted(one.name for one in asked if one.learned)
        whose = f" for {', '.join(old)}" if new else ""
        corrected = f", corrected{whose} by what the endpoint counted of earlier calls" if old else ""
        assumed = f"; {ASSUMED_OUT} a reply are assumed for {', '.join(new)}" if new else ""
        return f"tokens by {self.counted_by}{corrected}{assumed}"

    @property
    def _untimed(self) -> list[str]:
        return sorted(one.name for one in self.models if one.calls and not (one.timed or one.instant))

    @property
    def _time(self) -> str:
        if not self.seconds:
            return "in no time"
        if not self._untimed:
            return f"about {span(self.seconds)}"
        return f"time not known yet ({_assuming(self.seconds)})"

    def to_json(self) -> dict[str, object]:
        """Plain JSON."""
        return {
            "calls": self.calls,
            "price": None if self.price is None else money(self.price),
            "most": None if self.most is None else money(self.most),
            "seconds": round(self.seconds, 1),
            "counted_by": self.counted_by,
            "models": [one.to_json() for one in self.models],
        }


def _assuming(seconds: float) -> str:
    return f"{span(seconds)} at {ASSUMED_SECONDS:g} s a call"


def _sum(parts: Iterable[float | None]) -> float | None:
    total = 0.0
    for part in parts:
        if part is None:
            return None
        total += part
    return total
