"""Numbers written as words: English up to the millions, single words of five more languages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

__all__ = ["spelled"]

_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_SMALL = {word: i for i, word in enumerate(_ONES.split())}
_TEN = {word: 20 + 10 * i for i, word in enumerate(_TENS.split())}
_LARGE = {"hundred": 100, "thousand": 1000, "million": 10**6}

# From two up: the words for one are articles and pronouns as well
_SINGLE = {
    "de": "zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn "
    "siebzehn achtzehn neunzehn zwanzig",
    "fr": "deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize",
    "es": "dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis",
    "it": "due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici quindici",
    "nl": "twee drie vier vijf zes zeven acht negen tien elf twaalf dertien veertien vijftien zestien",
}
# Parts of a whole in words are not read, nor is what counts them
_PARTS = re.compile(
    r"[\s-]+(?:half|halves|thirds?|quarters?|fourths?|fifths?|sixths?|eighths?|tenths?)\b", re.IGNORECASE
)


@cache
def _pattern(language: str) -> re.Pattern[str]:
    if language == "en":
        word = "|".join([*_SMALL, *_TEN, *_LARGE])
        return re.compile(
            rf"\b(?:{word})\b(?:[ -]{{1,2}}(?:and )?(?:{word})\b|[ -]dozen\b){{0,12}}", re.IGNORECASE
        )
    return re.compile(rf"\b(?:{'|'.join(_SINGLE[language].split())})\b", re.IGNORECASE)


def spelled(text: str, language: str) -> Iterator[tuple[int, int, int]]:
    """(value, start, end) of each number in words; *language* is a code, unknown ones are read as English.

    A lone word for one is left out (it is an article or a pronoun), and so are ordinals and parts in words
    (third, two thirds). Languages without a table give nothing.
    """
    code = language or "en"
    if code != "en" and code not in _SINGLE:
        return
    table = {word: i for i, word in enumerate(_SINGLE.get(code, "").split(), start=2)}
    for found in _pattern(code).finditer(text):
        words = re.findall(r"[^\W\d_]+", found.group().casefold())
        if _PARTS.match(text, found.end()):
            continue
        value = table[words[0]] if code != "en" else _composed([w for w in words if w != "and"])
        if value is not None and words != ["one"] and not set(words) <= set(_LARGE):
            yield value, found.start(), found.end()


def _composed(words: list[str]) -> int | None:
    """Twenty-one, two hundred and five, three thousand; None for a list like "two three"."""
    total = group = 0
    limit = 10**9  # what may still be added to the group: after twenty only ones, after five nothing
    for word in words:
        if word in _SMALL or word in _TEN:
            value = _SMALL.get(word, _TEN.get(word, 0))
            if value >= limit:
                return None
            group += value
            limit = 10 if word in _TEN else 0
        elif word == "dozen":
            group, limit = max(group, 1) * 12, 0
        elif word == "hundred":
            group, limit = max(group, 1) * 100, 100
        else:
            total, group, limit = total + max(group, 1) * _LARGE[word], 0, 10**9
    return total + group
