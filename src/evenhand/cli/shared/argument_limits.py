"""The limits on what a command may take, looked at before anything else is done."""

from __future__ import annotations

__all__ = ["budget", "deadline"]


def budget(dollars: float | None) -> float | None:
    """``--budget``: the dollars, which are a number from 0."""
    if dollars is not None and not dollars >= 0:
        from evenhand.errors import InputError

        raise InputError(
            f"--budget is {dollars:g}, expected US dollars: a number from 0",
            mend="give --budget 2.50, say; --budget 0 asks only what costs nothing",
        )
    return dollars


def deadline(seconds: float | None) -> float | None:
    """``--deadline``: the seconds, which are a number above 0."""
    if seconds is not None and not seconds > 0:
        from evenhand.errors import InputError

        raise InputError(
            f"--deadline is {seconds:g}, expected seconds: a number above 0",
            mend="give --deadline 600, say, or leave it away",
        )
    return seconds
