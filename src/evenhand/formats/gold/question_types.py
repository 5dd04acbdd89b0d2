"""``types.json``: the types of a study's questions, as they were given before anything was judged."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from evenhand.errors import InputError
from evenhand.formats.raw_bytes import write_bytes
from evenhand.model.json_text import loads
from evenhand.model.question_types import QuestionTypes

__all__ = ["read_types", "write_types"]

SCHEMA = "evenhand.question-types/1"
KEYS = ("by", "model", "family", "model_seal", "prompt", "sheet", "asked")


def read_types(path: Path) -> QuestionTypes:
    """The types of a file; InputError for one that is damaged or of another kind."""
    mend = "take it from git as it was, or give the types anew: evenhand gold type STUDY.toml"
    try:
        data = loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"{path.name} cannot be read: {error}", mend=mend) from error
    if not isinstance(data, dict) or data.get("schema") != SCHEMA:
        raise InputError(f"{path.name} holds no types of questions", mend=mend)
    texts = {name: data.get(name, {}) for name in ("types", "untyped")}
    if any(
        not isinstance(part, dict) or not all(isinstance(one, str) for one in part.values())
        for part in texts.values()
    ):
        raise InputError(f"{path.name}: types and untyped are texts by question id", mend=mend)
    rest: dict[str, Any] = {key: str(data.get(key, "")) for key in KEYS}
    repeat = data.get("repeat", 0)
    if not isinstance(repeat, int) or isinstance(repeat, bool) or repeat < 0:
        raise InputError(f"{path.name}: repeat is {repeat!r}, and a count is expected", mend=mend)
    return QuestionTypes(**texts, **rest, repeat=repeat)


def write_types(path: Path, found: QuestionTypes) -> None:
    """Write them, a question a line."""
    text = json.dumps(found.as_json(), ensure_ascii=False, indent=1)
    write_bytes(path, (text + "\n").encode())
