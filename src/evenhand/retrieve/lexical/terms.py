"""From text to terms: the same folding for what is indexed and for what is asked."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from evenhand.errors import InputError, nearest

__all__ = ["RULE", "Folding", "fold"]

# Scripts written without blanks between words (and Hangul, whose particles stick to the word): a run of
# them is cut into overlapping pairs, so that no question in them is answered with a silent zero.
UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Myanmar, Khmer
    "\u3005\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f"  # kana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Han
    "\u1100-\u11ff\uac00-\ud7a3"  # Hangul
)
INVISIBLE = dict.fromkeys(map(ord, "\u00ad\u200c\u200d\u2060\ufeff"))  # soft hyphen, joiners, marks of order
DASHES = str.maketrans(dict.fromkeys("\u2010\u2011\u2012\u2013\u2212", "-"))
QUOTES = str.maketrans(dict.fromkeys("\u2018\u2019\u02bc\uff07", "'"))
_UNSEEN = re.compile(f"[{''.join(map(chr, INVISIBLE))}]")
_SIGNS = re.compile(f"[{''.join(map(chr, DASHES | QUOTES))}]")
RULE = "words-1"  # the version of this file's rule: term counts are cached under it
LONGEST = 64  # characters of one term: longer ones (encoded blobs) are cut

STOPWORDS = {
    "english": "STOPWORDS_EN",
    "german": "STOPWORDS_GERMAN",
    "dutch": "STOPWORDS_DUTCH",
    "french": "STOPWORDS_FRENCH",
    "spanish": "STOPWORDS_SPANISH",
    "portuguese": "STOPWORDS_PORTUGUESE",
    "italian": "STOPWORDS_ITALIAN",
    "russian": "STOPWORDS_RUSSIAN",
    "swedish": "STOPWORDS_SWEDISH",
    "norwegian": "STOPWORDS_NORWEGIAN",
    "turkish": "STOPWORDS_TURKISH",
    "danish": "STOPWORDS_DANISH",
}


def fold(text: str) -> str:
    """Unicode NFC, then case folding, then NFC again (folding may take a letter apart)."""
    if text.isascii():
        return text.lower()
    # `translate` asks about every single character, which costs ten times what a search for the few does
    if _UNSEEN.search(text):
        text = text.translate(INVISIBLE)
    folded = unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())
    return folded.translate(QUOTES | DASHES) if _SIGNS.search(folded) else folded


# the patterns of `_patterns` as they are for a text of ASCII alone: built at once, and twice as quick
_PLAIN_SPOKEN = re.compile(r"[^\W_]+(?:'[^\W_]+)*", re.ASCII)
_PLAIN = re.compile(
    rf"{_PLAIN_SPOKEN.pattern}(?:(?:[-./_:]|(?<=[0-9]),(?=[0-9])){_PLAIN_SPOKEN.pattern})*", re.ASCII
)


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    # the `re` module counts no combining mark as part of a word, which would break Devanagari at each vowel
    marks: list[str] = []
    start = previous = -2
    for code in [c for c in range(0x300, 0x1E950) if unicodedata.category(chr(c)) in ("Mn", "Mc")]:
        if code != previous + 1:
            marks.append(f"{chr(start)}-{chr(previous)}" if start >= 0 else "")
            start = code
        previous = code
    mark = "".join(marks) + f"{chr(start)}-{chr(previous)}"
    letter = f"(?:[^\\W_{UNSPACED}]|[{mark}])"
    word = f"(?:[^\\W_{UNSPACED}]{letter}*)"
    spoken = f"{word}(?:'{word})*"
    # a compound: words joined by one of - . / _ : and by a comma between digits
    token = f"[{UNSPACED}][{UNSPACED}{mark}]*|{spoken}(?:(?:[-./_:]|(?<=[0-9]),(?=[0-9])){spoken})*"
    return re.compile(token), re.compile(f"[{UNSPACED}]"), re.compile(spoken)


@dataclass(frozen=True)
class Folding:
    """How text becomes terms.

    ``stemmer``: a Snowball language, or ``none``. ``stopwords``: a language, ``none``, or a list of words.
    A run of Chinese, Japanese, Korean, Thai, Lao, Khmer or Burmese becomes overlapping pairs of
    characters. A compound that holds a digit (``HR-27b``, ``2024-05-01``, ``3.5``) is a term as a whole
    and in its parts, so it is found however the question is written.
    """

    stemmer: str = "english"
    stopwords: str | tuple[str, ...] = "english"
    _memo: dict[str, tuple[str, ...]] = field(default_factory=dict, repr=False, compare=False)

    def __post_init__(self) -> None:
        import Stemmer

        if self.stemmer is None or self.stemmer == "":
            object.__setattr__(self, "stemmer", "none")
        if self.stopwords is None or self.stopwords == "":
            object.__setattr__(self, "stopwords", "none")
        known = ["none", *Stemmer.algorithms()]
        if self.stemmer not in known:
            raise InputError(f"there is no stemmer {self.stemmer!r}", mend=nearest(str(self.stemmer), known))
        if not isinstance(self.stopwords, str):
            object.__setattr__(self, "stopwords", tuple(sorted({str(word) for word in self.stopwords})))
        elif self.stopwords not in ("none", *STOPWORDS):
            raise InputError(
                f"there is no list of stop words {self.stopwords!r}",
                mend=nearest(self.stopwords, ["none", *STOPWORDS]),
            )
        object.__setattr__(self, "_stop", self._stopped())
        stem = None if self.stemmer == "none" else Stemmer.Stemmer(self.stemmer, 0)
        object.__setattr__(self, "_stem", stem)

    def _stopped(self) -> frozenset[str]:
        if self.stopwords == "none":
            return frozenset()
        if isinstance(self.stopwords, tuple):
            return frozenset(fold(word) for word in self.stopwords)
        from evenhand.retrieve.lexical.load_bm25s import bm25s

        stopwords = bm25s().stopwords
        return frozenset(fold(word) for word in getattr(stopwords, STOPWORDS[self.stopwords]))

    def settings(self) -> dict[str, Any]:
        """What the seal of an index depends on."""
        words = self.stopwords if isinstance(self.stopwords, str) else list(self.stopwords)
        return {"stemmer": self.stemmer, "stopwords": words, "folding": "NFC casefold", "rule": RULE}

    def terms(self, text: str) -> list[str]:
        """The terms of *text*, in order, repeats kept."""
        found: list[str] = []
        memo = self._memo
        for token in self.tokens(text):
            known = memo.get(token)
            if known is None:
                known = memo[token] = self.terms_of(token)
            found += known
        return found

    def tokens(self, text: str) -> list[str]:
        """The folded words of *text*, in order; each stands for the terms that `terms_of` gives."""
        folded = fold(text)
        return (_PLAIN if folded.isascii() else _patterns()[0]).findall(folded)

    def terms_of(self, token: str) -> tuple[str, ...]:
        """The terms of one folded word: none for a stop word, several for a compound."""
        return tuple(self._expand(token))

    def _expand(self, token: str) -> list[str]:
        if token.isascii():
            parts = _PLAIN_SPOKEN.findall(token)
        else:
            _, unspaced, spoken = _patterns()
            if unspaced.match(token):
                return [token] if len(token) == 1 else [token[i : i + 2] for i in range(len(token) - 1)]
            parts = spoken.findall(token)
        terms = []
        if len(parts) > 1 and any(c.isdigit() for c in token):
            terms.append(token[:LONGEST])
        for part in parts:
            # only English takes the apostrophe into the word; elsewhere it parts an article from it
            pieces = [part] if self.stemmer == "english" else part.split("'")
            for piece in pieces:
                if piece and piece not in self._stop:  # type: ignore[attr-defined]
                    short = piece[:LONGEST]
                    terms.append(self._stem.stemWord(short) if self._stem else short)  # type: ignore[attr-defined]
        return terms
