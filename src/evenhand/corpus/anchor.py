"""Find a quote again: as it stands, blind to white space, blind to how characters are coded, nearly."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from evenhand.corpus.fold import Folded, codes, fold
from evenhand.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Anchor", "Place", "closest", "find", "from_utf16"]

PROBE = 400  # characters of a long quote that are slid along the text
LIMIT = 0.2  # edits per character of the quote, up to which a likeness counts as found


@dataclass(frozen=True, slots=True, kw_only=True)
class Anchor:
    """Where a quote lies: ``[start, end)`` in code points of the text.

    ``how`` is ``exact``, ``whitespace``, ``unicode`` (compatibility forms, plain quotes and dashes, soft
    hyphens; out to whole characters) or ``fuzzy``. ``distance`` counts edits (insertions, deletions,
    substitutions) between the folded quote and the folded place, 0 unless fuzzy. ``occurrences`` is how
    often it was found in this way, counted without overlap; above 1 it is ambiguous.
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
    def spaced(self) -> Folded:
        """The text with its white space collapsed."""
        return fold(self.text)

    @cached_property
    def plain(self) -> Folded:
        """The text with white space collapsed and characters folded."""
        return fold(self.text, unicode=True)


def find(quote: str, text: str | Place, *, hint: int | None = None, limit: float = LIMIT) -> Anchor | None:
    """Where *quote* lies in *text*: the place nearest to *hint* (a start; the first when there is none).

    Four ways are tried in turn, the last with at most *limit* edits per character of the quote. None when
    no way finds it; :func:`closest` then says what comes nearest. Raises :class:`InputError` for a blank
    quote.
    """
    place = text if isinstance(text, Place) else Place(text)
    if not quote.strip():
        raise InputError("a quote is blank", mend="quote the words of the document")
    at, count = _nearest(quote, place.text, hint)
    if count:
        return Anchor(start=at, end=at + len(quote), how="exact", occurrences=count)
    for how, folded in (("whitespace", place.spaced), ("unicode", place.plain)):
        wanted = fold(quote, unicode=how == "unicode").text.strip()
        found = _folded(wanted, folded, hint, how)
        if found:
            return found
    near = closest(quote, place, hint=hint, limit=limit)
    return near if near and near.distance <= limit * len(fold(quote, unicode=True).text.strip()) else None


def closest(quote: str, text: str | Place, *, hint: int | None = None, limit: float = 0.6) -> Anchor | None:
    """The place most like *quote*, up to about *limit* edits per character of it; for messages.

    Of equally like places one near *hint* is taken, else the first.
    """
    from rapidfuzz import fuzz
    from rapidfuzz.distance import Levenshtein

    place = text if isinstance(text, Place) else Place(text)
    folded, wanted = place.plain, fold(quote, unicode=True).text.strip()
    if not wanted or not folded.text:
        return None
    cutoff = max(0.0, 100 * (1 - 1.5 * limit))  # the slide compares equal lengths, which costs some likeness
    best: tuple[int, int, int] | None = None
    for low, high in _windows(folded, len(wanted), hint):
        for skip in _probes(len(wanted)):
            probe = wanted[skip : skip + PROBE]
            if high - low <= len(probe):
                about = low
            else:  # the shorter is slid along the longer
                like = fuzz.partial_ratio_alignment(probe, folded.text[low:high], score_cutoff=cutoff)
                if like is None:
                    continue
                about = low + like.dest_start
            found = _fitted(wanted, folded.text, about - skip)
            if found[1] < found[2] and (best is None or found[0] < best[0]):
                best = found
            break
    if best is None:
        return None
    start, stop = folded.span(best[1], _whole(folded, best[2]))
    # counted again, since a whole character may hold more than what was matched
    distance = Levenshtein.distance(wanted, fold(place.text[start:stop], unicode=True).text)
    return Anchor(start=start, end=stop, how="fuzzy", distance=distance)


def _probes(length: int) -> range:
    """Where in a quote to take the stretch that is slid along the text; a long one is not slid whole."""
    return range(0, max(1, length - PROBE + 1), max(PROBE, (length - PROBE) // 4))


def _fitted(wanted: str, text: str, about: int) -> tuple[int, int, int]:
    """(distance, begin, end) of the quote in *text*, given that it begins somewhere *about* there."""
    from rapidfuzz.distance import Levenshtein

    slack = max(8, len(wanted) // 4)
    low, high = max(0, about - slack), min(len(text), about + len(wanted) + slack)
    if len(wanted) <= PROBE:
        distance, first, last = _within(wanted, text[low:high])
        return distance, low + first, low + last
    head, tail = wanted[:PROBE], wanted[-PROBE:]
    begin = low + _within(head, text[low : low + 2 * slack + PROBE])[1]
    bottom = max(begin, high - 2 * slack - PROBE)
    end = max(begin + 1, bottom + _within(tail, text[bottom:high])[2])
    return Levenshtein.distance(wanted, text[begin:end]), begin, end


def _within(wanted: str, text: str) -> tuple[int, int, int]:
    """(distance, begin, end) of the part of *text* with the fewest edits to *wanted* (Sellers 1980).

    Of equally good parts one as long as the quote is preferred.
    """
    row = _edits(wanted, text, free=True)
    end = int(row.argmin())
    while end < len(text) and row[end + 1] == row[end]:
        end += 1
    back = _edits(wanted[::-1], text[:end][::-1], free=False)
    ties = np.flatnonzero(back == back.min())
    begin = end - int(ties[np.abs(ties - len(wanted)).argmin()])
    part = text[begin:end]
    return int(row[end]), begin + len(part) - len(part.lstrip()), begin + len(part.rstrip())


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


def _whole(folded: Folded, end: int) -> int:
    """*end*, moved past combining marks, so that no letter loses its accent."""
    while end < len(folded.text) and unicodedata.combining(folded.text[end]):
        end += 1
    return end


def _windows(folded: Folded, length: int, hint: int | None) -> Iterator[tuple[int, int]]:
    """The neighbourhood of the hint first, then the whole text."""
    if hint is not None:
        at = int(np.searchsorted(folded.index, hint))
        yield max(0, at - 2 * length), min(len(folded.text), at + 3 * length)
    yield 0, len(folded.text)


def _folded(wanted: str, folded: Folded, hint: int | None, how: str) -> Anchor | None:
    """The quote in a folded text, out to whole characters of the text itself."""
    if not wanted:
        return None
    near = None if hint is None else int(np.searchsorted(folded.index, hint))
    at, count = _nearest(wanted, folded.text, near)
    while count:
        start, end = folded.span(at, at + len(wanted))
        # "cafe" is not in "café", of which it would be the folded beginning
        follows = folded.text[at + len(wanted) : at + len(wanted) + 1]
        if not follows or not unicodedata.combining(follows):
            return Anchor(start=start, end=end, how=how, occurrences=count)
        at = folded.text.find(wanted, at + 1)
        count = 1 if at >= 0 else 0
    return None


def _nearest(wanted: str, text: str, hint: int | None) -> tuple[int, int]:
    """The place of *wanted* nearest to *hint* (the first without one), and how often it occurs."""
    count = text.count(wanted)
    if not count:
        return -1, 0
    if hint is None:
        return text.find(wanted), count
    after, before = text.find(wanted, max(hint, 0)), text.rfind(wanted, 0, max(hint, 0) + len(wanted))
    places = [at for at in (after, before) if at >= 0]
    return min(places, key=lambda at: (abs(at - hint), at)), count


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
