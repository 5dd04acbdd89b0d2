"""What grade a word, a number or a truth value names; none is guessed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evenhand.judge.panel.prompt_spec import CANNOT_TELL

__all__ = ["graded"]

YES, NO = frozenset({"yes", "true"}), frozenset({"no", "false"})
CANNOT = frozenset({CANNOT_TELL, "cannot tell", "cannot_tell", "can't tell"})


def graded(value: Any, options: Mapping[str, float], *, numbers: bool | None = None) -> float | str | None:
    """The grade that *value* names, ``cannot-tell``, or None when it names none of *options*.

    A word counts, whatever its capitals. ``true`` and ``"false"`` are yes and no where these are options. A
    number counts where the options are numbers, or where *numbers* allows it; it is never rounded or clamped.
    """
    if numbers is None:
        numbers = all(_number(word) is not None for word in options)
    if isinstance(value, bool):
        return _worded("true" if value else "false", options)
    if isinstance(value, int | float):
        return float(value) if numbers and value in set(options.values()) else None
    if not isinstance(value, str):
        return None
    word = value.strip().strip("\"'*`").rstrip(".!").strip().casefold()
    if word in CANNOT:
        return CANNOT_TELL
    named = _worded(word, options)
    number = _number(word)
    if named is None and numbers and number is not None:
        return number if number in set(options.values()) else None
    return named


def _worded(word: str, options: Mapping[str, float]) -> float | None:
    if word in options:
        return options[word]
    for same in (YES, NO):
        if word in same:
            return next((options[other] for other in sorted(same) if other in options), None)
    return None


def _number(word: str) -> float | None:
    """A number in plain digits; not nan, inf, 1e3 or 1_0."""
    plain = word.removeprefix("-").replace(".", "", 1)
    return float(word) if plain.isascii() and plain.isdigit() and len(plain) < 16 else None
