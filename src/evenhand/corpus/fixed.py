"""Chunkings that ask nothing of a text: windows of one size, and the document as it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from evenhand.corpus.chunk_settings import count_of, overlap_of, size_of
from evenhand.corpus.unit_length import rulers
from evenhand.model.text import Units

if TYPE_CHECKING:
    from evenhand.corpus.unit_length import Tokens
    from evenhand.model.text import Corpus

__all__ = ["Fixed", "Whole"]


@dataclass(frozen=True, slots=True)
class Fixed:
    """Windows of *size* characters or tokens; without overlap, joined they give the body back.

    Windows of white space alone are left out. A window of tokens never cuts a character.
    """

    size: int
    overlap: int = 0
    count: str = "characters"

    def __post_init__(self) -> None:
        size_of(self.size)
        overlap_of(self.overlap, self.size)
        count_of(self.count)

    def settings(self, tokens: Tokens | None = None) -> dict[str, Any]:
        """What the units were cut by, for reports and seals."""
        own = {"rule": "fixed", "size": self.size, "overlap": self.overlap, "count": self.count}
        return own | ({"tokenizer": tokens.name} if tokens and self.count == "tokens" else {})

    def cut(self, corpus: Corpus, *, name: str = "", tokens: Tokens | None = None) -> Units:
        """Cut every document; linear in the text."""
        rows: list[tuple[int, int, int]] = []
        for d, ruler in enumerate(rulers(corpus, self.count, tokens)):
            text, body = corpus.documents[d].text, corpus.documents[d].body
            if body < len(text):
                windows = ruler.windows(body, len(text), self.size, self.overlap)
                rows.extend((d, s, e) for s, e in windows if not text[s:e].isspace())
        return Units.of(corpus, name or f"fixed-{self.size}", rows, settings=self.settings(tokens))


@dataclass(frozen=True, slots=True)
class Whole:
    """Each document is one unit."""

    def settings(self, tokens: Tokens | None = None) -> dict[str, Any]:  # noqa: ARG002
        """What the units were cut by, for reports and seals."""
        return {"rule": "document"}

    def cut(self, corpus: Corpus, *, name: str = "", tokens: Tokens | None = None) -> Units:
        """One unit a document: its body, unless that is blank."""
        rows = [(d, doc.body, len(doc.text)) for d, doc in enumerate(corpus) if doc.text[doc.body :].strip()]
        return Units.of(corpus, name or "document", rows, settings=self.settings(tokens))
