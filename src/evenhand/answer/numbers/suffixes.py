"""What stands behind a number: unit, multiple, ordinal ending, or letters that make it part of a name."""

from __future__ import annotations

import re
from dataclasses import dataclass

from evenhand.answer.numbers.units import MULTIPLES, UNITS, Unit

__all__ = ["Tail", "tail"]

_JOINED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff"
_NEXT = re.compile(
    rf"(?P<gap>[ \u00a0\t-]?|\n)(?P<word>°[ \u00a0]?[CF]?(?!\w)|[℃℉%‰€$£¥₹]"
    rf"|[^\W\d_{_JOINED}]{{1,20}}(?:[²³]|/[sh](?!\w))?)(?P<on>\w?)"
)
_ORDINAL = re.compile(r"(?:st|nd|rd|th|er|ère|ème|re|e|º|ª|\.º|\.ª)(?![^\W_])")
_DECADE = re.compile(r"'?s(?!\w)")
_CLOCK = re.compile(r"[ \u00a0]?[ap](?:\.m\.|m)(?!\w)|[x×](?![^\W_])", re.IGNORECASE)  # 9 am; 5x as fast
_PER = re.compile(r"[ \u00a0](?:per|pour|por|pro)[ \u00a0]?(?:cent|ciento|cento)\b", re.IGNORECASE)
_REST = re.compile(rf"[^\W{_JOINED}]*")
_SHORT = frozenset({"mio", "mrd", "mn", "bn"})
_ATTACHED = {"k": 10**3, "K": 10**3, "M": 10**6, "bn": 10**9, "m": 10**6}


@dataclass(frozen=True, slots=True)
class Tail:
    """``end`` is where the number ends with all that belongs to it; ``named``: it is no number."""

    end: int
    unit: Unit | None = None
    times: int = 1
    named: bool = False


def tail(shown: str, end: int, code: str, *, depth: int = 2) -> Tail:
    """What follows the digits that end at *end*; *code* is the language, for billions.

    At most *depth* multiples are read (two hundred thousand), so that no text is read without end.
    """
    ordinal = _ORDINAL.match(shown, end)
    if ordinal:
        return Tail(ordinal.end())
    clock = _CLOCK.match(shown, end)
    if clock:
        return Tail(clock.end())
    decade = _DECADE.match(shown, end)
    if decade and (end < 2 or shown[end - 1] == "0") and shown[max(0, end - 2) : end].isdigit():
        return Tail(decade.end())
    per = _PER.match(shown, end)
    if per:
        return Tail(per.end(), UNITS["percent"])
    found = _NEXT.match(shown, end)
    if not found:
        return Tail(end)
    gap, word = found["gap"], found["word"].replace(" ", "").replace("\u00a0", "")
    if not gap and word in _ATTACHED and not found["on"]:
        money = re.search(r"[$€£¥₹][\d.,]{1,20}$", shown[max(0, end - 22) : end])
        if word != "m" or money:
            return Tail(found.end(), times=_ATTACHED[word])
    if not found["on"]:
        times, otherwise = MULTIPLES.get(word.casefold(), (0, {}))
        if times:
            stop = found.end("word")
            own = Tail(stop, times=otherwise.get(code, times))
            stop += word.casefold() in _SHORT and shown[stop : stop + 2] == ". "  # 5 Mio. Euro
            goes_on = depth and gap != "\n"
            after = tail(shown, stop, code, depth=depth - 1) if goes_on else Tail(own.end)
            return (
                Tail(max(own.end, after.end), after.unit, own.times * after.times) if not after.named else own
            )
        unit = UNITS.get(word) or (UNITS.get(word.casefold()) if len(word) > 2 else None)
        if unit is not None and not (gap and word in ("a", "an", "ans")) and _fits(gap, word, shown, found):
            return Tail(found.end("word"), unit)
    if gap or not word[0].isalpha():
        return Tail(end)
    return Tail(_REST.match(shown, end).end(), named=True)  # type: ignore[union-attr]  # it always matches


def _fits(gap: str, word: str, shown: str, found: re.Match[str]) -> bool:
    """A symbol of one letter behind a blank is a unit where no word goes on from it (5 m, not 5 l'a)."""
    if gap == "-":
        return len(word) > 2
    return not (gap and len(word) == 1 and shown[found.end("word") : found.end("word") + 1] in ("'", "’"))
