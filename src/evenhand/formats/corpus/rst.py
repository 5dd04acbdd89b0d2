"""reStructuredText, with the mail-like header that PEPs have."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from evenhand.corpus.outline import headings
from evenhand.formats.corpus.metadata import described
from evenhand.model.text import DocId, Document

if TYPE_CHECKING:
    from evenhand.formats.reader_warnings import Notes

__all__ = ["rst"]

_FIELD = re.compile(r"([A-Za-z][A-Za-z0-9-]*):[ \t]*(.*)")
_BLANK = re.compile(r"\n[ \t\r]*(?:\n|\Z)")


def rst(text: str, *, id: str, notes: Notes) -> Document:  # noqa: A002
    """One document; an RFC 822 header (Title, Status, Replaces, Superseded-By, ...) is not in the body."""
    about, body = _header(text)
    title = ""
    if not about.get("Title"):
        found = headings(Document(id=DocId(id), text=text, kind="rst", body=body))
        title = found[0].title if found else ""
    return described(about, id=id, text=text, kind="rst", body=body, title=title, notes=notes)


def _header(text: str) -> tuple[dict[str, str], int]:
    """The fields up to the first blank line, if every line is one or continues one."""
    stop = _BLANK.search(text)
    if not stop:
        return {}, 0
    fields: dict[str, str] = {}
    last = ""
    for line in text[: stop.start()].split("\n"):
        field = _FIELD.match(line)
        if field:
            last = field[1]
            fields[last] = field[2].strip()
        elif last and line[:1] in " \t":
            fields[last] += " " + line.strip()
        else:
            return {}, 0
    return fields, stop.end()
