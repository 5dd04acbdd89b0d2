"""The normal form of a quote: what may differ is gone, what may not is compared character by character.

White space, case, punctuation, quotation marks, hyphenation, ligatures, compatibility forms and look-alike
characters may differ; a letter, a word or a number never. docs/reference/gold-set.md states the rule.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from evenhand.corpus.offset_normalize import codes

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Normal", "normal"]

LETTER, DIGIT, SYMBOL, MARK, SPACE, APOSTROPHE, HYPHEN, OTHER, RAISED = range(9)
NONE, BLANK, EITHER = range(3)  # what stands between two characters that are compared; NONE + BLANK differ

_RAISED = "\x1e"  # before and after a digit of another form: "10²" is not "102", "5½" not "51/2"
_SIGN = 0xE000  # added to a sign or a point that begins a number: unlike the same mark elsewhere
LONGEST = 60  # characters of a word, beyond which what is cut stays cut
_HYPHENS = "-‐‑‒–−﹣－"
_SAME = {
    **dict.fromkeys("'‘’‚‛ʼʻʹ′‵`´＇", "'"),
    **dict.fromkeys(_HYPHENS, "-"),
    **dict.fromkeys("⁄∕", "/"),
    "∶": ":",
    "×": "x",
    "∗": "*",
    "˚": "°",
    "œ": "oe",
    "Œ": "oe",
    "æ": "ae",
    "Æ": "ae",
    "ς": "σ",
    # marks of trade and bullets are punctuation, whatever their category
    **dict.fromkeys("®©™℠|■□▪▫●○◦◆◇▶►‣⁃∙\uf0b7\uf0a7", "·"),
    # Cyrillic and Greek letters of the same shape as a Latin one, in either case
    **dict(
        zip("АВЕКМНОРСТУХІЈЅавекмнорстухіјѕһԁԛԝӏΟο", "abekmhopctyxijsabekmhopctyxijshdqwloo", strict=True)
    ),
}
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\U00020000-\U0003ffff"
)
_NO_BLANKS = re.compile(f"[{_UNSPACED}]")  # scripts without blanks between words
_NO_EDGES = re.compile(f"[{_UNSPACED}\u1100-\u11ff\uac00-\ud7af]")  # Hangul too: particles are joined on
_NUMERALS = frozenset("〇零一二三四五六七八九十百千万萬亿億兆两兩")


@dataclass(frozen=True, slots=True)
class Normal:
    """``text`` is what is compared; ``index`` the place of each character in the original.

    ``gap[i]`` is what stands before character *i* (NONE, BLANK or EITHER), ``joined[i]`` whether a quote that
    began there would begin inside a word or a number.
    """

    text: str
    index: NDArray[np.int64]
    gap: NDArray[np.int8]
    joined: NDArray[np.bool_]

    def places(self, quote: Normal, *, cut: bool = False) -> Iterator[tuple[int, int]]:
        """Where *quote* stands, ``[begin, end)`` in ``text``, without overlap; *cut*: also inside a word."""
        size, at = len(quote.text), self.text.find(quote.text) if quote.text else -1
        while at >= 0:
            between = self.gap[at + 1 : at + size] + quote.gap[1:size]
            good = not (between == NONE + BLANK).any() and (cut or self.whole(at, at + size))
            if good:
                yield at, at + size
            at = self.text.find(quote.text, at + (size if good else 1))

    def whole(self, begin: int, end: int) -> bool:
        """Whether ``[begin, end)`` neither begins nor ends inside a word or a number."""
        return not (self._inside(begin) or self._inside(end))

    def out(self, begin: int, end: int) -> tuple[int, int]:
        """``[begin, end)``, out to whole words and numbers, as far as one is long."""
        for _ in range(LONGEST):
            begin -= self._inside(begin)
            end += self._inside(end)
        return begin, end

    def _inside(self, at: int) -> bool:
        if not 0 < at < len(self.text):
            return False
        if self.joined[at]:
            return True
        # "500" is not in "12 500", though a blank parts them
        before, after = self.text[max(0, at - 5) : at], self.text[at : at + 5]
        groups = (before, after) if before.endswith(" ") else (before + " ", after[1:])
        return (before[-1] == " " or after[0] == " ") and bool(
            re.search(r"(?<!\d)\d{1,3} $", groups[0]) and re.match(r"\d{3}(?!\d)", groups[1])
        )


def normal(text: str) -> Normal:
    """The normal form of *text*. Linear."""
    points, index = _forms(text)
    seen = np.bincount(points)
    every = np.flatnonzero(seen)

    def each(what: Callable[[str], int]) -> NDArray[np.int8]:
        table = np.zeros(len(seen), dtype=np.int8)
        table[every] = [what(chr(p)) for p in every.tolist()]
        made: NDArray[np.int8] = table[letters]
        return made

    def those(test: Callable[[str], object]) -> NDArray[np.int8]:
        return each(lambda c: bool(test(c)))

    letters = points.copy()  # signs and blanks are marked in `points` later
    kind = each(_kind)
    keep = kind <= MARK
    _in_order(points, kind)
    _numbers(points, kind, keep)
    inner = keep & (kind > MARK)
    before, after = np.concatenate([[OTHER], kind[:-1]]), np.concatenate([kind[1:], [OTHER]])
    in_word = (kind == APOSTROPHE) & _wordy(before) & _wordy(after)  # "we're" is not "were"
    money = np.concatenate([those(lambda c: unicodedata.category(c) == "Sc")[1:] > 0, [False]])
    sign = those("-.,".__contains__).astype(np.bool_) & ~keep & ~_wordy(before) & (before != DIGIT)
    sign &= (after == DIGIT) | (money & (kind == HYPHEN))
    points[sign] += _SIGN
    kept = np.flatnonzero(keep | in_word | sign)
    gap = np.full(len(kept), EITHER, dtype=np.int8)
    joined = np.zeros(len(kept), dtype=np.bool_)
    if len(kept) > 1:
        one, two = kept[:-1], kept[1:]
        raised, blanks = (np.concatenate([[0], np.cumsum(kind == what)]) for what in (RAISED, SPACE))
        size = two - one - 1 - (raised[two] - raised[one + 1])
        hyphen = (size > 0) & (kind[one + 1] == HYPHEN)
        # a hyphen may join words or part them, and so may a point ("U.S."); other marks part as blanks do
        either = hyphen | (points[one + 1] == ord(".")) & (blanks[two] == blanks[one + 1])
        gap[1:] = np.where(size == 0, NONE, np.where(either, EITHER, BLANK))
        word = _wordy(kind) | in_word
        unspaced = those(_NO_BLANKS.match) > 0
        gap[1:][~(word[one] & word[two]) | unspaced[one] | unspaced[two]] = EITHER
        # a quote may begin after "l'", but not end before "'t"
        part = (_wordy(kind) | (kind == DIGIT) | inner)[one] & (word | (kind == DIGIT) | inner)[two]
        part |= sign[one]
        edgeless = those(_NO_EDGES.match) > 0
        numeral = (kind == DIGIT) | (those(_NUMERALS.__contains__) > 0)
        part &= ~(edgeless[one] | edgeless[two]) | (numeral[one] & numeral[two])
        joined[1:] = ((size == 0) | hyphen) & part | (size == 0) & (kind[two] == MARK)
        _over_blanks(points[kept], inner[kept], joined)
    return Normal(_text(points[kept]), index[kept], gap, joined)


def _forms(text: str) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """The code points of *text* in their plain forms, and where each is from."""
    letters = codes(text)
    seen = np.bincount(letters)
    table = {p: _form(chr(p)) for p in np.flatnonzero(seen).tolist()}
    lengths = np.zeros(len(seen), dtype=np.int64)
    lengths[list(table)] = [len(form) for form in table.values()]
    return codes(text.translate(table)), np.repeat(np.arange(len(text)), lengths[letters])


def _form(character: str) -> str:
    """What one character becomes: small, decomposed, its look-alike, or nothing if unseen."""
    if character in _SAME:
        return _SAME[character]
    category = unicodedata.category(character)
    if category == "Cf" or "\ufe00" <= character <= "\ufe0f" or character == "\u0640":
        return ""
    wide = unicodedata.normalize("NFKD", character)
    low = unicodedata.normalize("NFKD", "".join(_SAME.get(c, c) for c in wide).lower())
    form = "".join(_SAME.get(c, c) for c in low)
    raised = wide != character and category in ("No", "Sm") and re.search(r"[\d+\-]", form)
    return f"{_RAISED}{form}{_RAISED}" if raised else form


def _kind(character: str) -> int:
    category = unicodedata.category(character)
    if character == _RAISED:
        return RAISED
    if character == "'":
        return APOSTROPHE
    if character == "-":
        return HYPHEN
    if category[0] == "M" or "\u1160" <= character <= "\u11ff":  # the vowel and the end of a Hangul syllable
        return MARK
    if character.isspace() or category == "Cc":
        return SPACE
    if category[0] == "N":
        return DIGIT
    if category[0] == "P" and character not in "%‰&@#§":
        return OTHER
    return SYMBOL if category[0] in "PS" else LETTER


def _in_order(points: NDArray[np.uint32], kind: NDArray[np.int8]) -> None:
    """Marks of one letter in the canonical order, so that two ways to write it are one."""
    marks = np.flatnonzero((kind[1:] == MARK) & (kind[:-1] == MARK))
    if not len(marks):
        return
    for first in marks[np.concatenate([[True], np.diff(marks) > 1])].tolist():
        end = first + 1
        while end < len(kind) and kind[end] == MARK:
            end += 1
        points[first:end] = codes(unicodedata.normalize("NFD", _text(points[first:end])))


def _numbers(points: NDArray[np.uint32], kind: NDArray[np.int8], keep: NDArray[np.bool_]) -> None:
    """What stands between two digits and nothing else is compared: "1,000" is neither "1.000" nor "1000"."""
    words = np.concatenate([[0], np.cumsum(kind <= MARK)])
    digits = np.flatnonzero(kind == DIGIT)
    low, high = digits[:-1], digits[1:]
    apart = (high - low > 1) & (words[high] == words[low + 1])
    for one, two in zip(low[apart].tolist(), high[apart].tolist(), strict=True):
        spaces = [i for i in range(one + 1, two) if kind[i] == SPACE]
        raised = [i for i in range(one + 1, two) if kind[i] == RAISED]
        keep[one + 1 : two] = True
        points[spaces] = ord(" ")
        keep[[i for i in spaces if i - 1 in spaces]] = False
        keep[raised if spaces else raised[1:]] = False


def _over_blanks(points: NDArray[np.uint32], inner: NDArray[np.bool_], joined: NDArray[np.bool_]) -> None:
    """Two numbers that a blank parts are two: a quote may begin or end between them."""
    for i in np.flatnonzero(inner & (points == ord(" "))).tolist():
        low = high = i
        while inner[low - 1]:
            low -= 1
        while inner[high + 1]:
            high += 1
        joined[low] = False
        joined[high + 1] = points[high] == ord("-")


def _wordy(kind: NDArray[np.int8]) -> NDArray[np.bool_]:
    wordy: NDArray[np.bool_] = (kind == LETTER) | (kind == MARK)
    return wordy


def _text(points: NDArray[np.uint32]) -> str:
    return points.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")
