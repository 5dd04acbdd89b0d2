"""Find a quote again, by the one rule of what may differ (`corpus.normal_form`); or what is nearest."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from evenhand.corpus.normal_form import Normal, normal
from evenhand.corpus.offset_normalize import Folded, codes, fold
from evenhand.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Anchor", "Place", "closest", "difference", "find", "from_utf16"]

PROBE = 400  # characters of a long quote that are slid along the text
LEAST = 10.0  # of 100: what is less like the quote is not shown as the nearest


@dataclass(frozen=True, slots=True, kw_only=True)
class Anchor:
    """Where a quote lies: ``[start, end)`` in code points of the text.

    ``how`` is ``exact``, ``whitespace``, ``unicode`` (compatibility forms, plain quotes and dashes, soft
    hyphens) or ``form`` (case, punctuation, hyphenation, look-alikes); ``nearest`` is what `closest` gives,
    which is no match: ``distance`` counts its edits. ``occurrences`` is how often the quote was found in
    this way, counted without overlap; above 1 it is ambiguous.
    """

    start: int
    end: int
    how: str
    distance: int = 0
    occurrences: int = 1

    @property
    def ambiguous(self) -> bool:
        """Whether another place would have done as well."""
        return self.occurrences > 1


class Place:
    """A text in which many quotes are looked for: what has to be folded is folded once, when first needed."""

    __slots__ = ("__dict__", "text")

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def plain(self) -> Folded:
        """The text with white space collapsed and characters folded, for what is nearest."""
        return fold(self.text, unicode=True)

    @cached_property
    def normal(self) -> Normal:
        """The text in the form in which quotes are compared."""
        return normal(self.text)

    def all(self, quote: str, *, cut: bool = False) -> list[tuple[int, int]]:
        """Every place of *quote*, ``[start, end)``, without overlap: as it stands, else in its normal form.

        Words and numbers are whole at both ends; with *cut* they need not be (passages as a splitter cuts).
        """
        return self.exact(quote, cut=cut) or self.alike(quote, cut=cut)

    def exact(self, quote: str, *, cut: bool = False) -> list[tuple[int, int]]:
        """The places of *quote* letter for letter."""
        found = []
        at = self.text.find(quote)
        while at >= 0:
            good = cut or self._whole(at, at + len(quote))
            if good:
                found.append((at, at + len(quote)))
            at = self.text.find(quote, at + (len(quote) if good else 1))
        return found

    def alike(self, quote: str, *, cut: bool = False) -> list[tuple[int, int]]:
        """The places of *quote* in its normal form, with as much punctuation around as *quote* has."""
        sought, held = normal(quote), self.normal
        if not sought.text:
            return []
        bare = quote.strip()
        skipped = len(quote) - len(quote.lstrip())
        lead = int(sought.index[0]) - skipped
        trail = skipped + len(bare) - 1 - int(sought.index[-1])
        found = []
        for begin, end in held.places(sought, cut=cut):
            start, stop = int(held.index[begin]), int(held.index[end - 1]) + 1
            bottom = int(held.index[begin - 1]) + 1 if begin else 0
            top = int(held.index[end]) if end < len(held.text) else len(self.text)
            for _ in range(lead):
                start -= start > bottom and not self.text[start - 1].isspace()
            for _ in range(trail):
                stop += stop < top and not self.text[stop].isspace()
            found.append((start, stop))
        return found

    def _whole(self, start: int, end: int) -> bool:
        begin, stop = np.searchsorted(self.normal.index, [start, end]).tolist()
        return bool(begin == stop or self.normal.whole(begin, stop))


def find(quote: str, text: str | Place, *, hint: int | None = None, cut: bool = False) -> Anchor | None:
    """Where *quote* lies in *text*: the place nearest to *hint* (a start; the first when there is none).

    It may differ in what `evenhand.corpus.normal_form` lets differ, and is never found by likeness: None
    when no place has its letters, words and numbers; :func:`closest` then says what comes nearest. With
    *cut* it may begin or end inside a word. Raises :class:`InputError` for a blank quote.
    """
    place = text if isinstance(text, Place) else Place(text)
    if not quote.strip():
        raise InputError("a quote is blank", mend="quote the words of the document")
    if hint is not None and place.text.startswith(quote, max(hint, 0)):
        rest = [one for one in place.exact(quote, cut=cut) if one[0] != hint]
        return Anchor(start=hint, end=hint + len(quote), how="exact", occurrences=1 + len(rest))
    found, how = place.exact(quote, cut=cut), "exact"
    if not found:
        found, how = place.alike(quote, cut=cut), ""
    if not found:
        return None
    start, end = min(found, key=lambda one: (abs(one[0] - (hint or 0)), one[0]))
    return Anchor(
        start=start,
        end=end,
        how=how or _how(quote, place.text[start:end]),
        occurrences=len(found),
    )


def _how(quote: str, words: str) -> str:
    for how, unicode in (("whitespace", False), ("unicode", True)):
        if fold(quote, unicode=unicode).text.strip() == fold(words, unicode=unicode).text.strip():
            return how
    return "form"


def closest(quote: str, text: str | Place) -> Anchor | None:
    """The place most like *quote*, out to whole words; for messages. The first of equally like ones."""
    from rapidfuzz import fuzz
    from rapidfuzz.distance import Levenshtein

    place = text if isinstance(text, Place) else Place(text)
    folded, wanted = place.plain, fold(quote, unicode=True).text.strip()
    if not wanted or not folded.text:
        return None
    for skip in _probes(len(wanted)):
        probe = wanted[skip : skip + PROBE]
        about = 0
        if len(folded.text) > len(probe):  # the shorter is slid along the longer
            like = fuzz.partial_ratio_alignment(probe, folded.text, score_cutoff=LEAST)
            if like is None:
                continue
            about = like.dest_start
        begin, end = _fitted(wanted, folded.text, about - skip)
        if begin < end:
            start, stop = _out_to_words(place, *folded.span(begin, end))
            words = fold(place.text[start:stop], unicode=True).text
            return Anchor(start=start, end=stop, how="nearest", distance=Levenshtein.distance(wanted, words))
    return None


def difference(quote: str, words: str) -> str:
    """*quote* as *words* have it: ``[-only in the quote-]``, ``{+only in the text+}``, equal parts cut."""
    from difflib import SequenceMatcher

    ours, theirs = quote.split(), words.split()
    parts = []
    for tag, i, j, low, high in SequenceMatcher(None, ours, theirs, autojunk=False).get_opcodes():
        if tag == "equal":
            same = theirs[low:high]
            parts.append(" ".join(same if len(same) <= 8 else [*same[:4], "…", *same[-4:]]))
            continue
        parts += [f"[-{' '.join(ours[i:j])}-]"] * (i < j)
        parts += [f"{{+{' '.join(theirs[low:high])}+}}"] * (low < high)
    return " ".join(parts)


def _out_to_words(place: Place, start: int, end: int) -> tuple[int, int]:
    """``[start, end)``, out to the words and numbers that it cuts, without blanks around."""
    text, held = place.text, place.normal
    start, end = (
        start + len(text[start:end]) - len(text[start:end].lstrip()),
        start + len(text[start:end].rstrip()),
    )
    begin, stop = np.searchsorted(held.index, [start, end]).tolist()
    if begin < stop:
        first, last = held.out(begin, stop)
        start = int(held.index[first]) if first < begin else start
        end = int(held.index[last - 1]) + 1 if last > stop else end
    return start, end


def _probes(length: int) -> range:
    """Where in a quote to take the stretch that is slid along the text; a long one is not slid whole."""
    return range(0, max(1, length - PROBE + 1), max(PROBE, (length - PROBE) // 4))


def _fitted(wanted: str, text: str, about: int) -> tuple[int, int]:
    """[begin, end) of the quote in *text*, given that it begins somewhere *about* there."""
    slack = max(8, len(wanted) // 4)
    low, high = max(0, about - slack), min(len(text), about + len(wanted) + slack)
    if len(wanted) <= PROBE:
        first, last = _within(wanted, text[low:high])
        return low + first, low + last
    head, tail = wanted[:PROBE], wanted[-PROBE:]
    begin = low + _within(head, text[low : low + 2 * slack + PROBE])[0]
    bottom = max(begin, high - 2 * slack - PROBE)
    return begin, max(begin + 1, bottom + _within(tail, text[bottom:high])[1])


def _within(wanted: str, text: str) -> tuple[int, int]:
    """[begin, end) of the part of *text* with the fewest edits to *wanted* (Sellers 1980).

    Of equally good parts one as long as the quote is preferred.
    """
    row = _edits(wanted, text, free=True)
    end = int(row.argmin())
    while end < len(text) and row[end + 1] == row[end]:
        end += 1
    back = _edits(wanted[::-1], text[:end][::-1], free=False)
    ties = np.flatnonzero(back == back.min())
    return end - int(ties[np.abs(ties - len(wanted)).argmin()]), end


def _edits(wanted: str, text: str, *, free: bool) -> NDArray[np.int64]:
    """int64[len(text) + 1]: edits from *wanted* to ``text[?:j]`` (*free*: from any start, else from 0)."""
    steps = np.arange(len(text) + 1)
    letters = codes(text)
    row = np.zeros_like(steps) if free else steps.copy()
    for i, letter in enumerate(codes(wanted), 1):
        best = row + 1  # a character of the quote that the text lacks
        best[1:] = np.minimum(best[1:], row[:-1] + (letters != letter))
        best[0] = i
        row = np.minimum.accumulate(best - steps) + steps  # characters of the text that the quote lacks
    return row


def from_utf16(text: str, start: int, end: int, *, quote: str) -> tuple[int, int]:
    """Offsets as a browser counts them (UTF-16 units), in code points; *quote* must stand there.

    Raises :class:`InputError` when it does not, or when an offset halves a character (case B013).
    """
    wide = text.encode("utf-16-le", "surrogatepass")
    try:
        before = wide[: 2 * start].decode("utf-16-le")
        inside = wide[2 * start : 2 * end].decode("utf-16-le")
    except UnicodeDecodeError:
        inside = before = ""
    if not inside or inside != quote:
        raise InputError(
            f"UTF-16 offsets {start}:{end} hold {inside[:60]!r}, not the quote {quote[:60]!r}",
            mend="send the offsets of the text as it was served, with the words selected",
        )
    return len(before), len(before) + len(inside)
