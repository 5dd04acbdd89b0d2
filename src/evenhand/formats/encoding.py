"""From bytes to text: never a character replaced, never one dropped but a byte-order mark at the start."""

from __future__ import annotations

import codecs
import re
from typing import TYPE_CHECKING

from evenhand.errors import InputError

if TYPE_CHECKING:
    from charset_normalizer.models import CharsetMatch, CharsetMatches

__all__ = ["decode", "is_binary"]

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark begins in the same way
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_MEND = "save the file as UTF-8"
# what ş ţ ı ğ ő ą ż would be in Windows-1252: no Western word has a sign within it, or õ but before e
_FOREIGN = re.compile(r"[þýð]|õ(?![es])|(?<=[^\W\d_])[¹³º¿¾¼¶±£¥](?=[^\W\d_])")


def decode(data: bytes, *, where: str, declared: str = "") -> tuple[str, str]:
    """The text of *data* and the name of its encoding, ``"utf-8"`` unless it is another.

    A byte-order mark decides and is stripped; then UTF-8; then the encoding the file itself *declared*;
    then the likeliest guess of charset-normalizer, which must fit every byte. Line ends stay as they are.
    Raises :class:`InputError` naming *where* and the first byte that does not fit.
    """
    for mark, name in _MARKS:
        if data.startswith(mark):
            return _strict(data[len(mark) :], name, where), name
    wide = _wide(data)
    if wide:
        return _strict(data, wide, where), wide
    try:
        return data.decode("utf-8"), "utf-8"
    except UnicodeDecodeError as error:
        first = error.start
    if declared:
        try:
            return data.decode(codecs.lookup(declared).name), codecs.lookup(declared).name
        except (LookupError, UnicodeDecodeError, ValueError):
            pass
    from charset_normalizer import from_bytes

    best = _likeliest(from_bytes(data)) if b"\0" not in data else None
    if best is None:
        raise InputError(
            f"{where}: byte {first} (0x{data[first]:02x}) is not UTF-8, and no other encoding fits",
            mend=f"{_MEND}, or leave it out with exclude= if it is not a text",
        )
    return _strict(data, best.encoding, where), best.encoding


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
    if any(data.startswith(mark) for mark, _ in _MARKS) or _wide(data):
        return False
    if b"\0" in data:
        return True
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return True
    return False


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
