"""The file of a recording: JSON lines, each a reply or a fault under the request or task it belongs to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from evenhand.errors import InputError, nearest
from evenhand.model.call import Reply
from evenhand.model.json_text import loads

__all__ = ["lines_of", "said"]

_FIELDS = tuple(one.name for one in fields(Reply))
_KEYS = ("request", "task", "repeat", "reply", "fault")
_FORM = 'write {"task": "…", "reply": {"text": "…"}}'


def lines_of(data: bytes, name: str) -> dict[Any, dict[str, Any]]:
    """The lines by the request's seal and by (task, repeat); InputError names the line that is wrong."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{name} is not UTF-8", mend="save it as UTF-8") from error
    kept: dict[Any, dict[str, Any]] = {}
    for number, row in enumerate(text.split("\n"), 1):
        if row.strip():
            line = _line(row, f"{name}, line {number}")
            keys = [line["request"]] if "request" in line else []
            keys += [(line["task"], line.get("repeat", 0))] if "task" in line else []
            for key in keys:
                if kept.setdefault(key, line) is not line and said(kept[key]) != said(line):
                    raise InputError(
                        f"{name}, line {number}: a second, different reply to {key!r}",
                        mend="keep one; give repeated questions their repeat = 1, 2, …",
                    )
    return kept


def said(line: Mapping[str, Any]) -> Any:
    """The reply of a line, or its fault."""
    return line.get("reply", line.get("fault"))


def _line(row: str, where: str) -> dict[str, Any]:
    try:
        line = loads(row)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{where}: not JSON ({error})", mend=_FORM) from error
    if not isinstance(line, dict):
        raise InputError(f"{where}: found {str(line)[:60]!r}, expected an object", mend=_FORM)
    for key in line:
        if key not in _KEYS:
            raise InputError(f"{where}: unknown key {key!r}", mend=nearest(key, _KEYS))
    if not isinstance(line.get("request", ""), str) or not isinstance(line.get("task", ""), str):
        raise InputError(f"{where}: request and task must be texts", mend=_FORM)
    if "request" not in line and "task" not in line:
        raise InputError(f"{where}: neither request nor task says what it replies to", mend=_FORM)
    if not isinstance(line.get("repeat", 0), int):
        raise InputError(f"{where}: repeat is {line['repeat']!r}, expected a whole number", mend=_FORM)
    if ("reply" in line) == ("fault" in line):
        raise InputError(f"{where}: expected either reply or fault", mend=_FORM)
    reply = line.get("reply", {"text": ""})
    if not isinstance(reply, dict) or not isinstance(reply.get("text"), str):
        raise InputError(f"{where}: the reply has no text", mend=_FORM)
    for key in reply:
        if key not in _FIELDS:
            raise InputError(f"{where}: the reply has an unknown key {key!r}", mend=nearest(key, _FIELDS))
    Reply(**reply)  # its own checks: rungs, stops
    return line
