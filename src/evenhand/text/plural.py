"""How many of what, in words: one is told in the singular. And money, as it is written down."""

from __future__ import annotations

import re

__all__ = ["counted", "many", "money", "noun", "verb"]

_ONE = {
    **{one: f"{one}s" for one in ("begin", "count", "hold", "lie", "lose", "need", "stand", "test")},
    "have": "has",
    "are": "is",
    "were": "was",
    "do": "does",
    "would": "would",
}
_BEFORE = ("relevant", "further", "judged", "human", "empty", "unknown")  # what may stand before the things
_MORE = re.compile(rf"\b(and|they) ({'|'.join(_ONE)})\b")


def many(n: int, what: str) -> str:
    """``1 question``, ``1,200 questions``, ``0 replies``; *what* is the singular, also of several words."""
    return f"{n:,} {noun(n, what)}"


def money(dollars: float) -> float:
    """US dollars as JSON holds them: to a thousandth of a millionth, a sum's own noise is no money."""
    return round(dollars, 9)


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


def counted(n: int, what: str) -> str:
    """``3 questions lose their id``, ``1 question loses its id``: *what* is a sentence of several things."""
    if n != 1:
        return f"{n} {what}"
    words = what.split(" ")
    at = int(words[0] in _BEFORE and len(words) > 1)
    if words[at].endswith(":"):  # a name, as in "contexts: …"
        return f"1 {what}"
    thing = words[at].rstrip(",")
    mark = words[at][len(thing) :]
    words[at] = (f"{thing[:-3]}y" if thing.endswith("ies") else thing.removesuffix("s")) + mark
    if at + 1 < len(words):
        words[at + 1] = _ONE.get(words[at + 1], words[at + 1])
    return _MORE.sub(_single, f"1 {' '.join(words)}").replace("their ", "its ", 1)


def _single(found: re.Match[str]) -> str:
    word, verb_ = found.groups()
    return f"{'it' if word == 'they' else word} {_ONE[verb_]}"
