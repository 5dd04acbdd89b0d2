"""Word, PowerPoint and what else markitdown reads without a network, as Markdown."""

from __future__ import annotations

import io
import re
import zipfile
from importlib import import_module
from typing import TYPE_CHECKING

from evenhand.errors import InputError, MissingExtra
from evenhand.formats.corpus.metadata import described
from evenhand.formats.unpacked import allowed, too_large
from evenhand.model.text import Document
from evenhand.plugins import need

if TYPE_CHECKING:
    from evenhand.formats.reader_warnings import Notes

__all__ = ["office"]

PACKED = (".docx", ".pptx", ".xlsx", ".epub")
FLOOR, RATIO = 64 << 20, 20  # a parsed page of XML takes many times its bytes
_FIRST = re.compile(r"^#{1,6}[ \t]+(.+)$", re.MULTILINE)


def office(data: bytes, *, id: str, suffix: str, where: str, notes: Notes) -> Document:  # noqa: A002
    """One document; offsets are those of the Markdown that is kept. Needs the extra ``office``."""
    if suffix in PACKED:
        _look_inside(data, suffix, where)
    markitdown = need("markitdown", extra="office")
    # the one converter of this kind: with all of them a file within a file is read on and on
    converter = markitdown.MarkItDown(enable_builtins=False, enable_plugins=False)
    kind = f"{suffix.removeprefix('.').capitalize()}Converter"
    converter.register_converter(getattr(import_module("markitdown.converters"), kind)())
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


def _look_inside(data: bytes, suffix: str, where: str) -> None:
    """Raise InputError for what is no zip file, or would unpack to far more than such a file holds.

    A member is unpacked up to the size that it announces, and no further.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as bundle:
            size = sum(info.file_size for info in bundle.infolist())
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError) as error:
        # markitdown would take a broken file for plain text
        raise InputError(f"{where}: is not a {suffix} file", mend="re-save it, or exclude it") from error
    limit = allowed(len(data), floor=FLOOR, ratio=RATIO)
    if size > limit:
        raise too_large(where, limit)
