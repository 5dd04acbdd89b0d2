"""What a run of digits and separators can mean: thousands, decimals or a list, by the language's habit."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

__all__ = ["LONGEST", "Run", "habit", "read", "whole"]

LONGEST = 40  # digits: longer runs are names (keys, hashes) and are compared as they are written

# Where the comma is the decimal sign. Spanish is in neither list: its countries differ.
_COMMA = frozenset(
    ["cs", "da", "de", "el", "fi", "fr", "it", "nl", "no", "pl", "pt", "ro", "ru", "sv", "tr", "uk"]
)
_POINT = frozenset(["en", "zh", "ja", "ko", "th", "hi", "he"])
_GROUPS = re.compile(r"[.,'\u00a0]")


def habit(language: str) -> str:
    """``comma`` or ``point``, whichever is the decimal sign of a language (``de``, ``en-GB``); else empty."""
    code = language.casefold().replace("_", "-").split("-")
    if "ch" in code[1:]:
        return "point"
    return "comma" if code[0] in _COMMA else "point" if code[0] in _POINT else ""


@dataclass(frozen=True, slots=True)
class Run:
    """A number within a run: where it stands in it, and each value that it can mean (none: too long)."""

    start: int
    end: int
    values: tuple[Fraction, ...]


def whole(digits: str) -> Fraction | None:
    """The value of plain digits; None when there are too many of them."""
    return Fraction(int(digits)) if len(digits) <= LONGEST else None


def read(run: str, decimal: str) -> list[Run]:
    """The numbers of *run* (digits joined by ``.``, ``,``, ``'`` or a no-break space).

    *decimal* is the language's habit. Without one ``1,234`` keeps both of its readings, and ``18,19`` is a
    decimal number; where the point is the decimal sign ``18,19`` is a list of two.
    """
    parts = _GROUPS.split(run)
    signs = _GROUPS.findall(run)
    if sum(map(len, parts)) > LONGEST:
        return [Run(0, len(run), ())]
    if not signs:
        return [Run(0, len(run), (Fraction(int(run)),))]
    for grouping in ("'", "\u00a0"):
        if grouping in signs:
            return _grouped(run, grouping, decimal)
    if len(set(signs)) == 2:
        return _mixed(run, parts, signs, decimal)
    return _same(run, parts, signs[0], decimal)


def _value(wholes: str, decimals: str = "") -> Fraction:
    return Fraction(int(wholes + decimals), 10 ** len(decimals))


def _threes(parts: list[str]) -> bool:
    return 1 <= len(parts[0]) <= 3 and parts[0][0] != "0" and all(len(part) == 3 for part in parts[1:])


def _indian(parts: list[str]) -> bool:
    """``12,34,567``: two digits a group, three in the last."""
    return (
        len(parts) > 2
        and 1 <= len(parts[0]) <= 2
        and parts[0][0] != "0"
        and len(parts[-1]) == 3
        and all(len(part) == 2 for part in parts[1:-1])
    )


def _split(run: str, sign: str, decimal: str) -> list[Run]:
    """Each piece between *sign* by itself."""
    found, at = [], 0
    for piece in run.split(sign):
        found += [Run(at + one.start, at + one.end, one.values) for one in read(piece, decimal)]
        at += len(piece) + 1
    return found


def _grouped(run: str, sign: str, decimal: str) -> list[Run]:
    """Groups set apart by an apostrophe or a blank, perhaps with decimals behind the last."""
    pieces = run.split(sign)
    tail = _GROUPS.split(pieces[-1])
    groups = [*pieces[:-1], tail[0]]
    if all(piece.isdigit() for piece in groups) and _threes(groups) and len(tail) <= 2:
        return [Run(0, len(run), (_value("".join(groups), tail[1] if len(tail) == 2 else ""),))]
    return _split(run, sign, decimal)


def _mixed(run: str, parts: list[str], signs: list[str], decimal: str) -> list[Run]:
    """Both signs occur: the last is the decimal sign where the others group; else commas part a list."""
    last = signs[-1]
    if signs.count(last) == 1 and (_threes(parts[:-1]) or (last == "." and _indian(parts[:-1]))):
        return [Run(0, len(run), (_value("".join(parts[:-1]), parts[-1]),))]
    return _split(run, ",", decimal)


def _same(run: str, parts: list[str], sign: str, decimal: str) -> list[Run]:
    everything = Run(0, len(run), ())
    grouped = _value("".join(parts))
    if len(parts) > 2:
        if _threes(parts) or (sign == "," and _indian(parts)):
            return [Run(0, len(run), (grouped,))]
        return _split(run, ",", decimal) if sign == "," else [everything]
    fraction = _value(parts[0], parts[1])
    if _threes(parts):
        means = {"point": "." if sign == "." else "", "comma": "," if sign == "," else ""}.get(decimal)
        values = (grouped, fraction) if means is None else (fraction,) if means else (grouped,)
        return [Run(0, len(run), values)]
    if sign == "," and decimal == "point" and parts[0] != "0":
        return _split(run, ",", decimal)
    return [Run(0, len(run), (fraction,))]
