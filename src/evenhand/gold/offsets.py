"""Offsets of other programs: browsers, Java and C# count UTF-16 units, we count code points."""

from __future__ import annotations

from evenhand.errors import InputError

__all__ = ["from_utf16", "to_utf16"]


def from_utf16(text: str, start: int, end: int) -> tuple[int, int]:
    """Code-point offsets of the UTF-16 offsets ``[start, end)`` of *text*.

    Raises InputError where an offset lies beyond the text or inside a surrogate pair: half a character
    cannot be evidence.
    """
    first = _code_point(text, start, 0, 0)
    last = _code_point(text, end, first, start)
    return first, last


def to_utf16(text: str, start: int, end: int) -> tuple[int, int]:
    """UTF-16 offsets, for a browser, of the code-point offsets ``[start, end)`` of *text*."""
    first = _units(text[:start])
    return first, first + _units(text[start:end])


def _units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _code_point(text: str, target: int, at: int, units: int) -> int:
    """The code point at UTF-16 offset *target*, counting on from code point *at* = offset *units*."""
    while units < target and at < len(text):
        units += 2 if text[at] > "\uffff" else 1
        at += 1
    if units != target:
        raise InputError(
            f"UTF-16 offset {target} is {'inside a character' if units > target else 'beyond the text'}",
            mend="send the offsets of whole characters of the text as stored",
        )
    return at
