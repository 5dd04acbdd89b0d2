"""Clean words: how much prose a document gives, without what only looks like text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evenhand.model.text import Document

__all__ = ["clean_text", "clean_words"]

_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})([^\n]*)")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_TAG = re.compile(r"</?[A-Za-z][^<>\n]*>")
_ASIDE = re.compile(r"[ \t]*\|| {0,3}#{1,6}(?:[ \t]|$)")  # a line of a table, a heading
_LINK = re.compile(r"\]\([^()\n]*\)")
_ADDRESS = re.compile(r"\b(?:https?://|www\.)\S+")
_SOUND = re.compile(r"[^\W_]")


def clean_text(document: Document) -> str:
    """The prose of a document: no front matter, and of Markdown no headings, tables, code or addresses.

    Markup is left out of Markdown alone: a line of plain text may begin with anything.
    """
    text = document.text[document.body :]
    if document.kind == "markdown":
        text = "\n".join(_prose(_COMMENT.sub(" ", text)))
        text = _TAG.sub(" ", _LINK.sub("]", text))
    return _ADDRESS.sub(" ", text)


def _prose(text: str) -> Iterator[str]:
    """Lines outside code that are neither headings nor rows of tables; code that is never closed is code."""
    open_ = ""
    for line in text.splitlines():
        found = _FENCE.match(line)
        if open_:
            closes = found is not None and found[1].startswith(open_) and not found[2].strip()
            open_ = "" if closes else open_
        elif found is not None:
            open_ = found[1]
        elif not _ASIDE.match(line):
            yield line


def clean_words(document: Document) -> int:
    """Words of its prose: what stands between blanks and holds a letter or a digit. Linear.

    In scripts that put no blanks between words that counts too few: give a lower number of words there.
    """
    return sum(_SOUND.search(word) is not None for word in clean_text(document).split())
