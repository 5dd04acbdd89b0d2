"""A text in another form, length or order: no word of it is lost, none is new but those of the padding."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from evenhand.corpus.sentences import sentence_starts

if TYPE_CHECKING:
    from numpy.random import Generator

__all__ = ["FORMS", "form", "moved", "padded", "removed", "sentences"]

FORMS = ("upper", "markdown", "bullets", "html", "spaces")
PLACES = ("start", "middle", "end")
_BLANK = re.compile(r"\s+")
SPACES = ("  ", "\n", "\t", "\n\n", "\u00a0", "   ")


def sentences(text: str) -> list[tuple[int, int]]:
    """``[start, end)`` of each sentence with the blanks behind it; together they are the text."""
    starts = [0, *(at for at in sentence_starts(text) if 0 < at < len(text)), len(text)]
    cuts = sorted(set(starts))
    return [(a, b) for a, b in pairwise(cuts) if a < b]


def form(text: str, name: str, rng: Generator) -> str:
    """*text* in one of `FORMS`."""
    bare = [text[a:b].strip() for a, b in sentences(text)]
    bare = [one for one in bare if one]
    if name == "upper":
        return "".join(_upper(sign) for sign in text)
    if name == "markdown":
        head, *rest = bare or [text]
        return "\n\n".join([f"**{head}**", *(f"> {one}" for one in rest)])
    if name == "bullets":
        return "\n".join(f"- {one}" for one in bare or [text])
    if name == "html":
        return "".join(f"<p>{html.escape(one)}</p>" for one in bare or [text])
    return _BLANK.sub(lambda _: SPACES[int(rng.integers(len(SPACES)))], text)


def _upper(sign: str) -> str:
    """A capital where it is the same letter: not every letter has one that reads back."""
    large = sign.upper()
    return large if large.casefold() == sign.casefold() else sign


def removed(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """*text* without *spans* (code points), and without two blanks where there was one."""
    made, last = [], 0
    for start, end in _joined(spans):
        made.append(text[last:start])
        last = max(last, end)
    made.append(text[last:])
    kept = [made[0]]
    for part in made[1:]:
        kept.append(part.lstrip(" \t") if kept[-1][-1:].isspace() or not kept[-1] else part)
    return "".join(kept)


def _joined(spans: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    last: tuple[int, int] | None = None
    for start, end in sorted(spans):
        if last is not None and start <= last[1]:
            last = (last[0], max(last[1], end))
            continue
        if last is not None:
            yield last
        last = (start, end)
    if last is not None:
        yield last


def moved(text: str, span: tuple[int, int], place: str) -> str | None:
    """*text* with the sentences that *span* touches at the start, in the middle or at the end.

    None where that changes nothing, or where there is no other sentence.
    """
    found = sentences(text)
    inside = [pair for pair in found if pair[0] < span[1] and span[0] < pair[1]]
    rest = [text[a:b].strip() for a, b in found if (a, b) not in inside]
    rest = [one for one in rest if one]
    answer = " ".join(text[a:b].strip() for a, b in inside)
    if not rest or not answer:
        return None
    at = {"start": 0, "middle": (len(rest) + 1) // 2, "end": len(rest)}[place]
    made = [*rest[:at], answer, *rest[at:]]
    whole = [text[a:b].strip() for a, b in found]
    return None if [one for one in whole if one] == made else " ".join(made)


def padded(text: str, more: Sequence[str], factor: int) -> str | None:
    """*text* with pieces of *more* behind it to *factor* times its length; None where they do not suffice."""
    wanted = factor * len(text)
    made = text
    for piece in more:
        left = wanted - len(made)
        if left <= 2:
            break
        cut = piece if len(piece) <= left else piece[:left].rsplit(None, 1)[0]
        made += "\n\n" + cut.strip()
    return made if len(made) >= 0.9 * wanted else None
