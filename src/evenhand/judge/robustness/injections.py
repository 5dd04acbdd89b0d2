"""Words put into texts at seeded places, and texts of random words; the text itself is never touched."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from evenhand.errors import InputError
from evenhand.gold.words import words

if TYPE_CHECKING:
    from numpy.random import Generator

__all__ = ["RANDOM_WORDS", "boundaries", "placed", "question_words", "random_text", "vocabulary"]

RANDOM_WORDS = 100
_BLANK = re.compile(r"\s+")
# between signs of scripts that put no blanks between words every place will do
_UNSPACED = re.compile(r"(?<=[\u0e00-\u0eff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff])")


def boundaries(text: str) -> list[int]:
    """Where words may be put in: start, end, behind each blank, behind a letter of Chinese and the like."""
    found = {0, len(text), *(one.end() for one in _BLANK.finditer(text))}
    found |= {one.start() for one in _UNSPACED.finditer(text)}
    return sorted(found)


def placed(text: str, given: Sequence[str], rng: Generator) -> str:
    """*text* with each of *given* at a boundary of its own drawing, set apart by blanks.

    Several at one boundary keep their order. Without the words put in, the text is what it was.
    """
    at = boundaries(text)
    where = [at[i] for i in rng.integers(len(at), size=len(given)).tolist()]
    made, last = [], 0
    for place, word in sorted(zip(where, given, strict=True), key=lambda pair: pair[0]):
        made += [text[last:place], f" {word} "]
        last = place
    return "".join([*made, text[last:]])


def question_words(question: str) -> list[str]:
    """The words of a question as they stand, signs around them left off; one at least."""
    found = [word.strip("?!.,;:¿¡。？！，、；：\"'“”„«»()[]") for word in question.split()]
    return [word for word in found if word] or [question.strip() or question]


def vocabulary(texts: Iterable[str]) -> tuple[str, ...]:
    """All words of the corpus, folded, each once, in the order of their spelling."""
    found: set[str] = set()
    for text in texts:
        found.update(words(text))
    return tuple(sorted(found))


def random_text(known: Sequence[str], rng: Generator, *, n: int = RANDOM_WORDS) -> str:
    """*n* words drawn one by one, so that there is no sentence in it."""
    if not known:
        raise InputError("the corpus has no words to draw from", mend="check the corpus")
    return " ".join(known[i] for i in rng.integers(len(known), size=n).tolist())
