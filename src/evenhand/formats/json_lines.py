"""JSON lines: one object a line that reads and diffs well, every fault named with its line."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from evenhand.errors import InputError
from evenhand.formats.gold.jsonl import strict

__all__ = ["json_line", "json_rows"]


def json_line(row: Mapping[str, Any]) -> str:
    """One line with its end, keys in the order given; ASCII where a text holds half a surrogate pair."""
    text = json.dumps(row, ensure_ascii=False, allow_nan=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        text = json.dumps(row, allow_nan=False)
    return text + "\n"


def json_rows(text: str, file: str, *, mend: str, torn: bool = False) -> Iterator[tuple[Any, str]]:
    """What each line holds and where it stands (``file:number``); blank lines are passed over.

    With *torn* a last line that was cut off while it was written is left out: for files that grow.
    """
    lines = text.split("\n")
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            row = strict(line)
        except ValueError as error:
            if torn and number == len(lines) and line.startswith("{") and "nested" not in str(error):
                return
            raise InputError(f"{file}:{number}: {error}", mend=mend) from error
        yield row, f"{file}:{number}"
