"""What is said where something is missing: why, and the command line that goes on with the same work."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from evenhand.text.plural import many, verb

__all__ = ["again", "more_money", "why_unasked"]

DOLLARS = "DOLLARS"  # stands for a budget that only a person can name
STOPS = {"budget": "the budget is used up", "deadline": "the deadline is over"}


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


def why_unasked(unasked: Mapping[str, int], whys: Mapping[str, str]) -> list[str]:
    """A line for each reason for which calls were not made; *whys* tells some of them with their figures."""
    from evenhand.report.output.terminal import clean

    return [
        f"{clean(whys.get(why) or STOPS.get(why, why))}: {many(n, 'call')} {verb(n, 'was', 'were')} not made"
        for why, n in unasked.items()
    ]


def more_money(unasked: Mapping[str, int], *, made: int) -> dict[str, Any]:
    """The option of a command that goes on: another budget where the one given did not pay for one call."""
    return {"budget": DOLLARS} if "budget" in unasked and not made else {}


def _each(value: Any) -> Iterable[Any]:
    if isinstance(value, list | tuple):
        return value
    return () if value == "" else (value,)
