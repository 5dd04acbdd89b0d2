"""Hostile text on a page: every character is seen, none acts."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

__all__ = ["segments", "visible"]

_JOINERS = "\u200c\u200d"  # inside Persian words and emoji


def visible(text: str) -> str:
    """*text* with each character that would act or hide written out: ``␛`` for escape, ``⟨U+202E⟩``.

    Control characters become their pictures, bidirectional controls and other invisible characters their
    code points; newlines and tabs stay, a carriage return before a newline is part of it.
    """
    if text.isascii() and text.isprintable():
        return text
    made: list[str] = []
    for char in text.replace("\r\n", "\n"):
        kind = unicodedata.category(char)
        if char in "\n\t" or char in _JOINERS or kind not in ("Cc", "Cf", "Cs", "Zl", "Zp"):
            made.append(char)
        elif char < " ":
            made.append(chr(0x2400 + ord(char)))
        elif char == "\x7f":
            made.append("\u2421")
        else:
            made.append(f"⟨U+{ord(char):04X}⟩")
    return "".join(made)


def segments(text: str, begin: int, spans: Sequence[tuple[int, int]]) -> list[tuple[str, bool]]:
    """Cut *text*, which begins at character *begin* of its document, into pieces: (piece, is evidence).

    *spans* are characters ``[start, end)`` of the document, in any order, overlapping or not.
    """
    end = begin + len(text)
    inside = sorted((max(s, begin) - begin, min(e, end) - begin) for s, e in spans if s < end and e > begin)
    pieces: list[tuple[str, bool]] = []
    at = 0
    for start, stop in inside:
        if stop <= at:
            continue
        if start > at:
            pieces.append((text[at:start], False))
        first = max(start, at)
        if pieces and pieces[-1][1]:
            pieces[-1] = (pieces[-1][0] + text[first:stop], True)
        else:
            pieces.append((text[first:stop], True))
        at = stop
    if at < len(text):
        pieces.append((text[at:], False))
    return pieces
