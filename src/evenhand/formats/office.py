"""Word, PowerPoint and what else markitdown reads without a network, as Markdown."""

from __future__ import annotations

import io
import re
import zipfile
from typing import TYPE_CHECKING

from evenhand.errors import InputError, MissingExtra
from evenhand.formats.metadata import described
from evenhand.model.text import Document
from evenhand.plugins import need

if TYPE_CHECKING:
    from evenhand.formats.notes import Notes

__all__ = ["office"]

_FIRST = re.compile(r"^#{1,6}[ \t]+(.+)$", re.MULTILINE)


def office(data: bytes, *, id: str, suffix: str, where: str, notes: Notes) -> Document:  # noqa: A002
    """One document; offsets are those of the Markdown that is kept. Needs the extra ``office``."""
    if suffix in (".docx", ".pptx", ".xlsx", ".epub") and not zipfile.is_zipfile(io.BytesIO(data)):
        # markitdown would take a broken file for plain text
        raise InputError(f"{where}: is not a {suffix} file", mend="re-save it, or exclude it")
    markitdown = need("markitdown", extra="office")
    converter = markitdown.MarkItDown(enable_plugins=False)
    about = markitdown.StreamInfo(extension=suffix, filename=f"document{suffix}")
    try:
        made = converter.convert_stream(io.BytesIO(data), stream_info=about)
    except markitdown.MissingDependencyException as error:
        raise MissingExtra(
            f"{where}: markitdown lacks what reads {suffix}",
            mend=f"pip install 'evenhand[office]' 'markitdown[{suffix.removeprefix('.')}]'",
        ) from error
    except Exception as error:  # its converters raise whatever their parsers raise
        first = str(error).strip().split("\n")[0][:200]
        raise InputError(
            f"{where}: cannot be read as {suffix} ({first})", mend="re-save it, or exclude it"
        ) from error
    text = made.markdown
    first_heading = _FIRST.search(text)
    title = made.title or (first_heading[1].strip() if first_heading else "")
    return described({"title": title}, id=id, text=text, kind="markdown", notes=notes)
