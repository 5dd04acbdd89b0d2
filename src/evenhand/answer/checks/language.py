"""Which language a text is in, by its script and its commonest words; or that this cannot be decided."""

from __future__ import annotations

import unicodedata
from collections import Counter
from dataclasses import dataclass

from evenhand.answer.checks.content_words import LANGUAGES, code_of, stop_words, words

__all__ = ["Told", "language_of", "leading", "script_of"]

FEWEST, SHARE, LEAD = 3, 0.12, 1.25  # stop words of a language: how many, of all words, before the next
_FIRST = {  # the first word of a letter's Unicode name → script
    "LATIN": "Latin",
    "CYRILLIC": "Cyrillic",
    "GREEK": "Greek",
    "ARABIC": "Arabic",
    "HEBREW": "Hebrew",
    "DEVANAGARI": "Devanagari",
    "BENGALI": "Bengali",
    "TAMIL": "Tamil",
    "THAI": "Thai",
    "HANGUL": "Hangul",
    "HIRAGANA": "kana",
    "KATAKANA": "kana",
    "CJK": "Han",
    "ARMENIAN": "Armenian",
    "GEORGIAN": "Georgian",
    "ETHIOPIC": "Ethiopic",
}
_SOLE = {"Hangul": "ko", "kana": "ja", "Thai": "th", "Hebrew": "he", "Greek": "el", "Georgian": "ka"}
_SCRIPTS = {  # languages that are not told apart by words → their script
    "ar": "Arabic",
    "fa": "Arabic",
    "hi": "Devanagari",
    "zh": "Han",
    "bn": "Bengali",
    "ta": "Tamil",
    "ru": "Cyrillic",
    "uk": "Cyrillic",
    "hy": "Armenian",
    "am": "Ethiopic",
    **{code: script for script, code in _SOLE.items()},
    **dict.fromkeys(["cs", "et", "fi", "hr", "hu", "id", "lt", "lv", "pl", "ro", "sk", "sl", "vi"], "Latin"),
    **dict.fromkeys([code for code in LANGUAGES if code != "ru"], "Latin"),
}


@dataclass(frozen=True, slots=True)
class Told:
    """``language`` is a code, empty where it cannot be decided; ``script`` the commonest; ``why`` on what."""

    language: str
    script: str
    why: str


def language_of(text: str) -> Told:
    """The language of *text*.

    A script of one language decides by itself (kana, Hangul, Thai, Hebrew, Greek, Georgian). Else the twelve
    languages with a list of stop words are held against each other: the best must have three words of the
    text, one in eight of all, and a quarter more than the next.
    """
    script = script_of(text)
    if not script:
        return Told("", "", "no letters")
    if script in _SOLE:
        return Told(_SOLE[script], script, f"written in {script}")
    if script not in ("Latin", "Cyrillic"):
        return Told("", script, f"written in {script}, which several languages share")
    said = [word.casefold().replace("’", "'") for word, _, _ in words(text)]
    counted = _counted(said, script)
    (best, most), *others = [*counted.most_common(2), ("", 0)]
    second = others[0][1]
    if most < FEWEST or most < SHARE * len(said) or most < LEAD * second:
        return Told(
            "", script, f"too few words that tell: {most} of {len(said)} ({best}), {second} ({others[0][0]})"
        )
    return Told(best, script, f"{most} of {len(said)} words are common words of {best}")


def _counted(said: list[str], script: str) -> Counter[str]:
    of = (code for code in LANGUAGES if _SCRIPTS[code] == script)
    return Counter({code: sum(map(stop_words(code).__contains__, said)) for code in of})


def leading(text: str) -> str:
    """The language that *text* has most common words of, however few; English before others; or empty."""
    script = script_of(text)
    if script not in ("Latin", "Cyrillic"):
        return _SOLE.get(script, "")
    counted = _counted([word.casefold().replace("’", "'") for word, _, _ in words(text)], script)
    best = max(counted, key=lambda code: (counted[code], code == "en"))
    return best if counted[best] else ""


def script_of(text: str) -> str:
    """The commonest script of the letters of *text*; kana outweighs Han, as in Japanese; or empty."""
    counted: Counter[str] = Counter()
    for letter, n in Counter(text).items():
        if letter.isalpha():
            first = unicodedata.name(letter, "").split(" ")[0].split("-")[0]
            counted[_FIRST.get(first, "other")] += n
    if counted["kana"] and counted["kana"] * 8 >= counted["Han"]:
        counted["kana"] += counted.pop("Han", 0)
    return max(sorted(counted), key=lambda script: counted[script]) if +counted else ""


def may_be(told: Told, wanted: str) -> bool | None:
    """Whether a text may be in *wanted* (a code): by its language, else its script; None: cannot be said."""
    code = code_of(wanted)
    if told.language:
        if code in LANGUAGES or told.script != _SCRIPTS.get(code, told.script):
            return told.language == code
        return True if told.language == code else None
    script = _SCRIPTS.get(code)
    if script is None or not told.script:
        return None
    if told.script != script and not (code == "ja" and told.script == "Han"):
        return False
    return None if code in LANGUAGES or script == "Latin" else True
