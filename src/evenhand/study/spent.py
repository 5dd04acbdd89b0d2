"""What asking one judge cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evenhand.model.call import Call

__all__ = ["Spent"]


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
