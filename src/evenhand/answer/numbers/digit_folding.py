"""Texts of equal length in which digits, signs and blanks of every script are those of ASCII."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

__all__ = ["BLANK", "DASH", "MINUS", "plain"]

MINUS, DASH, BLANK = "−", "–", "\u00a0"  # a true minus; any longer dash; any blank that does not break

_SIGNS = {
    **dict.fromkeys("\u2010\u2011\ufe63\uff0d", "-"),
    **dict.fromkeys("\u2012\u2013\u2014\u2015\ufe58", DASH),
    **dict.fromkeys("\u00a0\u202f\u2006\u2007\u2008\u2009\u200a", BLANK),
    **dict.fromkeys("\u2019\u02bc\uff07\u066c", "'"),
    **dict.fromkeys("\uff0c", ","),
    **dict.fromkeys("\uff0e\u066b", "."),
    **dict.fromkeys("\u2044\u2215\uff0f", "/"),
    **dict.fromkeys("\uff1a", ":"),
    **dict.fromkeys("\uff05\ufe6a\u066a", "%"),
    "\u207b": MINUS,
    "\uff0b": "+",
    "\uff08": "(",
    "\uff09": ")",
    "\uff3b": "[",
    "\uff3d": "]",
    "\uff04": "$",
    "\uffe5": "¥",
}


def plain(text: str, skip: Iterable[tuple[int, int]] = ()) -> str:
    """*text* with ASCII digits and signs, character for character; spans of *skip* become U+0000.

    Superscripts, circled numbers and fractions of one character stay what they are.
    """
    if not text.isascii():
        made = {}
        for character in set(text):
            if character > "\x7f":
                digit = unicodedata.decimal(character, None)
                made[ord(character)] = str(digit) if digit is not None else _SIGNS.get(character, character)
        text = text.translate(made)
    spans = sorted((max(0, a), min(len(text), b)) for a, b in skip)
    if not spans:
        return text
    pieces, at = [], 0
    for start, end in spans:
        if end > at:
            pieces += [text[at : max(at, start)], "\x00" * (end - max(at, start))]
            at = end
    return "".join([*pieces, text[at:]])
