"""What batches may come to at the most, held against a budget before anything is handed in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from evenhand.errors import InputError
from evenhand.llm.costs.request_cost import dearest, tokens_at_most
from evenhand.model.call import Request

__all__ = ["SHARE", "Fitting", "bound", "fitting", "unpriced"]

SHARE = 0.5  # of the list price, at OpenAI and Anthropic alike
ROUNDING = 1e-9  # dollars by which a sum may be off


@dataclass(frozen=True, slots=True, kw_only=True)
class Fitting:
    """The ``requests`` that stay within a budget, from the first on, and how many are ``left``.

    ``most`` is what those may come to, ``under_way`` what batches handed in before may, ``next`` what the
    first that was left may; all in US dollars.
    """

    requests: tuple[tuple[str, Request], ...]
    left: int
    most: float
    under_way: float
    next: float = 0.0

    @property
    def committed(self) -> float:
        """What all batches under way may come to, once these are handed in."""
        return self.most + self.under_way


def bound(chat: Any, request: Request) -> float | None:
    """The most a request may come to in a batch, where nothing is asked a second time; None: not known."""
    most = dearest(chat, tokens_at_most(request), request.max_tokens)
    return None if most is None else most * SHARE


def fitting(
    wanted: Sequence[tuple[str, Request]], chats: Any, budget: float, *, under_way: float = 0.0
) -> Fitting:
    """As many of *wanted* as the *budget* bears beside what is *under_way*; refuses a price not known."""
    fits: list[tuple[str, Request]] = []
    most, left, following = 0.0, 0, 0.0
    for name, request in wanted:
        cost = bound(chats[name], request)
        if cost is None:
            raise unpriced(name)
        if left or under_way + most + cost > budget + ROUNDING:
            following = following if left else cost
            left += 1
            continue
        fits.append((name, request))
        most += cost
    return Fitting(requests=tuple(fits), left=left, most=most, under_way=under_way, next=following)


def unpriced(name: str) -> InputError:
    """The refusal of a budget that could not be kept."""
    return InputError(
        f"the price of {name} is not known, so a budget cannot hold",
        mend='give its price in the study file, or leave "budget" away',
    )
