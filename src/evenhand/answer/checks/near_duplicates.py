"""Items that nearly repeat an earlier one of the same system; linear in their number."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from evenhand.answer.checks.settings import Settings
from evenhand.corpus.duplicates import near_duplicates
from evenhand.model.answer import Item

__all__ = ["STUDY", "repeats"]

STUDY = ("multiple-choice", "short-answer")


def _words(item: Item) -> str:
    """Question and key: two questions with the same stem ("Which is true?") and other keys are two."""
    if item.kind == "short-answer":
        return f"{item.text}\n{item.answer}"
    key = item.key if isinstance(item.key, int) and 0 <= item.key < len(item.options) else None
    return item.text if key is None else f"{item.text}\n{item.options[key]}"


def repeats(items: Iterable[Item], settings: Settings | None = None) -> dict[str, tuple[str, float]]:
    """Item → the earlier one that it nearly repeats, and how like they are (Jaccard).

    Study items only, in the order given, each system by itself. Answers to different questions may well be
    the same ("I cannot say").
    """
    settings = settings or Settings()
    by_system: dict[str, list[Item]] = defaultdict(list)
    for item in items:
        if item.kind in STUDY:
            by_system[item.system].append(item)
    found: dict[str, tuple[str, float]] = {}
    for own in by_system.values():
        texts = [_words(item) for item in own]
        for near in near_duplicates(texts, threshold=settings.near_jaccard, words=settings.near_words):
            first, second = own[near.first].id, own[near.second].id
            if first != second:
                found.setdefault(second, (first, near.jaccard))
    return found
