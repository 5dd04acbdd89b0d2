"""One unit a section, with the path of headings above it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from evenhand.corpus.chunk_settings import count_of, number_of, size_of
from evenhand.corpus.outline import headings
from evenhand.corpus.recursive import Splitter
from evenhand.corpus.unit_length import rulers
from evenhand.model.text import Units

if TYPE_CHECKING:
    from evenhand.corpus.unit_length import Tokens
    from evenhand.model.text import Corpus, Document

__all__ = ["Headings"]


@dataclass(frozen=True, slots=True)
class Headings:
    """Sections, from a heading to the next of at most *levels*; joined they give the body back.

    A heading with nothing under it before a deeper one begins that deeper section. A section longer than
    *size* (when given) is cut as by ``recursive``; its pieces keep the path.
    """

    size: int | None = None
    count: str = "characters"
    levels: int = 6

    def __post_init__(self) -> None:
        if self.size is not None:
            size_of(self.size)
        count_of(self.count)
        number_of(self.levels, "levels", least=1)

    def settings(self, tokens: Tokens | None = None) -> dict[str, Any]:
        """What the units were cut by, for reports and seals."""
        own: dict[str, Any] = {"rule": "headings", "levels": self.levels}
        if self.size is not None:
            own |= {"size": self.size, "count": self.count}
            own |= {"tokenizer": tokens.name} if tokens and self.count == "tokens" else {}
        return own

    def cut(self, corpus: Corpus, *, name: str = "", tokens: Tokens | None = None) -> Units:
        """Cut every document; linear in the text."""
        rows: list[tuple[int, int, int]] = []
        paths: list[tuple[str, ...]] = []
        count = "characters" if self.size is None else self.count
        for d, ruler in enumerate(rulers(corpus, count, tokens)):
            document = corpus.documents[d]
            splitter = Splitter(document, ruler, size=self.size) if self.size is not None else None
            for start, end, path in _sections(document, self.levels):
                parts = splitter.split(start, end) if splitter else [(start, end)]
                rows.extend((d, s, e) for s, e in parts)
                paths.extend([path] * len(parts))
        return Units.of(corpus, name or "headings", rows, headings=paths, settings=self.settings(tokens))


def _sections(document: Document, levels: int) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    """(start, end, heading path) of each section that is not blank."""
    text = document.text
    above: list[tuple[int, str]] = []
    start, level, content = document.body, 0, document.body
    for heading in headings(document):
        if heading.level > levels:
            continue
        bare = not text[content : heading.start].strip()
        if not bare or (above and heading.level <= level):
            yield start, heading.start, tuple(title for _, title in above)
            start = heading.start
        while above and above[-1][0] >= heading.level:
            above.pop()
        above.append((heading.level, heading.title))
        level, content = heading.level, heading.end
    if text[start:].strip():
        yield start, len(text), tuple(title for _, title in above)
