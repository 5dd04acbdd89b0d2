"""The command line that goes on with the same work: printed where something is missing, and can be run."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from pathlib import Path
from typing import Any

__all__ = ["DOLLARS", "again"]

DOLLARS = "DOLLARS"  # stands for a budget that only a person can name


def again(*words: str | Path, **options: Any) -> str:
    """``evenhand`` with *words* and those *options* that were given, quoted for a shell.

    True is a flag, a list an option that is repeated; None, False, an empty word or list were not given. A
    name of one letter is a short option.
    """
    line = ["evenhand", *map(str, words)]
    for name, value in options.items():
        flag = f"-{name}" if len(name) == 1 else f"--{name.replace('_', '-')}"
        if value is True:
            line.append(flag)
        elif value is not None and value is not False:
            for one in _each(value):
                line += [flag, f"{one:.15g}" if isinstance(one, float) else str(one)]
    return shlex.join(line)


def _each(value: Any) -> Iterable[Any]:
    if isinstance(value, list | tuple):
        return value
    return () if value == "" else (value,)
