"""Where the headings of a document stand: Markdown (HTML is stored as Markdown) and reStructuredText."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evenhand.model.text import Document

__all__ = ["Heading", "headings"]

_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]+|$)(.*)")
_CLOSING = re.compile(r"(?:^|[ \t])#+[ \t]*$")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
_SETEXT = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_NOT_PROSE = re.compile(r" {0,3}(?:[-*+>|]|\d{1,9}[.)])|\t| {4}")
_RULE = re.compile(r"([!-/:-@\[-`{-~])\1*[ \t]*$")


@dataclass(frozen=True, slots=True)
class Heading:
    """One heading: where its first line begins, where the line after it begins, level from 1, words."""

    start: int
    end: int
    level: int
    title: str


def headings(document: Document) -> list[Heading]:
    """All headings of the body, in order; linear in the text."""
    lines = _lines(document.text, document.body)
    if document.kind == "rst":
        return list(_rst(list(lines)))
    return list(_markdown(lines, setext=document.kind != "text"))


def _lines(text: str, at: int) -> Iterator[tuple[int, int, str]]:
    """Each line as (start, start of the next, words without the line end)."""
    for line in text[at:].splitlines(keepends=True):
        yield at, at + len(line), line.rstrip("\r\n\f\v\x1c\x1d\x1e\x85\u2028\u2029")
        at += len(line)


def _markdown(lines: Iterator[tuple[int, int, str]], *, setext: bool) -> Iterator[Heading]:
    """CommonMark headings outside fenced code; underlined ones unless the document is plain text."""
    fence = ""
    paragraph: tuple[int, list[str]] | None = None
    for start, end, line in lines:
        mark = _FENCE.match(line)
        if fence:
            if mark and mark[1][0] == fence[0] and len(mark[1]) >= len(fence) and not mark[2].strip():
                fence = ""
            continue
        if mark and not (mark[1][0] == "`" and "`" in mark[2]):
            fence, paragraph = mark[1], None
            continue
        atx = _ATX.match(line)
        if atx:
            title = _CLOSING.sub("", atx[2]).strip()
            yield Heading(start, end, len(atx[1]), title)
            paragraph = None
            continue
        under = _SETEXT.match(line)
        if under and paragraph and setext:
            title = " ".join(part.strip() for part in paragraph[1])
            yield Heading(paragraph[0], end, 1 if under[1][0] == "=" else 2, title)
            paragraph = None
        elif not line.strip():
            paragraph = None
        elif paragraph:
            paragraph[1].append(line)
        elif not _NOT_PROSE.match(line):
            paragraph = (start, [line])


def _rst(lines: list[tuple[int, int, str]]) -> Iterator[Heading]:
    """Titles under (or between) lines of punctuation; levels in the order in which styles are met."""
    styles: list[str] = []
    i = 0
    while i + 1 < len(lines):
        start, _, line = lines[i]
        over = bool(_RULE.match(line)) and i + 2 < len(lines)
        if over and lines[i + 2][2].rstrip() == line.rstrip() and _is_title(lines[i + 1][2].strip(), line):
            style, title, end, step = line[0] * 2, lines[i + 1][2].strip(), lines[i + 2][1], 3
        elif not line[:1].isspace() and _RULE.match(lines[i + 1][2]) and _is_title(line, lines[i + 1][2]):
            style, title, end, step = lines[i + 1][2][0], line.strip(), lines[i + 1][1], 2
        else:
            i += 1
            continue
        if style not in styles:
            styles.append(style)
        yield Heading(start, end, styles.index(style) + 1, title)
        i += step


def _is_title(line: str, rule: str) -> bool:
    words = line.strip()
    return bool(words) and not _RULE.match(words) and len(rule.rstrip()) >= min(len(words), 4)
