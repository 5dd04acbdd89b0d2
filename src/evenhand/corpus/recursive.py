"""Cut at paragraphs; what is still too long at sentences, lines, words, and at last anywhere."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from evenhand.corpus.chunk_settings import count_of, overlap_of, size_of
from evenhand.corpus.outline import headings
from evenhand.corpus.sentences import pack, pieces, sentence_starts, trimmed
from evenhand.corpus.unit_length import rulers
from evenhand.errors import InputError
from evenhand.model.text import Units

if TYPE_CHECKING:
    from evenhand.corpus.unit_length import Ruler, Tokens
    from evenhand.model.text import Corpus, Document

__all__ = ["LEVELS", "Recursive", "Splitter"]

LEVELS = ("paragraph", "sentence", "line", "word")
_NAMED = {
    "paragraph": re.compile(r"(?>\r\n|\n|\r)[^\S\r\n]*[\r\n]\s*|[\f\u2029]\s*"),
    "line": re.compile(r"[\r\n]\s*"),
    "word": re.compile(r"\s+"),
}


class Splitter:
    """Splits stretches of one document."""

    def __init__(
        self,
        document: Document,
        ruler: Ruler,
        *,
        size: int,
        overlap: int = 0,
        separators: tuple[str, ...] = LEVELS,
    ) -> None:
        self.document, self.ruler = document, ruler
        self.size, self.overlap, self.separators = size, overlap, separators
        self._headings: list[int] | None = None  # found once, when first needed

    def split(self, start: int, end: int, level: int = 0) -> list[tuple[int, int]]:
        """Pieces of at most *size*, trimmed of white space, in order."""
        start, end = trimmed(self.document.text, start, end)
        if start == end:
            return []
        if self.ruler.length(start, end) <= self.size:
            return [(start, end)]
        if level == len(self.separators):
            windows = self.ruler.windows(start, end, self.size, self.overlap)
            whole = (trimmed(self.document.text, s, e) for s, e in windows)
            return [(s, e) for s, e in whole if s < e]
        inside = self._inside(start, end, level)
        if not inside:
            return self.split(start, end, level + 1)
        made: list[tuple[int, int]] = []
        small: list[tuple[int, int]] = []
        for part in pieces(self.document.text, start, end, inside):
            if self.ruler.length(*part) <= self.size:
                small.append(part)
                continue
            made.extend(pack(small, self.size, self.ruler, overlap=self.overlap))
            small = []
            made.extend(self.split(*part, level + 1))
        made.extend(pack(small, self.size, self.ruler, overlap=self.overlap))
        return made

    def _inside(self, start: int, end: int, level: int) -> list[int]:
        """Where a level cuts between two places: looked for in what is still too long alone."""
        name, text = self.separators[level], self.document.text
        if name == "heading":
            if self._headings is None:
                self._headings = [one.start for one in headings(self.document)]
            return self._headings[bisect_right(self._headings, start) : bisect_left(self._headings, end)]
        if name == "sentence":
            return sentence_starts(text, start, end)
        pattern = _NAMED.get(name) or re.compile(re.escape(name))
        return [at for found in pattern.finditer(text, start, end) if (at := found.end()) < end]


@dataclass(frozen=True, slots=True)
class Recursive:
    """Pieces of at most *size*, cut at the first of *separators* that will do.

    A separator is ``heading``, ``paragraph``, ``sentence``, ``line`` or ``word``, or else the very text to
    cut after. Small neighbours are joined up to *size*; *overlap* repeats whole pieces that fit into it.
    """

    size: int
    overlap: int = 0
    count: str = "characters"
    separators: tuple[str, ...] = LEVELS

    def __post_init__(self) -> None:
        size_of(self.size)
        overlap_of(self.overlap, self.size)
        count_of(self.count)
        given: Any = self.separators
        if isinstance(given, str) or not all(isinstance(s, str) for s in given):
            raise InputError(
                f"separators = {given!r} is not a list of texts",
                mend='write for example separators = ["paragraph", "sentence", "word"]',
            )
        # an empty separator (as LangChain writes it) means "anywhere", which is what comes last here anyway
        object.__setattr__(self, "separators", tuple(s for s in given if s))

    def settings(self, tokens: Tokens | None = None) -> dict[str, Any]:
        """What the units were cut by, for reports and seals."""
        own = {
            "rule": "recursive",
            "size": self.size,
            "overlap": self.overlap,
            "count": self.count,
            "separators": list(self.separators),
        }
        return own | ({"tokenizer": tokens.name} if tokens and self.count == "tokens" else {})

    def cut(self, corpus: Corpus, *, name: str = "", tokens: Tokens | None = None) -> Units:
        """Cut every document; linear in the text."""
        rows: list[tuple[int, int, int]] = []
        for d, ruler in enumerate(rulers(corpus, self.count, tokens)):
            document = corpus.documents[d]
            splitter = Splitter(
                document, ruler, size=self.size, overlap=self.overlap, separators=self.separators
            )
            rows.extend((d, s, e) for s, e in splitter.split(document.body, len(document.text)))
        return Units.of(corpus, name or f"recursive-{self.size}", rows, settings=self.settings(tokens))
