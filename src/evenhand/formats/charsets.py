"""Encodings of web pages as browsers have them: labels, declarations and what each byte means (WHATWG)."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from functools import cache

from evenhand.errors import InputError

__all__ = ["MARKS", "Charset", "charset", "declared", "decoded"]

MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark begins in the same way
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)

# name, Python's codec, and the labels that mean it beside the name (ISO-8859 and Windows: see `_labels`)
_NAMES = """
utf-8 utf-8 utf8 unicode-1-1-utf-8 unicode11utf8 unicode20utf8 x-unicode20utf8
ibm866 cp866 866 cp866 csibm866
koi8-r koi8-r koi koi8 koi8_r cskoi8r
koi8-u koi8-u koi8-ru
macintosh mac-roman mac csmacintosh x-mac-roman
x-mac-cyrillic mac-cyrillic x-mac-ukrainian
windows-874 cp874 dos-874 iso-8859-11 iso8859-11 iso885911 tis-620
windows-1252 cp1252 ascii us-ascii ansi_x3.4-1968 cp819 ibm819 x-user-defined {1}
windows-1254 cp1254 {9}
iso-8859-8-i iso8859-8 logical csiso88598i
gbk gb18030 gb2312 gb_2312 gb_2312-80 chinese csgb2312 csiso58gb231280 iso-ir-58 x-gbk
gb18030 gb18030
big5 big5hkscs big5-hkscs cn-big5 csbig5 x-x-big5
euc-jp euc-jp cseucpkdfmtjapanese x-euc-jp
iso-2022-jp iso2022-jp csiso2022jp
shift_jis cp932 csshiftjis ms932 ms_kanji shift-jis sjis windows-31j x-sjis
euc-kr cp949 cseuckr csksc56011987 iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 {0}
"""
# part of ISO-8859: its number in the ISO registry and year, and its short names
_PARTS = {
    1: ("100", "1987", "latin1 l1 csisolatin1"),
    2: ("101", "1987", "latin2 l2 csisolatin2"),
    3: ("109", "1988", "latin3 l3 csisolatin3"),
    4: ("110", "1988", "latin4 l4 csisolatin4"),
    5: ("144", "1988", "cyrillic csisolatincyrillic"),
    6: (
        "127",
        "1987",
        "arabic csisolatinarabic asmo-708 ecma-114 csiso88596e csiso88596i iso-8859-6-e iso-8859-6-i",
    ),
    7: ("126", "1987", "greek greek8 csisolatingreek ecma-118 elot_928 sun_eu_greek"),
    8: ("138", "1988", "hebrew visual csisolatinhebrew csiso88598e iso-8859-8-e"),
    9: ("148", "1989", "latin5 l5 csisolatin5"),
    10: ("157", "1992", "latin6 l6 csisolatin6"),
    13: ("", "", ""),
    14: ("", "", ""),
    15: ("", "", "l9 csisolatin9"),
    16: ("", "", ""),
}
_REFUSED = ("replacement", "csiso2022kr", "hz-gb-2312", "iso-2022-cn", "iso-2022-cn-ext", "iso-2022-kr")
_WIDE = frozenset(
    "utf-16 utf-16le utf-16be unicode ucs-2 iso-10646-ucs-2 csunicode unicodefeff unicodefffe".split()  # noqa: SIM905
)
# what Python's codecs have otherwise than browsers
_JAPANESE = {
    ord(a): b
    for a, b in zip("\u301c\u2016\u2212\xa2\xa3\xac", "\uff5e\u2225\uff0d\uffe0\uffe1\uffe2", strict=True)
}
_ALONE = {("gb18030", 0x80): "\u20ac", ("cp1255", 0xCA): "\u05ba"}
_OTHERWISE = {
    "koi8-u": {0x255D: "\u045e", 0x256C: "\u040e"},
    "euc-jp": _JAPANESE,
    "iso-2022-jp": _JAPANESE,
}


@dataclass(frozen=True, slots=True)
class Charset:
    """An encoding: its name, and the codec of Python that reads it."""

    name: str
    codec: str


@cache
def _labels() -> dict[str, Charset]:
    found: dict[str, Charset] = {}
    parts = {
        n: [f"iso-8859-{n}", f"iso8859-{n}", f"iso8859{n}", f"iso_8859-{n}"]
        + ([f"iso_8859-{n}:{year}", f"iso-ir-{registry}"] if year else [])
        + more.split()
        for n, (registry, year, more) in _PARTS.items()
    }
    parts[0] = ["windows-949"]
    lines = _NAMES.strip().format(*(" ".join(parts.get(n, ())) for n in range(17))).split("\n")
    lines += [f"iso-8859-{n} iso8859-{n} {' '.join(of)}" for n, of in parts.items() if n not in (0, 1, 9)]
    lines += [f"windows-{n} cp{n}" for n in range(1250, 1259) if n not in (1252, 1254)]
    for line in lines:
        name, codec, *more = line.split()
        number = name.removeprefix("windows-125")
        windows = (f"cp125{number}", f"x-cp125{number}") if len(number) == 1 else ()
        found |= dict.fromkeys((name, *more, *windows), Charset(name, codec))
    return found


def charset(label: str, *, where: str = "") -> Charset | None:
    """The encoding that a page means by *label*, None where browsers know none.

    UTF-16 in a page's own words is UTF-8, since the words could be read. Raises InputError for an encoding
    that browsers refuse.
    """
    label = label.strip("\t\n\f\r ").lower()
    if label in _REFUSED:
        raise InputError(f"{where}: declares {label}, which no browser reads", mend="save it as UTF-8")
    return _labels()["utf-8" if label in _WIDE else label] if label in _WIDE or label in _labels() else None


_XML = re.compile(rb"<\?xml[^>]*?\sencoding\s*=\s*[\"']([^\"'<>]*)[\"']")
_META = re.compile(
    rb"<!--.*?(?:-->|\Z)|<[!/?][^>]*>?|<(?P<tag>[a-z][^\s/>]*)(?P<inside>(?:[^>\"']|\"[^\"]*\"|'[^']*')*)>?",
    re.DOTALL | re.IGNORECASE,
)
_ATTRIBUTE = re.compile(rb"([^\s/>=][^\s/>=]*)(?:\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s>]+)))?")
_CONTENT = re.compile(rb"charset\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s;\"']+))", re.IGNORECASE)
HEAD = 1 << 16  # browsers look into 1,024 bytes beforehand, and take a later declaration as they come to it


def declared(data: bytes, *, xml: bool = False) -> str:
    """The label that a page declares: in a ``meta``, else in an XML declaration (*xml*: there first)."""
    found = _XML.match(data[:1024].lstrip())
    in_xml = found[1].decode("ascii", "replace") if found else ""
    if xml and in_xml:
        return in_xml
    for tag in _META.finditer(data[:HEAD]):
        if (tag["tag"] or b"").lower() != b"meta":
            continue
        about: dict[bytes, bytes] = {}
        for name, *values in _ATTRIBUTE.findall(tag["inside"]):
            about.setdefault(name.lower(), b"".join(values))
        label = about.get(b"charset", b"")
        if not label and about.get(b"http-equiv", b"").strip().lower() == b"content-type":
            inner = _CONTENT.search(about.get(b"content", b""))
            label = b"".join(part for part in inner.groups() if part) if inner else b""
        if label and charset(label.decode("ascii", "replace"), where="a page") is not None:
            return label.decode("ascii")
    return in_xml


def decoded(data: bytes, of: Charset) -> tuple[str, int, int]:
    """The text as a browser has it; bytes kept as control characters, and sequences replaced by U+FFFD."""
    kept = replaced = 0

    def odd(error: UnicodeError) -> tuple[str, int]:
        nonlocal kept, replaced
        if not isinstance(error, UnicodeDecodeError):
            raise error
        byte = data[error.start]
        if (of.codec, byte) in _ALONE:
            return _ALONE[of.codec, byte], error.start + 1
        if of.codec.startswith(("cp12", "cp874")) and 0x80 <= byte <= 0x9F:
            kept += 1
            return chr(byte), error.start + 1
        replaced += 1
        return "\ufffd", error.end

    name = "evenhand-browser"
    codecs.register_error(name, odd)
    text = data.decode(of.codec, name)
    return text.translate(_OTHERWISE.get(of.name, {})), kept, replaced
