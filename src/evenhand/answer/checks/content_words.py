"""Words that carry content: stems by language, without stop words and without numbers."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from typing import Any

__all__ = ["LANGUAGES", "Word", "Words", "code_of", "stop_words", "words"]

# code → Snowball stemmer, list of stop words in bm25s
LANGUAGES = {
    "en": ("english", "STOPWORDS_EN_PLUS"),
    "de": ("german", "STOPWORDS_GERMAN"),
    "nl": ("dutch", "STOPWORDS_DUTCH"),
    "fr": ("french", "STOPWORDS_FRENCH"),
    "es": ("spanish", "STOPWORDS_SPANISH"),
    "pt": ("portuguese", "STOPWORDS_PORTUGUESE"),
    "it": ("italian", "STOPWORDS_ITALIAN"),
    "ru": ("russian", "STOPWORDS_RUSSIAN"),
    "sv": ("swedish", "STOPWORDS_SWEDISH"),
    "no": ("norwegian", "STOPWORDS_NORWEGIAN"),
    "da": ("danish", "STOPWORDS_DANISH"),
    "tr": ("turkish", "STOPWORDS_TURKISH"),
}
_ALIAS = {"nb": "no", "nn": "no"} | {name: code for code, (name, _) in LANGUAGES.items()}

UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)
_INVISIBLE = dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u2060\ufeff"))


def code_of(language: str) -> str:
    """``en`` for en, en-GB, EN_us and English; an unknown language keeps its first part."""
    first = re.split(r"[-_]", language.strip().casefold())[0]
    return _ALIAS.get(first, first)


@cache
def _lists() -> Any:
    """The module of stop words of bm25s by itself: the package would load numba and take seconds."""
    package = find_spec("bm25s")
    if package is None or not package.submodule_search_locations:
        raise ModuleNotFoundError("bm25s, a requirement of evenhand, is not installed")
    spec = spec_from_file_location(
        "_evenhand_stop_words", f"{package.submodule_search_locations[0]}/stopwords.py"
    )
    if spec is None or spec.loader is None:
        raise ModuleNotFoundError("bm25s has no module stopwords")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@cache
def stop_words(code: str) -> frozenset[str]:
    """The stop words of a language, folded; none for one that has no list."""
    if code not in LANGUAGES:
        return frozenset()
    return frozenset(_folded(word) for word in getattr(_lists(), LANGUAGES[code][1]))


def _folded(word: str) -> str:
    plain = word if word.isascii() else unicodedata.normalize("NFKC", word.translate(_INVISIBLE))
    return plain.casefold().replace("’", "'")


@cache
def _pattern() -> re.Pattern[str]:
    # the `re` module counts no combining mark as part of a word, which would break Devanagari at each vowel
    codes = [c for c in range(0x300, 0x1E950) if unicodedata.category(chr(c)) in ("Mn", "Mc")]
    firsts = [c for c in codes if unicodedata.category(chr(c - 1)) not in ("Mn", "Mc") or c == 0x300]
    marks = []
    for first in firsts:
        last = first
        while unicodedata.category(chr(last + 1)) in ("Mn", "Mc"):
            last += 1
        marks.append(f"{chr(first)}-{chr(last)}")
    letter = f"(?:[^\\W_{UNSPACED}]|[{''.join(marks)}\u00ad\u200b-\u200d])"
    return re.compile(
        f"[{UNSPACED}][{UNSPACED}{''.join(marks)}]*|[^\\W_{UNSPACED}]{letter}*(?:['’][^\\W_{UNSPACED}]{letter}*)*"
    )


_PLAIN = re.compile(r"[^\W_]+(?:'[^\W_]+)*", re.ASCII)
_UNSPACED = re.compile(f"[{UNSPACED}]")


def words(text: str) -> list[tuple[str, int, int]]:
    """(word as written, start, end) of each word; a run of Han, kana, Hangul or Thai is one."""
    pattern = _PLAIN if text.isascii() else _pattern()
    return [(found.group(), found.start(), found.end()) for found in pattern.finditer(text)]


@dataclass(frozen=True, slots=True)
class Word:
    """A content word: its ``stem``, and where it stands."""

    stem: str
    text: str
    start: int
    end: int


@dataclass
class Words:
    """The rule of one language (a code of `LANGUAGES`); without one, words are compared as they are written.

    A run of an unspaced script gives its overlapping pairs of characters. Numbers are no content words:
    the check of numbers looks at them. Elisions (l'eau) are taken apart but in English.
    """

    language: str = ""
    _memo: dict[str, tuple[str, ...]] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        self.language = code_of(self.language)
        self._stop = stop_words(self.language)
        self._stemmer: Any = None
        if self.language in LANGUAGES:
            import Stemmer

            self._stemmer = Stemmer.Stemmer(LANGUAGES[self.language][0])

    def content(self, text: str) -> list[Word]:
        """The content words of *text* in order, repeats kept."""
        found = []
        for word, start, end in words(text):
            stems = self._memo.get(word)
            if stems is None:
                stems = self._memo[word] = tuple(self._stems(word))
            found += [Word(stem, word, start, end) for stem in stems]
        return found

    def stems(self, text: str) -> frozenset[str]:
        """The stems of *text*."""
        return frozenset(word.stem for word in self.content(text))

    def _stems(self, word: str) -> list[str]:
        folded = _folded(word)
        if _UNSPACED.match(folded):
            return [folded] if len(folded) == 1 else [folded[i : i + 2] for i in range(len(folded) - 1)]
        if folded.removesuffix("'s") in self._stop or folded in self._stop:
            return []
        pieces = [folded] if self.language in ("en", "") else folded.split("'")
        kept = [p for p in pieces if p and p not in self._stop and any(c.isalpha() for c in p)]
        kept = [p for p in kept if len(p) > 1 or not p.isascii() or len(pieces) == 1]
        return [self._stemmer.stemWord(p[:64]) if self._stemmer else p[:64] for p in kept]
