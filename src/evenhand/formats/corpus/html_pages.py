"""Web pages: the main text as Markdown, with title and address."""

from __future__ import annotations

import html as entities
import re
from typing import TYPE_CHECKING

from evenhand.formats.corpus.metadata import described
from evenhand.model.text import Document
from evenhand.plugins import need

if TYPE_CHECKING:
    from evenhand.formats.reader_warnings import Notes

__all__ = ["page"]

_CONTROL = re.compile("[\x80-\x84\x86-\x9f]")
_PRE = re.compile(
    r"\s*<html>\s*(?:<body>\s*)?<pre>([^<]*(?:<(?!/?[A-Za-z!])[^<]*)*)</pre>\s*(?:</body>\s*)?(?:</html>)?\s*\Z",
    re.IGNORECASE,
)


def page(text: str, *, id: str, notes: Notes) -> Document:  # noqa: A002
    """One page; offsets are those of the text kept, in which headings, lists and tables are Markdown.

    Menus and footers are left out (trafilatura). A page that is one ``<pre>`` keeps its text as it is. Where
    no main text is found all text is taken, and noted. Needs the extra ``html``, but for ``<pre>`` pages.
    """
    text = _CONTROL.sub("\ufffd", text)  # trafilatura would drop them without a word
    bare = _PRE.match(text)
    if bare:
        return described({}, id=id, text=entities.unescape(bare[1]), kind="text", notes=notes)
    trafilatura = need("trafilatura", extra="html")
    lxml = need("lxml.html", extra="html")
    about: dict[str, str] = {}
    words = ""
    if text.strip():
        # lxml refuses a text with an encoding declaration
        tree = lxml.document_fromstring(text.encode("utf-8", "replace"), lxml.HTMLParser(encoding="utf-8"))
        about = _about(tree)
        words = (
            trafilatura.extract(
                text, output_format="markdown", include_comments=False, include_tables=True, favor_recall=True
            )
            or ""
        )
        if not words:
            words = _all(tree)
            notes.add("page without a main text, all its text taken", id)
    return described(about, id=id, text=words, kind="html", notes=notes)


def _about(tree: object) -> dict[str, str]:
    about = {}
    for key, paths in {
        "title": ("//head/title/text()", "//meta[@property='og:title']/@content", "//h1//text()"),
        "source": ("//link[@rel='canonical']/@href", "//meta[@property='og:url']/@content"),
    }.items():
        for path in paths:
            found = " ".join(" ".join(tree.xpath(path)[:1]).split())  # type: ignore[attr-defined]
            if found:
                about[key] = found
                break
    return about


def _all(tree: object) -> str:
    lines = []
    for part in tree.xpath("//body//text()[not(ancestor::script or ancestor::style or ancestor::template)]"):  # type: ignore[attr-defined]
        words = " ".join(part.split())
        if words:
            lines.append(words)
    return "\n".join(lines)
