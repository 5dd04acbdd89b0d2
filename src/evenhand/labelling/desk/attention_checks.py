"""Items that do not count: warm-up sets the judge's thresholds, attention items have a known grade."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from evenhand.errors import InputError
from evenhand.model.pool import PoolItem, item_id
from evenhand.stats.sampling.seeds import stream

if TYPE_CHECKING:
    from evenhand.model.pool import Pool

__all__ = ["attention_items", "warm_up_items"]

WORDS = 100  # of an attention item: drawn one by one, so that there is no sentence in it


def warm_up_items(pool: Pool, grades: Mapping[str, float], *, n: int = 5, seed: int) -> list[PoolItem]:
    """*n* items of the pool that span the grades, as evenly as the known ones allow.

    *grades*: by item id, where something is known already (aligned evidence); others are drawn too, when
    there are not enough. Judges shown only poor items first grade later ones higher (Scholer et al. 2013).
    The answers do not count, and each item comes again in its turn.
    """
    dice = stream(seed, "warm-up", pool.seal)
    piles: dict[float | None, list[PoolItem]] = {}
    for i in dice.permutation(len(pool)).tolist():
        item = pool.items[i]
        piles.setdefault(grades.get(item.id), []).append(item)
    order = sorted((grade for grade in piles if grade is not None), reverse=True)
    turn: list[float | None] = [*order, *([None] if None in piles else [])]
    chosen: list[PoolItem] = []
    while len(chosen) < min(n, len(pool)):
        for grade in turn:
            if piles[grade] and len(chosen) < n:
                chosen.append(piles[grade].pop())
    return chosen


def attention_items(
    pool: Pool, vocabulary: Iterable[str], *, n: int, seed: int, words: int = WORDS
) -> tuple[list[PoolItem], list[str]]:
    """*n* texts of random words of the corpus for questions of the pool: whoever reads them says "no".

    Returns items (with an empty document, but title and heading of an item of the same question, so that
    their dress gives nothing away) and their texts. The order of the vocabulary does not matter.
    """
    known = sorted(set(vocabulary))
    if n and not (known and len(pool)):
        raise InputError("attention items need words and questions", mend="give words of the corpus")
    dice = stream(seed, "attention", pool.seal)
    models = [pool.items[i] for i in dice.choice(len(pool), size=n, replace=n > len(pool)).tolist()]
    items, texts = [], []
    for model in models:
        text = " ".join(known[i] for i in dice.integers(len(known), size=words).tolist())
        mark = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        items.append(
            PoolItem(
                id=item_id(model.question, "", 0, len(text), mark),
                question=model.question,
                doc="",
                start=0,
                end=len(text),
                text_sha256=mark,
                heading=model.heading,
                title=model.title,
                stratum="attention",
            )
        )
        texts.append(text)
    return items, texts
