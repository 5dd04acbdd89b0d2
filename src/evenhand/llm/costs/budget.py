"""What a run may spend: money that was paid, and money that calls under way may come to."""

from __future__ import annotations

from collections.abc import Iterable

from evenhand.errors import InputError
from evenhand.llm.scheduling.progress_text import dollars
from evenhand.text.plural import noun, verb

__all__ = ["Budget", "unpriced"]


class Budget:
    """*budget* dollars (None: as much as it takes). Used under the caller's lock.

    A call is let through when what was spent, what those under way may come to at most and what it may come
    to itself stay within the budget; so the budget is never passed by a call whose price is known. Where
    nobody can tell what a call came to (a reply that names no tokens, a try without a reply that may have
    been charged), the most it may have come to is counted, in ``bound``; ``spent`` is what was surely paid.
    """

    def __init__(self, budget: float | None = None) -> None:
        if budget is not None and not budget >= 0:
            raise InputError(f"a budget of {budget!r} dollars", mend="give a number from 0, such as 2.50")
        self.budget = budget
        self.spent = self.bound = self.reserved = 0.0
        self.unpriced = 0  # calls that were made and have no known price
        self.refused: tuple[float, float] | None = None  # what was left, and what the next call might cost

    @property
    def over(self) -> bool:
        """Whether a call was held back: from then on only what costs nothing is asked."""
        return self.refused is not None

    def allows(self, cost: float | None) -> str:
        """``"yes"``; ``"wait"`` until calls under way have come in cheaper; ``"no"``: it might pass it."""
        if self.budget is None or not cost:
            return "yes"
        if self.over:
            return "no"
        if self.spent + self.bound + self.reserved + cost <= self.budget:
            return "yes"
        if self.reserved:
            return "wait"
        self.refused = (max(0.0, self.budget - self.spent - self.bound), cost)
        return "no"

    def reserve(self, cost: float | None) -> None:
        """A call is sent."""
        self.reserved += cost or 0.0

    def settle(self, cost: float | None, price: float | None, *, made: bool, charged: bool = False) -> float:
        """A call that was sent has ended, at this *price*: *made* when a reply came.

        *charged*: none came, and it may have to be paid all the same. Returns what is counted for it at the
        most, as its price is not known.
        """
        self.reserved = max(0.0, self.reserved - (cost or 0.0))
        if self.reserved < 1e-12:
            self.reserved = 0.0  # what rounding left must not keep anyone waiting
        self.spent += price or 0.0
        self.unpriced += made and price is None
        bound = (cost or 0.0) if price is None and (made or charged) else 0.0
        self.bound += bound
        return bound

    @property
    def words(self) -> str:
        """Why nothing more that costs money was asked, with figures; empty where the budget was enough."""
        if self.refused is None or self.budget is None:
            return ""
        left, cost = self.refused
        if not self.budget:
            return "a budget of $0 lets only what costs nothing be asked"
        return (
            f"${left:,.4f} of the {dollars(self.budget)} is left, and the next call might cost ${cost:,.4f}"
        )


def unpriced(names: Iterable[str]) -> InputError:
    """A budget cannot hold for these."""
    told = sorted(names)
    return InputError(
        f"the {noun(len(told), 'price')} of {', '.join(told)} {verb(len(told), 'is', 'are')} not known, so a "
        "budget cannot hold",
        mend='give each price in the study file (price = { input = …, output = … }), or leave "budget" away',
    )
