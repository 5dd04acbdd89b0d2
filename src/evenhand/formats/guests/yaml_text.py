"""YAML of other tools, read safely: plain values only, and a fault names its line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from evenhand.errors import InputError
from evenhand.formats.guests.rag_table import text_at
from evenhand.model.json_text import deep_line

__all__ = ["read_yaml", "yaml_text"]

NESTED = 1_000  # levels beyond which the scanner of YAML would take minutes
DEEP = 1_000_000  # characters of YAML beyond which aliases could hide a bomb


def read_yaml(path: Path) -> Any:
    """The value of a file: nothing in it is run, and no alias is followed in a large one."""
    import yaml

    text = text_at(path)
    if (line := deep_line(text, most=NESTED)) or "- " * NESTED in text:
        raise InputError(
            f"{path.name}:{line or 1}: nested too deeply", mend="give the file as it was exported"
        )
    try:
        if any(isinstance(token, yaml.AliasToken) for token in yaml.scan(text)) and len(text) > DEEP:
            raise InputError(f"{path.name} is large and holds aliases", mend="write its values out")
        return yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        where = f":{mark.line + 1}" if mark is not None else ""
        deep = "nested too deeply"
        problem = deep if isinstance(error, RecursionError) else getattr(error, "problem", None) or "not YAML"
        mend = 'put a text with a question mark between braces in quotes: {query: "Why?"}'
        raise InputError(
            f"{path.name}{where}: {problem}", mend=mend if "'?'" in problem else "mend the YAML"
        ) from error


def yaml_text(value: Any) -> str:
    """YAML in block style, keys in their order, long lines whole."""
    import yaml

    made: str = yaml.safe_dump(value, sort_keys=False, allow_unicode=True, width=1 << 20)
    return made
