"""What asking one judge cost, in numbers and in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from evenhand.model.amount import many

if TYPE_CHECKING:
    from evenhand.model.call import Call

__all__ = ["Spent", "spent_words"]


@dataclass(slots=True)
class Spent:
    """What one judge cost in one go: calls ``made`` now, ``cached`` from the journal; dollars, tokens.

    ``unpriced`` counts calls made now whose price is not known.
    """

    made: int = 0
    cached: int = 0
    dollars: float = 0.0
    before: float = 0.0
    unpriced: int = 0
    tokens_in: int = 0
    tokens_out: int = 0

    def count(self, call: Call) -> None:
        """Take one call in."""
        if call.outcome == "fault" and not call.tries:
            return
        if call.reply is not None:
            self.tokens_in += call.reply.tokens_in or 0
            self.tokens_out += call.reply.tokens_out or 0
        if call.cached:
            self.cached += 1
            self.before += call.price or 0.0
        else:
            self.made += 1
            self.dollars += call.price or 0.0
            self.unpriced += call.price is None and call.reply is not None


def spent_words(spent: Mapping[str, Any]) -> str:
    """``54 calls, free``, ``3 calls, $0.0102, 1 of them at no known price, 12 from the journal``.

    *spent* has the fields of a `Spent`. No money is named where none was paid.
    """
    made, unpriced = spent["made"], spent.get("unpriced", 0)
    parts = [many(made, "call")]
    if spent["dollars"]:
        parts.append(f"${spent['dollars']:,.4f}")
    elif made and not unpriced:
        parts.append("free")
    if unpriced:
        parts.append("at no known price" if unpriced == made else f"{unpriced:,} of them at no known price")
    if spent["cached"]:
        before = f" (${spent['before']:,.4f} then)" if spent.get("before") else ""
        parts.append(f"{spent['cached']:,} from the journal{before}")
    if spent.get("tokens_in", 0) + spent.get("tokens_out", 0):
        parts.append(f"{spent['tokens_in']:,} tokens in, {spent['tokens_out']:,} out")
    return ", ".join(parts)
