"""Quotations of a reply: kept when they stand in the text, counted when they do not."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from evenhand.corpus.offset_normalize import fold
from evenhand.judge.panel.delimiters import FENCE, harmless

if TYPE_CHECKING:
    from evenhand.corpus.offset_normalize import Folded

__all__ = ["PIECES", "Seen", "quoted"]

PIECES = 3  # of evidence that are asked for and kept
AROUND = "\"'“”„«»"


def quoted(given: Any, text: str, *, fence: int = FENCE) -> dict[str, Any]:
    """``evidence``, the quotes that occur in *text* as it has them, and ``lost``, how many do not."""
    quotes = [given] if isinstance(given, str) else given if isinstance(given, list) else []
    seen, found, lost = Seen(text, fence), list[str](), 0
    for quote in quotes:
        if isinstance(quote, str) and not quote.strip():
            continue
        place = seen.find(quote) if isinstance(quote, str) and len(found) < PIECES else None
        if place is None:
            lost += 1
        elif text[place[0] : place[1]] not in found:
            found.append(text[place[0] : place[1]])
    return ({"evidence": found} if found else {}) | ({"lost": lost} if lost else {})


class Seen:
    """A text as a judge saw it, in which quotations are looked for; folded once, and only when needed."""

    def __init__(self, text: str, fence: int = FENCE) -> None:
        self.text = text
        self.fence = fence  # the version of the rule by which it was made harmless

    @cached_property
    def folded(self) -> Folded:
        """As it was shown, each run of white space one blank."""
        return fold(harmless(self.text, self.fence))

    def find(self, quote: str) -> tuple[int, int] | None:
        """Where *quote* stands word for word, white space and quotation marks around it aside.

        ``[start, end)`` in code points of the text, the first of several; None when it does not occur. What
        was shown with harmless marks is found as it was shown.
        """
        at = self.text.find(quote.strip())
        if at >= 0:
            return at, at + len(quote.strip())
        for words in dict.fromkeys((quote.strip(), quote.strip().strip(AROUND))):
            wanted = fold(harmless(words, self.fence)).text.strip()
            at = self.folded.text.find(wanted) if wanted else -1
            if at >= 0:
                return self.folded.span(at, at + len(wanted))
        return None
