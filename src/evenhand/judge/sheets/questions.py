"""The sheet that gives a question its one type."""

from __future__ import annotations

from collections.abc import Mapping

from evenhand.errors import InputError
from evenhand.model.sheet import Level, Sheet

__all__ = ["TYPES", "TYPING", "typing_sheet"]

TYPES: Mapping[str, str] = {
    "definitional": "what something is, or what a word means",
    "procedural": "how something is done, in which steps",
    "comparative": "how two or more things differ, or which is more",
    "evaluative": "whether something is good, right, worth it or allowed",
    "factual": "one fact: a number, a name, a date, a place, a yes or no",
}
KEYS = "123456789abcdefghijklmnopqrstuvwxyz"
GUIDELINE = """\
Give the question the one type that fits best, by what an answer to it would have to be, not by its words.
Do not answer it. Where two types fit, take the one that stands first in the list.
*Cannot tell* is an answer. *Skip* is for what is no question.
"""


def typing_sheet(types: Mapping[str, str], *, name: str = "question-type") -> Sheet:
    """The sheet for these types (name → what it means); the numbers of its levels mean no order."""
    if not 2 <= len(types) <= len(KEYS):
        raise InputError(f"{len(types)} types of question", mend=f"name 2 to {len(KEYS)}")
    return Sheet(
        name=name,
        ask="Of which type is this question?",
        guideline=GUIDELINE,
        levels=tuple(
            Level(grade=float(i), key=KEYS[i], label=label, help=told)
            for i, (label, told) in enumerate(types.items())
        ),
    )


TYPING = typing_sheet(TYPES)
