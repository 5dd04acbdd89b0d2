"""PDF: the text of each page, pages parted by a blank line."""

from __future__ import annotations

import re
import zlib
from typing import TYPE_CHECKING

from evenhand.errors import InputError
from evenhand.formats.corpus.metadata import described
from evenhand.formats.unpacked import BLOCK, allowed, too_large
from evenhand.model.text import Document
from evenhand.plugins import need

if TYPE_CHECKING:
    from evenhand.formats.reader_warnings import Notes

__all__ = ["pdf"]


def pdf(data: bytes, *, id: str, where: str, notes: Notes) -> Document:  # noqa: A002
    r"""One document; line ends become ``\\n`` and hyphens at line ends soft hyphens.

    Pages without text (scans) are noted. Needs the extra ``pdf``. Raises :class:`InputError` for a file that
    is damaged or locked.
    """
    pdfium = need("pypdfium2", extra="pdf")
    _look_inside(data, where)
    try:
        document = pdfium.PdfDocument(data)
    except pdfium.PdfiumError as error:
        raise InputError(
            f"{where}: cannot be opened as PDF ({error})", mend="unlock or re-export it, or exclude it"
        ) from error
    try:
        pages = []
        for number in range(len(document)):
            page = document[number]
            words = page.get_textpage()
            pages.append(words.get_text_bounded())
            words.close()
            page.close()
        title = document.get_metadata_dict().get("Title", "")
    finally:
        document.close()
    empty = sum(not page.strip() for page in pages)
    if empty:
        notes.add("PDF with pages that hold no text (scanned?)", f"{id} ({empty} of {len(pages)})")
    # pdfium writes \r\n, and U+FFFE or U+0002 for a hyphen that only breaks a line
    joined = "\n\n".join(page.replace("\r\n", "\n") for page in pages)
    joined = joined.replace("\ufffe", "\u00ad").replace("\x02", "\u00ad")
    return described({"title": title}, id=id, text=joined, kind="pdf", notes=notes)


def _look_inside(data: bytes, where: str) -> None:
    """Raise InputError where the packed streams of a file unpack to far more than such a file holds."""
    limit, count = allowed(len(data)), 0
    view = memoryview(data)
    for begin in re.finditer(rb"stream\r?\n(?=[\x08\x18\x28\x38\x48\x58\x68\x78])", data):
        unpacker, at = zlib.decompressobj(), begin.end()
        try:
            while at < len(data) and not unpacker.eof:
                rest: bytes | memoryview = view[at : at + (1 << 16)]
                at += len(rest)
                while rest and not unpacker.eof:
                    count += len(unpacker.decompress(rest, BLOCK))
                    rest = unpacker.unconsumed_tail
                    if count > limit:
                        raise too_large(where, limit)
        except zlib.error:
            continue  # packed in another way, or not at all
