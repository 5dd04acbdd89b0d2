"""JSON and TOML from outside: the one place that reads them, so that nothing in them ends the program."""

from __future__ import annotations

import json
import tomllib
from typing import Any

__all__ = ["deep_line", "loads", "toml_loads"]

DEEP = 100  # levels from which a line is named as the one that is nested too deeply


def loads(text: str | bytes | bytearray, **options: Any) -> Any:
    """What *text* says, as `json.loads` reads it with *options*; nesting without end is a ValueError too."""
    try:
        return json.loads(text, **options)
    except RecursionError:
        whole = text if isinstance(text, str) else text.decode("utf-8", "replace")
        raise ValueError(f"it is nested too deeply from line {deep_line(whole) or 1} on") from None


def toml_loads(text: str) -> dict[str, Any]:
    """What *text* says, as `tomllib.loads` reads it; nesting without end is a TOMLDecodeError."""
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise tomllib.TOMLDecodeError(f"it is nested too deeply (at line {deep_line(text) or 1})") from None


def deep_line(text: str, *, most: int = DEEP) -> int:
    """The line on which brackets are nested deeper than *most*; 0 where none is."""
    if text.count("[") + text.count("{") <= most:
        return 0
    deep = 0
    for number, line in enumerate(text.split("\n"), start=1):
        for sign in line:
            deep += (sign in "[{") - (sign in "]}")
            if deep > most:
                return number
    return 0
