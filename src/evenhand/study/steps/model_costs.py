"""What asking one judge cost, in numbers and in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from evenhand.text.plural import many, money

if TYPE_CHECKING:
    from evenhand.model.call import Call

__all__ = ["Spent", "spent_words"]


@dataclass(slots=True)
class Spent:
    """What one judge cost in one go: calls ``made`` now, ``cached`` from the journal; dollars, tokens.

    ``unpriced`` counts calls made now whose price is not known, ``failed`` those that brought no reply.
    ``bound`` are dollars that the budget counted at the most beside those known: for ``untold`` replies whose
    tokens the endpoint does not name, and for ``unheard`` calls with a try that may have been charged and
    brought none.
    """

    made: int = 0
    cached: int = 0
    dollars: float = 0.0
    before: float = 0.0
    unpriced: int = 0
    failed: int = 0
    bound: float = 0.0
    untold: int = 0
    unheard: int = 0
    tokens_in: int = 0
    tokens_out: int = 0

    def count(self, call: Call) -> None:
        """Take one call in."""
        if call.bound:
            told = call.reply is None or call.price is not None
            self.bound += call.bound
            self.unheard += told
            self.untold += not told
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
            self.failed += call.reply is None

    def to_json(self) -> dict[str, Any]:
        """Plain JSON, which `spent_words` takes."""
        sums = {name: money(getattr(self, name)) for name in ("dollars", "before", "bound")}
        return asdict(self) | sums


def spent_words(spent: Mapping[str, Any]) -> str:
    """``54 calls, free``, ``3 calls, $0.0102, 1 of them at no known price, 12 from the journal``.

    *spent* is what `Spent.to_json` gives. No money is named where none was paid.
    """
    made, unpriced, failed = spent["made"], spent.get("unpriced", 0), spent.get("failed", 0)
    parts = [many(made, "call")]
    if spent["dollars"]:
        parts.append(_dollars(spent["dollars"]))
    elif made > failed and not unpriced:
        parts.append("free")
    if unpriced:
        parts.append("at no known price" if unpriced == made else f"{unpriced:,} of them at no known price")
    if failed:
        none = "no reply, nothing reported as spent"
        parts.append(none if failed == made else f"{failed:,} of them without a reply")
    if spent["cached"]:
        before = f" ({_dollars(spent['before'])} then)" if spent.get("before") else ""
        parts.append(f"{spent['cached']:,} from the journal{before}")
    if spent.get("tokens_in", 0) + spent.get("tokens_out", 0):
        parts.append(f"{spent['tokens_in']:,} tokens in, {spent['tokens_out']:,} out")
    return ", ".join(parts) + _bound(spent)


def _bound(spent: Mapping[str, Any]) -> str:
    """What the budget counted beside it, and why; no price is made up."""
    if not spent.get("bound"):
        return ""
    whys = []
    if untold := spent["untold"]:
        whys.append(f"the endpoint names no tokens of {many(untold, 'reply')}")
    if unheard := spent["unheard"]:
        whys.append(f"{many(unheard, 'call')} may have been charged without a reply")
    return f"; the budget counts up to {_dollars(spent['bound'])} more: {', and '.join(whys)}"


def _dollars(amount: float) -> str:
    return f"${amount:,.4f}" if amount >= 0.00005 else f"${amount:.1g}"
