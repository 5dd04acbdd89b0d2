"""Plain arguments of ``evenhand eval`` read without typer, whose import takes as long as a small evaluation.

Whatever is not plain (help, abbreviations, ``--name=value``, anything wrong) is left to typer, so that there
is one help and one set of messages.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

__all__ = ["FLAGS", "LISTS", "VALUES", "options"]

FLAGS = {
    "--json": "json",
    "--per-question": "per_question",
    "-q": "per_question",
    "--complete": "complete",
    "-c": "complete",
    "--bounds": "bounds",
    "--lenient": "lenient",
}
LISTS = {"-m": "metric", "--metric": "metric", "--pairs": "pairs"}
VALUES: dict[str, tuple[str, Callable[[str], Any]]] = {
    "--like": ("like", str),
    "--level": ("level", float),
    "-l": ("level", float),
    "--max-depth": ("max_depth", int),
    "-M": ("max_depth", int),
    "--ties": ("ties", str),
    "--without-relevant": ("without_relevant", str),
    "--interval-level": ("interval_level", float),
    "--resamples": ("resamples", int),
    "--signs": ("signs", int),
    "--seed": ("seed", int),
    "--workers": ("workers", int),
}


def options(args: Sequence[str]) -> dict[str, Any] | None:
    """The options of ``eval`` that *args* give; None when they ask for something else or are not plain."""
    if not args or args[0] != "eval":
        return None
    found: dict[str, Any] = {}
    files: list[Path] = []
    rest = iter(args[1:])
    for word in rest:
        if word in FLAGS:
            found[FLAGS[word]] = True
        elif not word.startswith("-"):
            files.append(Path(word))
        else:
            value = next(rest, "-")
            if value.startswith("-"):
                return None
            if word in LISTS:
                found.setdefault(LISTS[word], []).append(value)
            elif word in VALUES:
                name, kind = VALUES[word]
                digits = value if kind is int else value.replace(".", "", 1)
                if kind is not str and not (digits.isascii() and digits.isdigit()):
                    return None
                found[name] = kind(value)
            else:
                return None
    if len(files) < 2 or any("\0" in str(file) for file in files):
        return None
    return {"qrels": files[0], "runs": files[1:], **found}
