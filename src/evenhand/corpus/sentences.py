"""Where sentences end, in any script, and the chunking that packs them up to a size."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from evenhand.corpus.chunk_settings import count_of, number_of, size_of
from evenhand.corpus.unit_length import rulers
from evenhand.model.text import Units

if TYPE_CHECKING:
    from evenhand.corpus.unit_length import Ruler, Tokens
    from evenhand.model.text import Corpus

__all__ = ["Sentences", "pack", "pieces", "sentence_starts", "split_long", "trimmed"]

# Every alternative always matches once begun: a pattern that can fail after a long run is quadratic.
_STOP = re.compile(
    r"(?P<stop>[.!?…‽؟۔।॥։።፧။。！？｡．]+)(?P<close>[\"'”’»›)\]}」』”’）】》〉]*)(?P<blank>\s*)"
    r"|(?>\r\n|\n|\r)[^\S\r\n]*[\r\n]\s*"  # a blank line; atomic: one CRLF is no two line ends
    r"|[\f\u2029]\s*"
    r"|(?>\r\n|\n|\r)(?=[^\S\r\n]*(?:[-*+•‣▪|>#]|\d{1,9}[.)]\s))"  # a list item, row, quotation, heading
)
_WIDE = frozenset("。！？｡．")
_MARK = re.compile(r"[-*+•‣▪|>#]|\d{1,9}[.)]\s")
_BLANKS = re.compile(r"\s*")
_WORD = re.compile(r"[^\s(\[{\"'“‘«]*\Z")
_BEFORE_NUMBERS = frozenset({"art", "no"})  # "no. 5" goes on, "say no. Then" does not
_ABBREVIATIONS = frozenset(
    re.split(
        r"\s+",
        "abb abs al anm apr approx aug aufl bd bes bzgl bzw ca cf ch chap co corp cp dec dept dgl dr ed eds "
        "eq eqs esp evtl feb fig figs ggf gen gov hrsg inc inkl insb jan jr jul jun lt ltd mar mme mr mrs ms "
        "mt nos nov nr oct op p pp pl pres prof proc repr resp rev sect sen sept sig sog sr st str tab tel "
        "usw vgl viz vol vols vs wg z zb zzgl",
    )
)


def _ends(text: str, found: re.Match[str]) -> bool:
    """Whether the sentence ends at this match; a guess from the words on both sides."""
    stop, blank, after = found["stop"], found["blank"], text[found.end() : found.end() + 12]
    if stop is None or not after:
        return True
    if stop[-1] in _WIDE:
        return not (stop[-1] == "．" and after[0].isdigit())
    if not blank:
        return False
    newlines = blank.count("\n") or blank.count("\r")
    if newlines > 1 or (newlines and _MARK.match(after)):
        return True
    if stop != ".":
        # '"Why?" he asked' and 'wait ... what' go on; 'why? because' in lower case does not
        return not (after[0].islower() and (found["close"] or stop[0] in ".…"))
    before = text[max(0, found.start() - 24) : found.start()].rstrip()
    word = _WORD.search(before)
    return _stands_alone(before, word[0] if word else "", after)


def _stands_alone(before: str, word: str, after: str) -> bool:
    """Whether a full stop after *word* ends a sentence, rather than an abbreviation or a list number."""
    low = word.casefold()
    letters = low.replace(".", "")
    if word.isdigit() and len(word) < 4:
        line = before[: -len(word)].rstrip(" \t")
        return bool(line) and line[-1] not in "\r\n"  # "1. Wash the apples" at the start of a line
    if "." in low and len(letters) <= 4 and letters.isalpha():
        return False  # e.g. · U.S. · z.B.
    if len(word) == 1 and word.isalpha() and word.isupper():
        return False  # J. Smith
    if low in _BEFORE_NUMBERS:
        return not after[0].isdigit()
    if low in _ABBREVIATIONS:
        return False
    return not (after[0].islower() and len(low) < 3 and low.isalpha())


def sentence_starts(text: str, start: int = 0, end: int | None = None) -> list[int]:
    """Positions, rising, at which a sentence begins after another; white space belongs to the one before.

    Rules, no model: full stops of many scripts, blank lines, list items, table rows; abbreviations,
    initials, numbers of a list and quotations inside a sentence are respected. Linear in the text.
    """
    end = len(text) if end is None else end
    ends = (m.end() for m in _STOP.finditer(text, start, end) if _ends(text, m))
    return [at for at in ends if start < at < end]


def trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """``[start, end)`` without white space at its ends; empty at *end* when it is all white space."""
    piece = text[start:end]
    left = len(piece) - len(piece.lstrip())
    if left == len(piece):
        return end, end
    return start + left, start + len(piece.rstrip())


def pieces(text: str, start: int, end: int, cuts: Sequence[int]) -> list[tuple[int, int]]:
    """``[start, end)`` cut at *cuts*, each piece trimmed, blank ones dropped."""
    borders = [start, *cuts, end]
    made = (trimmed(text, borders[i], borders[i + 1]) for i in range(len(borders) - 1))
    return [(s, e) for s, e in made if s < e]


def split_long(text: str, start: int, end: int, size: int, ruler: Ruler) -> list[tuple[int, int]]:
    """Cut ``[start, end)`` into pieces of at most *size*.

    At the last line end in the second half of what fits, else the last white space, else where the size
    is reached.
    """
    made: list[tuple[int, int]] = []
    while ruler.length(start, end) > size:
        stop = min(ruler.reach(start, size), end)
        cut = stop if text[stop : stop + 1].isspace() else start + _last_blank(text[start:stop])
        piece = trimmed(text, start, cut)
        if piece[0] < piece[1]:
            made.append(piece)
        start = _BLANKS.match(text, cut, end).end()  # type: ignore[union-attr]  # matches always
    if start < end:
        made.append((start, end))
    return made


def _last_blank(window: str) -> int:
    """Where to cut *window*: after its last line end or white space, or at its end."""
    line = window.rfind("\n") + 1
    if line > len(window) // 2:
        return line
    head = window.rsplit(None, 1)
    if len(head) < 2 or window[-1].isspace():
        return len(window)
    return len(window) - len(head[1])


def pack(
    parts: Sequence[tuple[int, int]], size: int, ruler: Ruler, *, back: int = 0, overlap: int = 0
) -> list[tuple[int, int]]:
    """Join neighbouring parts while they fit into *size*.

    Each group repeats the last *back* parts of the one before it, or as many as fit into *overlap*; fewer
    where the next part would not fit beside them: every group holds something new. A part that is itself
    too long stands alone.
    """
    made: list[tuple[int, int]] = []
    first, upto, n = 0, 1, len(parts)
    while first < n:
        while upto < n and ruler.length(parts[first][0], parts[upto][1]) <= size:
            upto += 1
        made.append((parts[first][0], parts[upto - 1][1]))
        if upto >= n:
            break
        least, first = first + 1, max(first + 1, upto - back)
        while overlap and first > least and ruler.length(parts[first - 1][0], parts[upto - 1][1]) <= overlap:
            first -= 1
        while first < upto and ruler.length(parts[first][0], parts[upto][1]) > size:
            first += 1
        upto += 1
    return made


@dataclass(frozen=True, slots=True)
class Sentences:
    """Whole sentences packed up to *size*; *overlap* is how many sentences a unit shares with the last.

    A sentence longer than *size* is cut at a line end or white space, and hard where there is none.
    """

    size: int
    overlap: int = 0
    count: str = "characters"

    def __post_init__(self) -> None:
        size_of(self.size)
        number_of(self.overlap, "overlap", least=0)
        count_of(self.count)

    def settings(self, tokens: Tokens | None = None) -> dict[str, Any]:
        """What the units were cut by, for reports and seals."""
        own = {"rule": "sentences", "size": self.size, "overlap": self.overlap, "count": self.count}
        return own | ({"tokenizer": tokens.name} if tokens and self.count == "tokens" else {})

    def cut(self, corpus: Corpus, *, name: str = "", tokens: Tokens | None = None) -> Units:
        """Cut every document; linear in the text."""
        rows: list[tuple[int, int, int]] = []
        for d, ruler in enumerate(rulers(corpus, self.count, tokens)):
            text, body = corpus.documents[d].text, corpus.documents[d].body
            parts: list[tuple[int, int]] = []
            for s, e in pieces(text, body, len(text), sentence_starts(text, body)):
                if ruler.length(s, e) > self.size:
                    parts.extend(split_long(text, s, e, self.size, ruler))
                else:
                    parts.append((s, e))
            rows.extend((d, s, e) for s, e in pack(parts, self.size, ruler, back=self.overlap))
        return Units.of(corpus, name or f"sentences-{self.size}", rows, settings=self.settings(tokens))
