"""Clean words: how much prose a document gives, without what only looks like text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evenhand.model.text import Document

__all__ = ["clean_text", "clean_words"]

_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,}).*?^[ \t]*\1[`~]*[ \t]*$", re.MULTILINE | re.DOTALL)
_OPEN = re.compile(r"^[ \t]*(?:`{3,}|~{3,})[^\n]*\n.*\Z", re.MULTILINE | re.DOTALL)
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_TAG = re.compile(r"</?[A-Za-z][^<>\n]*>")
_HEADING = re.compile(r"^ {0,3}#{1,6}(?:[ \t].*)?$", re.MULTILINE)
_TABLE = re.compile(r"^[ \t]*\|.*$", re.MULTILINE)
_LINK = re.compile(r"\]\([^()\n]*\)")
_ADDRESS = re.compile(r"\b(?:https?://|www\.)\S+")
_SOUND = re.compile(r"[^\W_]")


def clean_text(document: Document) -> str:
    """The prose of a document: no front matter, and of Markdown no headings, tables, code or addresses.

    Markup is left out of Markdown alone: a line of plain text may begin with anything.
    """
    text = document.text[document.body :]
    if document.kind == "markdown":
        for pattern in (_FENCE, _OPEN, _COMMENT, _HEADING, _TABLE):
            text = pattern.sub(" ", text)
        text = _LINK.sub("]", text)
        text = _TAG.sub(" ", text)
    return _ADDRESS.sub(" ", text)


def clean_words(document: Document) -> int:
    """Words of its prose: what stands between blanks and holds a letter or a digit. Linear.

    In scripts that put no blanks between words that counts too few: give a lower number of words there.
    """
    return sum(_SOUND.search(word) is not None for word in clean_text(document).split())
