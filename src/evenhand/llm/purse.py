"""What a run may spend: money that was paid, and money that calls under way may come to."""

from __future__ import annotations

from evenhand.errors import InputError

__all__ = ["Purse"]


class Purse:
    """*budget* dollars (None: as much as it takes). Used under the caller's lock.

    A call is let through when what was spent, what those under way may come to at most and what it may come
    to itself stay within the budget; so the budget is never passed by a call whose price is known.
    """

    def __init__(self, budget: float | None = None) -> None:
        if budget is not None and not budget >= 0:
            raise InputError(f"a budget of {budget!r} dollars", mend="give a number from 0, such as 2.50")
        self.budget = budget
        self.spent = self.reserved = 0.0
        self.unpriced = 0  # calls that were made and have no known price

    def allows(self, cost: float | None) -> str:
        """``"yes"``; ``"wait"`` until calls under way have come in cheaper; ``"no"``: it would pass it."""
        if self.budget is None:
            return "yes"
        if self.spent + self.reserved + (cost or 0.0) <= self.budget:
            return "yes"
        return "wait" if self.reserved else "no"

    def reserve(self, cost: float | None) -> None:
        """A call is sent."""
        self.reserved += cost or 0.0

    def settle(self, cost: float | None, price: float | None, *, made: bool) -> None:
        """A call that was sent has ended, at this *price*."""
        self.reserved = max(0.0, self.reserved - (cost or 0.0))
        if self.reserved < 1e-12:
            self.reserved = 0.0  # what rounding left must not keep anyone waiting
        self.spent += price or 0.0
        self.unpriced += made and price is None
