"""From bytes to text: never a character replaced, never one dropped but a byte-order mark at the start."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from evenhand.errors import InputError
from evenhand.formats.charsets import MARKS, charset, declared, decoded

if TYPE_CHECKING:
    from charset_normalizer.models import CharsetMatch, CharsetMatches

__all__ = ["as_utf8", "decode", "decode_page", "is_binary", "is_wide"]

_OPEN = re.compile(rb"[\x81\x8d\x8f\x90\x9d]")  # mean nothing in Windows-1252
_MEND = "save the file as UTF-8"
# what ş ţ ı ğ ő ą ż would be in Windows-1252: no Western word has a sign within it, or õ but before e
_FOREIGN = re.compile(r"[þýð]|õ(?![es])|(?<=[^\W\d_])[¹³º¿¾¼¶±£¥](?=[^\W\d_])")


def decode(data: bytes, *, where: str) -> tuple[str, str]:
    """The text of *data* and the name of its encoding, ``"utf-8"`` unless it is another.

    A byte-order mark decides and is stripped; then UTF-8; then Windows-1252, unless the text speaks against
    it; then the likeliest guess of charset-normalizer, which must fit every byte. Line ends stay as they are.
    Raises :class:`InputError` naming *where* and the first byte that does not fit.
    """
    marked = _marked(data, where)
    if marked is not None:
        return marked
    try:
        return data.decode("utf-8"), "utf-8"
    except UnicodeDecodeError as error:
        first = error.start
    if b"\0" not in data and _western(data) and not _OPEN.search(data):
        return _strict(data, "cp1252", where), "windows-1252"
    from charset_normalizer import from_bytes

    best = _likeliest(from_bytes(data)) if b"\0" not in data else None
    if best is None:
        raise InputError(
            f"{where}: byte {first} (0x{data[first]:02x}) is not UTF-8, and no other encoding fits",
            mend=f"{_MEND}, or leave it out with exclude= if it is not a text",
        )
    known = charset(best.encoding.replace("_", "-"))
    return _strict(data, best.encoding, where), best.encoding if known is None else known.name


def decode_page(data: bytes, *, where: str, xml: bool = False) -> tuple[str, str, list[str]]:
    """The text of a web page, its encoding, and what is to be said of it; read as browsers read it.

    A byte-order mark wins, then what the page declares, even against its bytes; a page of XML that declares
    nothing is UTF-8, any other is read like a text.
    """
    marked = _marked(data, where)
    label = declared(data, xml=xml)
    of = charset(label, where=where) if label else None
    said = [f"page that declares an encoding browsers do not know ({label})"] if label and of is None else []
    if marked is not None:
        if of is not None and of.name not in ("utf-8", marked[1]):
            said.append("page that declares another encoding than its byte-order mark: the mark wins")
        return (*marked, said)
    if of is None and xml:
        of = charset("utf-8")
    if of is None:
        if not _is_utf8(data):
            said.append("page not in UTF-8 that declares no encoding: it was guessed")
        if _is_utf8(data) or not _western(data):
            return (*decode(data, where=where), said)
        of = charset("windows-1252")
        assert of is not None  # noqa: S101 - the table has it
    elif of.name != "utf-8":
        said.append("page not in UTF-8, read in the encoding it declares")
    text, kept, replaced = decoded(data, of)
    if kept or replaced:
        said.append("page with bytes that mean nothing in its encoding: U+FFFD stands for them")
    if of.name != "utf-8" and not data.isascii() and _is_utf8(data):
        said.append("page whose bytes are UTF-8 though it declares another encoding: read as declared")
    return text, of.name, said


def _marked(data: bytes, where: str) -> tuple[str, str] | None:
    """The text where a byte-order mark, or the zeros of UTF-16, say what it is."""
    for mark, name in MARKS:
        if data.startswith(mark):
            return _strict(data[len(mark) :], name, where), name
    wide = _wide(data)
    return (_strict(data, wide, where), wide) if wide else None


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _western(data: bytes) -> bool:
    """Whether nothing speaks against Windows-1252: most letters are ASCII, none is of another alphabet."""
    text = data.decode("cp1252", "ignore")
    letters = sum(sign.isalpha() for sign in text)
    foreign = sum(sign.isalpha() and not sign.isascii() for sign in text)
    return foreign <= 0.4 * letters and not _FOREIGN.search(text)


def is_wide(head: bytes) -> bool:
    """Whether a file that begins so is UTF-16 or UTF-32, with its mark or without."""
    return any(head.startswith(mark) for mark, _ in MARKS[1:]) or bool(_wide(head[: len(head) // 2 * 2]))


def as_utf8(data: bytes, *, where: str) -> bytes:
    """The same text in UTF-8 without a mark where *data* is UTF-16 or UTF-32; anything else as it is."""
    if not is_wide(data):
        return data.removeprefix(b"\xef\xbb\xbf")
    return decode(data, where=where)[0].encode("utf-8", "surrogatepass")


def _likeliest(found: CharsetMatches) -> CharsetMatch | None:
    """The best guess; but Windows-1252 where it is as good and its text has no sign of another alphabet.

    charset-normalizer puts cp1250 before cp1252 where both fit, and so reads French and Portuguese
    wrongly; of the files that are not UTF-8 far more are of Western Europe.
    """
    best = found.best()
    western = next((match for match in found if match.encoding in ("cp1252", "latin_1")), None)
    if best is None or western is None or _FOREIGN.search(str(western)):
        return best
    close = western.chaos - best.chaos <= 0.1 and best.coherence - western.coherence <= 0.15
    return western if close else best


def is_binary(data: bytes) -> bool:
    """Whether *data* is no text: not UTF-8 (with or without mark, or UTF-16), or with control bytes."""
    if any(data.startswith(mark) for mark, _ in MARKS) or _wide(data):
        return False
    return b"\0" in data or not _is_utf8(data)


def _wide(data: bytes) -> str:
    """UTF-16 without a mark shows as zeros in every other byte, which no UTF-8 text has."""
    head = data[:4096]
    if len(data) % 2 or len(head) < 4 or b"\0" not in head:
        return ""
    even, odd = head[0::2].count(0), head[1::2].count(0)
    if odd > 0.4 * len(head) / 2 and not even:
        return "utf-16-le"
    return "utf-16-be" if even > 0.4 * len(head) / 2 and not odd else ""


def _strict(data: bytes, name: str, where: str) -> str:
    try:
        text = data.decode(name)
    except UnicodeDecodeError as error:
        raise InputError(
            f"{where}: byte {error.start} does not fit its encoding {name}", mend=_MEND
        ) from error
    return text.removeprefix("\ufeff")
