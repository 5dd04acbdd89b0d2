"""Whether an item answers, abstains or asks back: by what the system told, else by its words."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from evenhand.answer.checks.abstention_phrases import patterns
from evenhand.answer.checks.content_words import Words, code_of
from evenhand.corpus.sentences import pieces, sentence_starts
from evenhand.model.answer import Item

__all__ = ["DID", "Did", "did", "sentences"]

DID = ("answered", "abstained", "asked-back")


@dataclass(frozen=True, slots=True)
class Did:
    """``what`` is one of `DID`; ``told``: the system said so itself; ``spans``: the words it was seen by."""

    what: str
    why: str
    told: bool = False
    spans: tuple[tuple[int, int], ...] = ()


def sentences(text: str) -> list[tuple[int, int]]:
    """``[start, end)`` of each sentence."""
    return pieces(text, 0, len(text), sentence_starts(text))


def did(
    item: Item,
    *,
    language: str = "",
    cites: Sequence[tuple[int, int]] = (),
    beside: int = 25,
    rule: Words | None = None,
) -> Did:
    """What *item* does.

    What the system told of itself decides. Else a sentence says that the answer is not known, not in the
    text, or cannot be given, by the phrases of the *language* (all of them where it is not known); the item
    abstains when its other sentences cite nothing (*cites*: where its citations stand) and hold at most
    *beside* content words. An item that says so and goes on to answer has answered. A last sentence with a
    question mark, and nothing cited, asks back.
    """
    if item.abstained is not None:
        return Did("abstained" if item.abstained else "answered", "the system said so itself", told=True)
    if item.kind != "answer":
        return Did("answered", "a study item")
    text = item.text
    if not text.strip():
        return Did("abstained", "the answer is empty")
    parts = sentences(text)
    code = code_of(language)
    said: list[tuple[int, int]] = []
    others: list[tuple[int, int]] = []
    for start, end in parts:
        found = next(
            (hit for p in patterns(code) if (hit := p.search(text[start : min(end, start + 600)]))), None
        )
        if found is None:
            others.append((start, end))
        else:
            said.append((start + found.start(), start + found.end()))
    if said:
        rule = rule or Words(code)
        rest = sum(len(rule.content(text[start:end])) for start, end in others)
        cited = any(_within(at, others) for at, _ in cites)
        if rest <= beside and not cited:
            return Did("abstained", "says that it cannot answer", spans=tuple(said))
        why = "cites passages" if cited else f"has {rest} content words"
        return Did("answered", f"says that something is missing, and beside it {why}", spans=tuple(said))
    last = text[parts[-1][0] : parts[-1][1]].rstrip("\"'”’») ") if parts else ""
    if last.endswith(("?", "？", "؟")) and not cites:
        return Did("asked-back", "ends with a question and cites nothing", spans=(parts[-1],))
    return Did("answered", "says nowhere that it cannot answer")


def _within(at: int, spans: Sequence[tuple[int, int]]) -> bool:
    place = bisect_right(spans, at, key=lambda span: span[0]) - 1
    return place >= 0 and at <= spans[place][1]
