"""Tables as TOML, for study files that are made and not written by hand."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["toml"]

BARE = re.compile(r"[A-Za-z0-9_-]+")
SHORT = {"\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r", '"': '\\"', "\\": "\\\\"}


def toml(table: Mapping[str, Any], *, above: Sequence[str] = ()) -> str:
    """A table of tables as TOML: ``tomllib.loads`` gives it back; what is None is left out.

    *above* are lines of comment before it. Values are texts, numbers, truths, and lists and tables of these;
    a table directly in a section is a section of its own, one further in stands on its line.
    """
    lines = [f"# {_remark(line)}".rstrip() for line in above]
    return "\n".join([*lines, *_sections(table, ())]).strip("\n") + "\n"


def _sections(table: Mapping[str, Any], path: tuple[str, ...]) -> list[str]:
    plain = {key: value for key, value in table.items() if not isinstance(value, Mapping)}
    inner = {key: value for key, value in table.items() if isinstance(value, Mapping)}
    lines = []
    if plain or not inner:
        lines = ["", f"[{'.'.join(map(_key, path))}]"] if path else []
        lines += [f"{_key(key)} = {_value(value)}" for key, value in plain.items() if value is not None]
    for key, value in inner.items():
        lines += _sections(value, (*path, key))
    return lines


def _key(name: str) -> str:
    return name if BARE.fullmatch(name) else _text(name)


def _value(value: Any) -> str:
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping):
        inside = ", ".join(f"{_key(k)} = {_value(v)}" for k, v in value.items() if v is not None)
        return "{ " + inside + " }" if inside else "{}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_value, value)) + "]"
    return repr(value)


def _text(text: str) -> str:
    return '"' + "".join(SHORT.get(sign, _sign(sign)) for sign in text) + '"'


def _sign(sign: str) -> str:
    return f"\\u{ord(sign):04x}" if ord(sign) < 32 or ord(sign) == 127 else sign


def _remark(line: str) -> str:
    # no line break and no control character can end a comment
    return "".join(
        sign if sign >= " " and sign != "\x7f" and sign not in "\x85\u2028\u2029" else " " for sign in line
    )
