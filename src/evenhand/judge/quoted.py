"""Quotations of a reply: kept when they stand in the text, counted when they do not."""

from __future__ import annotations

from typing import Any

from evenhand.corpus.fold import fold
from evenhand.judge.fence import harmless

__all__ = ["PIECES", "found_in", "quoted"]

PIECES = 3  # of evidence that are asked for and kept


def quoted(given: Any, text: str) -> dict[str, Any]:
    """``evidence``, the quotes that occur in *text* as it has them, and ``lost``, how many do not."""
    quotes = [given] if isinstance(given, str) else given if isinstance(given, list) else []
    found: list[str] = []
    lost = 0
    for quote in quotes:
        if isinstance(quote, str) and not quote.strip():
            continue
        place = found_in(quote, text) if isinstance(quote, str) and len(found) < PIECES else None
        if place is None:
            lost += 1
        elif text[place[0] : place[1]] not in found:
            found.append(text[place[0] : place[1]])
    return ({"evidence": found} if found else {}) | ({"lost": lost} if lost else {})


def found_in(quote: str, text: str) -> tuple[int, int] | None:
    """Where *quote* stands in *text* word for word, white space and quotation marks around it aside.

    ``[start, end)`` in code points of *text*, the first of several; None when it does not occur. What was
    shown with harmless marks is found as it was shown.
    """
    seen = fold(harmless(text))
    for words in (quote, quote.strip().strip("\"'“”„«»")):
        for form in (words, harmless(words)):
            wanted = fold(form).text.strip()
            at = seen.text.find(wanted) if wanted else -1
            if at >= 0:
                return seen.span(at, at + len(wanted))
    return None
