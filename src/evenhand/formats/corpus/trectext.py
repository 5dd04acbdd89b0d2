"""Collections of evaluation campaigns: TREC's ``<DOC>`` and SMART's ``.I .T .W``."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING

from evenhand.errors import InputError
from evenhand.formats.corpus.metadata import described
from evenhand.model.text import Document

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evenhand.formats.reader_warnings import Notes

__all__ = ["is_smart", "is_trec", "smart", "smart_parts", "trec"]

_DOC = re.compile(r"<doc\b[^>]*>", re.IGNORECASE)
_DOCNO = re.compile(r"<docno>\s*([^<]*?)\s*</docno>", re.IGNORECASE)
_TITLE = re.compile(r"<(title|headline|head|ti)>([^<]*)</\1>", re.IGNORECASE)
_TAG = re.compile(r"</?[A-Za-z][^<>]*>|<!--.*?-->", re.DOTALL)
_SMART = re.compile(r"^\.I[ \t]+(\S+)[ \t]*\r?$", re.MULTILINE)
# a letter alone on its line; cross references (.X) may lack their line end, or stand on the line of the mark
_SECTION = re.compile(r"^\.(?:([A-Z])[ \t]*(?:\r?\n|\Z)|X[ \t]+[\d \t]+\r?$)", re.MULTILINE)


def is_trec(text: str) -> bool:
    """Whether *text* begins like a TREC collection."""
    head = text[:4096]
    return bool(re.match(r"\s*<doc\b", head, re.IGNORECASE)) and "<docno>" in head.lower()


def is_smart(text: str) -> bool:
    """Whether *text* begins like a SMART collection."""
    found = _SMART.match(text)
    return bool(found and _SECTION.match(text, found.end() + 1))


def trec(text: str, *, where: str, notes: Notes) -> list[Document]:
    """One document a ``<DOC>``; its text is all between ``</DOCNO>`` and ``</DOC>``, without tags."""
    made = []
    if not _DOC.search(text):
        raise InputError(f"{where}: no <DOC> in it", mend="name its format, or give a TREC collection")
    begins = [m.end() for m in _DOC.finditer(text)]
    stops = [*[m.start() for m in _DOC.finditer(text)][1:], len(text)]
    for number, (begin, stop) in enumerate(zip(begins, stops, strict=True), 1):
        inner = text[begin:stop]
        end = inner.lower().rfind("</doc>")
        inner = inner[:end] if end >= 0 else inner
        name = _DOCNO.search(inner)
        if not name or not name[1]:
            raise InputError(f"{where}: <DOC> {number} has no <DOCNO>", mend="give each document a <DOCNO>")
        title = _TITLE.search(inner)
        words = html.unescape(_TAG.sub("", inner[name.end() :])).strip()
        about = {"title": html.unescape(title[2]).strip()} if title else {}
        made.append(described(about, id=name[1], text=words, kind="trec", notes=notes))
    return made


def smart(text: str, *, where: str, notes: Notes) -> list[Document]:
    """One document a ``.I``: its title (``.T``), a newline, its abstract (``.W``); the rest is metadata."""
    made = []
    for _, name, parts in smart_parts(text, where=where):
        title = " ".join(parts.pop("T", "").split())
        words = "\n".join(filter(None, (title, parts.pop("W", ""))))
        about = {"title": title, "author": parts.get("A", ""), "date": parts.get("B", "")}
        made.append(described(about, id=name, text=words, kind="smart", notes=notes))
    return made


def smart_parts(text: str, *, where: str) -> Iterator[tuple[int, str, dict[str, str]]]:
    """Line, id and sections by letter of each record of a SMART file; a section twice is joined."""
    names = list(_SMART.finditer(text))
    if not names:
        raise InputError(f"{where}: no line '.I number' in it", mend="name its format")
    line, counted = 1, 0
    for name, stop in zip(names, [*[m.start() for m in names][1:], len(text)], strict=True):
        line += text.count("\n", counted, name.start())
        counted = name.start()
        inner = text[name.end() : stop]
        marks = list(_SECTION.finditer(inner))
        parts: dict[str, str] = {}
        for mark, end in zip(marks, [*[m.start() for m in marks][1:], len(inner)], strict=True):
            letter = mark[1] or "X"
            parts[letter] = "\n".join(filter(None, (parts.get(letter, ""), inner[mark.end() : end].strip())))
        yield line, name[1], parts
