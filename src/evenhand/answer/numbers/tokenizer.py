"""Numbers in text: one tokenizer for what is claimed and for what it is held against."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from evenhand.answer.numbers.dates import DATE, Day, days
from evenhand.answer.numbers.digit_folding import BLANK, DASH, MINUS, plain
from evenhand.answer.numbers.number_context import context
from evenhand.answer.numbers.number_words import spelled
from evenhand.answer.numbers.numeral_readings import habit, read, whole
from evenhand.answer.numbers.suffixes import Tail, tail
from evenhand.answer.numbers.units import CURRENCIES, Unit

__all__ = ["KINDS", "Number", "numbers"]

KINDS = ("number", "range", "date", "name")

_VULGAR = "¼½¾⅐⅑⅒⅓⅔⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞"
_SUPER = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
# scripts whose letters stand beside digits without being part of a name: Han, kana, Hangul, Thai ...
_JOINED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff"
_SPACED = frozenset(
    ["cs", "da", "de", "es", "fi", "fr", "it", "no", "pl", "pt", "ru", "sv", "uk"]
)  # 10 000 with a plain blank

_SKIP = rf"""
    (?P<web>(?:https?://|www\.)[^\s\x00<>"]+ | (?<![\w.+-])[\w.+-]{{1,64}}@[\w-]{{1,64}}\.[\w.-]{{1,64}})
  | (?P<cite>\[[ ]?\^?\d{{1,4}}(?:[ ]?[,;{DASH}{MINUS}-][ ]?\^?\d{{1,4}}){{0,40}}[ ]?\] | 【[^】\n]{{0,60}}】)
  | (?P<listed>(?m:^)[ \t]{{0,12}}(?:\#{{1,6}}[ ]*\d+(?:\.\d+)*[.)]? | \(?\d{{1,3}}[.)])(?=[ \t]+\S))
  | (?P<word>(?<!\w)[^\W\d_{_JOINED}]\w*\d\w*(?:[.]\d\w*)*)
"""
_TOKEN = re.compile(
    rf"""
    {DATE}
  | {_SKIP}
  | (?P<clock>\d+(?::\d+)+)
  | (?P<slash>(?:(?P<over>\d{{1,3}})[ {BLANK}])?(?P<above>\d{{1,4}})/(?P<below>\d{{1,4}}))(?![\d/]|\.\d)
  | (?P<ten>(?<![\d.,])10(?:\^[ ]?(?P<up>[+{MINUS}-]?\d{{1,3}})(?!\d)|(?P<high>{MINUS}?[⁰¹²³⁴⁵⁶⁷⁸⁹]{{1,3}})))
  | (?P<run>\d+(?:[.,'{BLANK}]\d+)*)(?P<vulgar>[ {BLANK}]?[{_VULGAR}])?
    (?:(?P<power>[eE][+{MINUS}-]?\d{{1,3}}(?!\w))
      |[ ]?[x×·*][ ]?10(?:\^[ ]?(?P<caret>[+{MINUS}-]?\d{{1,3}})|(?P<raised>{MINUS}?[⁰¹²³⁴⁵⁶⁷⁸⁹]{{1,3}})))?
  | (?P<point>\.\d+)
  | (?P<lone>[{_VULGAR}])
    """,
    re.VERBOSE,
)
_FIGURE = re.compile(rf"[0-9{_VULGAR}]")
_THOUSANDS = re.compile(r"(?<![\d.,])\d{1,3}(?: \d{3})+(?!\d)(?P<decimals>,\d{1,2}(?![\d.,]\d|\d))?")
_MARKS = re.compile(r"\((\d{1,2})\)")
_BETWEEN = re.compile(
    rf"[ {BLANK}]?[-{DASH}{MINUS}~～][ {BLANK}]?"
    rf"|[ {BLANK}](?:to|and|through|until|bis|und|à|a|et|y|e|tot|en)[ {BLANK}]"
)
_AND = frozenset({"and", "und", "et", "y", "e", "en"})
_BEFORE = re.compile(r"(?:between|zwischen|entre|tra|fra|tussen)[ \u00a0]$", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Number:
    """A number as it stands in a text.

    ``kind``: ``number``; ``range`` with its two ``ends``; ``date`` with its ``days`` (year, month, day, each
    None where it is not said); ``name`` for what is written in digits and compared as it is written (3.2.1,
    14:30, very long runs). ``values`` are its readings: ``1,234`` has two where no language says which. They
    are exact. ``unit`` is the unit as far as it is known, ``start`` and ``end`` count code points;
    ``context`` is what stands around it and was not read (see `evenhand.answer.numbers.number_context`).
    """

    kind: str
    text: str
    start: int
    end: int
    values: tuple[Fraction, ...] = ()
    unit: Unit | None = None
    ends: tuple[Number, ...] = ()
    days: tuple[Day, ...] = ()
    context: str = ""


def numbers(text: str, *, language: str = "", skip: Iterable[tuple[int, int]] = ()) -> tuple[Number, ...]:
    """The numbers of *text* in order. *language* (``en``, ``de-CH``; empty: not known) settles ``1,234``.

    Handled: digits of every script; signs; lists; ranges; thousands by comma, point, apostrophe and blank,
    Indian groups; decimals by point and comma; percent; units and currencies; powers of ten; fractions;
    ordinals in digits; dates; times; numbers in words as `spelled` has them. Not numbers: numbers of lists,
    headings and clauses, citations in square brackets, digits within words (A4, H2O), web addresses, and
    the spans of *skip*. Not handled: Roman numerals, ordinals and parts in words, rounding. Linear.
    """
    shown = plain(text, skip)
    code = language.casefold().replace("_", "-").split("-")[0]
    found = list(_scan(shown, habit(language), code))
    taken = [(one.start, one.end) for one in found]
    for value, start, end in spelled(shown, code):
        at = bisect_left(taken, (start, end))
        if not (at < len(taken) and taken[at][0] < end) and not (at and taken[at - 1][1] > start):
            follows = tail(shown, end, code)
            stop = follows.end if follows.unit else end
            found.append(_number(shown, start, stop, (Fraction(value),), follows.unit))
    found.sort(key=lambda one: one.start)
    return tuple(
        replace(one, text=text[one.start : one.end], context=context(shown, one.start, one.end, code))
        for one in _ranges(found, shown)
    )


def _number(shown: str, start: int, end: int, values: tuple[Fraction, ...], unit: Unit | None) -> Number:
    kind = "number" if values else "name"
    return Number(kind=kind, text=shown[start:end], start=start, end=end, values=values, unit=unit)


def _named(shown: str, start: int, end: int) -> Number:
    return Number(kind="name", text=shown[start:end], start=start, end=end)


def _clauses(shown: str) -> set[int]:
    """Where ``(1)``, ``(2)`` … stand that count up from 1: marks of clauses."""
    starts, wanted = [], 1
    for found in _MARKS.finditer(shown):
        if int(found[1]) == wanted:
            starts.append(found.start(1))
            wanted += 1
    return set(starts) if wanted > 2 else set()


def _scan(shown: str, decimal: str, code: str) -> Iterator[Number]:
    clauses = _clauses(shown)
    blanks = {
        m.start(): m.end()
        for m in _THOUSANDS.finditer(shown)
        if code in _SPACED or m["decimals"] or m.group().count(" ") > 1 or m.group().endswith(" 000")
    }
    at = 0
    while (found := _next(shown, at)) is not None:
        start, end = found.span()
        if start in clauses or any(found[name] for name in ("web", "cite", "listed", "word")):
            at = max(end, start + 1)
            continue
        if start in blanks and not found["worded"]:
            made = [_plain(shown, start, blanks[start], _grouped(shown[start : blanks[start]]), code)]
        else:
            made = list(_read(found, shown, decimal, code))
        yield from made
        at = max([one.end for one in made] + [found.end("day") if _undated(found, made) else start + 1])


def _grouped(digits: str) -> Fraction | None:
    """The value of groups with plain blanks between them, perhaps with decimals behind a comma."""
    wholes, _, decimals = digits.replace(" ", "").partition(",")
    value = whole(wholes + decimals)
    return None if value is None else value / 10 ** len(decimals)


def _next(shown: str, at: int) -> re.Match[str] | None:
    """The first token from *at*; stretches without a figure are passed over, since each token holds one."""
    while (figure := _FIGURE.search(shown, at)) is not None:
        blank = max(shown.rfind(mark, at, max(at, figure.start() - 18)) for mark in " \n")
        found = _TOKEN.search(shown, max(at, blank))
        if found is not None:
            return found
        at = figure.end()
    return None


def _undated(found: re.Match[str], made: list[Number]) -> bool:
    return not made and found["day"] is not None


def _read(found: re.Match[str], shown: str, decimal: str, code: str) -> Iterator[Number]:
    """What one match gives; nothing for a month without a date, so that its digits are looked at again."""
    start, end = found.span()
    if any(found[name] for name in ("iso", "han", "ymd", "dmy", "worded")):
        read_days = days(found, decimal)
        if read_days:
            yield Number(kind="date", text="", start=start, end=end, days=read_days)
        elif not found["worded"] and "." in found.group():
            yield _named(shown, start, end)
        elif found["worded"] and found["day"]:
            yield _plain(shown, start, found.end("day"), whole(found["day"]), code)
        elif not found["worded"]:
            yield from _pieces(shown, start, end, code)
    elif found["clock"]:
        yield _named(shown, start, end)
    elif found["slash"]:
        yield from _fraction(found, shown, code)
    elif found["ten"]:
        power = found["up"] or found["high"].translate(_SUPER)
        yield _plain(shown, start, end, Fraction(10) ** int(power.replace(MINUS, "-")), code)
    elif found["lone"]:
        yield _plain(shown, start, end, _vulgar(found["lone"]), code)
    elif found["point"]:
        before = shown[start - 1 : start]
        if before.isalnum() or before == ".":
            yield _plain(shown, start + 1, end, whole(found.group()[1:]), code)
        else:
            long = len(found.group()) > 40
            yield _plain(shown, start, end, None if long else Fraction("0" + found.group()), code)
    else:
        yield from _run(found, shown, decimal, code)


def _pieces(shown: str, start: int, end: int, code: str) -> Iterator[Number]:
    for piece in re.finditer(r"\d+", shown[start:end]):
        yield _plain(shown, start + piece.start(), start + piece.end(), whole(piece.group()), code)


def _vulgar(character: str) -> Fraction:
    return Fraction(unicodedata.numeric(character)).limit_denominator(1000)


def _fraction(found: re.Match[str], shown: str, code: str) -> Iterator[Number]:
    start, end = found.span()
    above, below = int(found["above"]), int(found["below"])
    if len(found["above"]) == 4 or not below:  # 2023/24: two years
        yield from _pieces(shown, start, end, code)
        return
    value = Fraction(above, below)
    if found["over"] and above < below:
        yield _plain(shown, start, end, int(found["over"]) + value, code)
        return
    if found["over"]:
        yield _plain(shown, start, found.end("over"), whole(found["over"]), code)
    yield _plain(shown, found.start("above"), end, value, code)


def _run(found: re.Match[str], shown: str, decimal: str, code: str) -> Iterator[Number]:
    parts = read(found["run"], decimal)
    base = found.start()
    for i, part in enumerate(parts):
        start, end, values = base + part.start, base + part.end, part.values
        if i == len(parts) - 1:
            end = found.end()
            if found["vulgar"]:
                values = tuple(value + _vulgar(found["vulgar"][-1]) for value in values)
            power = found["power"] or found["caret"] or (found["raised"] or "").translate(_SUPER)
            if power:
                exponent = int(power.lstrip("eE").replace(MINUS, "-"))
                values = tuple(value * Fraction(10) ** exponent for value in values)
        one = _finished(shown, start, end, values, code)
        if one is not None:
            yield one


def _plain(shown: str, start: int, end: int, value: Fraction | None, code: str) -> Number:
    one = _finished(shown, start, end, () if value is None else (value,), code)
    return one if one is not None else _named(shown, start, end)


def _finished(shown: str, start: int, end: int, values: tuple[Fraction, ...], code: str) -> Number:
    """Sign and currency before it, unit behind it; digits with letters at their back are a name."""
    follows: Tail = tail(shown, end, code)
    if follows.named:
        return _named(shown, start, follows.end)
    values = tuple(value * follows.times for value in values)
    unit, stop = follows.unit, follows.end
    first = start
    before = shown[start - 1 : start]
    if before and before in "$€£¥₹":
        first, unit = start - 1, unit or _currency(before)
    elif shown[max(0, start - 4) : start].rstrip() in CURRENCIES:
        first = start - 4 if shown[start - 4 : start].startswith(tuple("EUGJCI")) else start
        unit = unit or Unit(shown[max(0, start - 4) : start].rstrip())
    if _signed(shown, first):
        first, values = first - 1, tuple(-value for value in values)
    return _number(shown, first, stop, values, unit)


def _currency(sign: str) -> Unit:
    return next(Unit(name) for name, words in CURRENCIES.items() if sign in words.split())


def _signed(shown: str, start: int) -> bool:
    """Whether a minus stands before *start* that is a sign, not the dash of a range or of a word."""
    sign = shown[start - 1 : start]
    if not sign or sign not in ("-", MINUS, DASH):
        return False
    before = shown[start - 2 : start - 1] if start > 1 else ""
    if not before or before == "\x00":
        return True
    if before.isspace() or before == BLANK:
        # "18 -25" is a sloppy range; "18 −25", with a true minus, is not
        return sign == MINUS or not shown[max(0, start - 4) : start - 1].rstrip().endswith(
            tuple("0123456789%")
        )
    if before in "-–−" and shown[start - 3 : start - 2].isdigit():
        return True  # -10--5
    return before in "([{=<>≤≥±~≈,:;/*×·|+\"'“„«$€£"


def _ranges(found: list[Number], shown: str) -> Iterator[Number]:
    """Neighbours with a dash or a word between them become one; a falling pair stays two numbers."""
    at = 0
    while at < len(found):
        one = found[at]
        other = found[at + 1] if at + 1 < len(found) else None
        pair = _pair(one, other, shown) if other is not None else None
        if pair is not None:
            yield pair
        else:
            yield one
        at += 1 if pair is None else 2


def _pair(one: Number, other: Number, shown: str) -> Number | None:
    if {one.kind, other.kind} != {"number"} or len(one.values) != 1 or len(other.values) != 1:
        return None
    if other.start - one.end > 12:
        return None
    between = shown[one.end : other.start]
    if not _BETWEEN.fullmatch(between):
        return None
    if between.strip(" \u00a0") in _AND and not _BEFORE.search(shown[max(0, one.start - 12) : one.start]):
        return None
    low, high = one.values[0], other.values[0]
    if len(one.text) == 4 and len(other.text) == 2 and low.denominator == high.denominator == 1:
        century = low - low % 100  # 1990-95
        high = century + high if century + high > low else high
    if low > high:
        return None
    if one.unit is None:
        one = replace(one, unit=other.unit)
    ends = (one, replace(other, values=(high,)))
    return Number(kind="range", text="", start=one.start, end=other.end, ends=ends, unit=other.unit)
