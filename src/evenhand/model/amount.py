"""How many of what, in words: one is told in the singular."""

from __future__ import annotations

__all__ = ["many", "noun", "verb"]


def many(n: int, what: str) -> str:
    """``1 question``, ``1,200 questions``, ``0 replies``; *what* is the singular, also of several words."""
    return f"{n:,} {noun(n, what)}"


def noun(n: int, what: str) -> str:
    """*what* as it stands beside *n*: ``question`` beside 1, ``questions`` beside all others."""
    if n == 1:
        return what
    if what.endswith("y") and what[-2:-1] not in "aeiou":
        return f"{what[:-1]}ies"
    return f"{what}es" if what.endswith(("s", "x", "ch", "sh")) else f"{what}s"


def verb(n: int, one: str, more: str) -> str:
    """The form that goes with *n*: ``is`` or ``are``, ``has`` or ``have``."""
    return one if n == 1 else more
