"""Texts of others put before a model: between marks that cannot occur in them, look-alikes made harmless."""

from __future__ import annotations

import re
from collections.abc import Sequence

from evenhand.model.seal import seal_texts

__all__ = ["fenced", "harmless", "mark_of"]

OPEN, CLOSE = "<<<", ">>>"

# what looks like a mark of ours, of a chat template (<|im_start|>, <｜User｜>) or of a turn ([INST]);
# white space within is allowed, since a model reads past it
_LIKE = re.compile(
    r"""
    [<＜﹤]{3,} | [>＞﹥]{3,}                                 # <<<end text 5f3a>>>
  | <\s*[|｜¦][^|｜¦<>\n]{0,60}[|｜¦]\s*>                   # <|system|>
  | <\s*/?\s*(?:start_of_turn|end_of_turn|bos|eos|s)\s*>   # <end_of_turn>, </s>
  | <<\s*/?\s*SYS\s*>>
  | \[\s*/?\s*(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_RESULTS)\s*\]
    """,
    re.VERBOSE | re.IGNORECASE,
)
_FORMS = str.maketrans(
    {
        "<": "‹",
        "＜": "‹",
        "﹤": "‹",
        ">": "›",
        "＞": "›",
        "﹥": "›",
        "|": "¦",
        "｜": "¦",
        "[": "⟦",
        "]": "⟧",
    }
)


def harmless(text: str) -> str:
    """*text* with look-alikes of marks in other signs, as long as before; all else letter for letter.

    Braces, quotes, JSON and instructions stay as they are: they are what is to be judged. Half a surrogate
    pair, which no request can carry, becomes U+FFFD.
    """
    whole = text if text.isascii() else re.sub("[\ud800-\udfff]", "\ufffd", text)
    return _LIKE.sub(lambda found: found.group().translate(_FORMS), whole)


def mark_of(texts: Sequence[str]) -> str:
    """16 hex digits that occur in none of *texts*: from their seal, so that equal texts have equal marks."""
    salt = 0
    while True:
        mark = seal_texts(["fence/1", str(salt), *texts])[:16]
        if not any(mark in text.casefold() for text in texts):
            return mark
        salt += 1


def fenced(name: str, text: str, mark: str) -> str:
    """*text* between two lines with its *name* and the *mark*; nothing in it is looked at again."""
    return f"{OPEN}{name} {mark}{CLOSE}\n{text}\n{OPEN}end {name} {mark}{CLOSE}"
