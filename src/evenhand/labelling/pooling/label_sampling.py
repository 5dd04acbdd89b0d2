"""Fewer labels than the pool holds: stratified samples, and an active order that cannot bias.

Both keep the probability with which each item came in, so that totals over the pool can be estimated
without bias (`evenhand.stats.sampling.designs.expansion`), whatever was left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from evenhand.errors import InputError, nearest
from evenhand.labelling.pooling.pool import narrowed
from evenhand.stats.sampling.designs import allocate, inclusion, priorities, stratified
from evenhand.text.plural import noun, verb

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from evenhand.model.pool import Pool, PoolItem

__all__ = ["DISCOUNTS", "active", "influence", "prefix", "sample"]

BANDS = (3, 10, 30)  # best ranks up to 3, 10, 30, and beyond
DISCOUNTS = ("log2", "reciprocal", "flat")
FLOOR = 0.1  # of the mean size: an item that moves the headline little is still estimable


def sample(pool: Pool, *, n: int, seed: int, certain: int = 3, bands: Sequence[int] = BANDS) -> Pool:
    """*n* items: all of best rank up to *certain*, of the others a random sample in strata of best rank.

    Within a stratum every item has the same probability n_h / N_h, in proportion to its size.
    """
    if n >= len(pool):
        return pool
    best = _best(pool)
    edges = sorted({certain, *(band for band in bands if band > certain)} - {0})
    stratum = np.searchsorted(edges, best, side="left")
    sure = best <= certain
    if int(sure.sum()) >= n:
        raise InputError(
            f"{int(sure.sum())} {noun(int(sure.sum()), 'item')} {verb(int(sure.sum()), 'has', 'have')} a "
            f"best rank up to {certain}, and {n} are asked for",
            mend="ask for more, or for fewer certain ranks",
        )
    counts = np.bincount(stratum, minlength=len(edges) + 1)
    taken = counts.copy()
    first = 1 if certain else 0
    taken[first:] = allocate(counts[first:], n - int(counts[:first].sum()))
    drawn, probability = stratified(stratum, taken, seed=seed)
    names = _names(edges)
    items = [
        replace(pool.items[i], stratum=names[stratum[i]], probability=float(p))
        for i, p in zip(drawn.tolist(), probability, strict=True)
    ]
    settings = {**pool.settings, "strategy": "stratified", "n": n, "seed": seed, "certain": certain}
    settings |= {
        "of": len(pool),
        "strata": [[a, int(b), int(c)] for a, b, c in zip(names, counts, taken, strict=True)],
    }
    return narrowed(pool, drawn, items=tuple(items), settings=settings)


def active(
    pool: Pool,
    *,
    n: int,
    seed: int,
    pairs: Sequence[tuple[str, str]] | None = None,
    discount: str = "log2",
    likely: Mapping[str, float] | None = None,
) -> Pool:
    """The *n* items whose labels narrow the headline most, in an order that may be broken off anywhere.

    The headline is the mean difference of *pairs* of systems (None: all pairs, or the mean itself of a
    lone system) in a gain metric with this *discount*: ``log2`` (DCG, nDCG), ``reciprocal`` (RR-like) or
    ``flat`` (P, R). An item's size is its `influence` times √P(relevant) — the best probabilities for a
    total are in proportion to |weight| · √E[grade²] — where *likely* gives P(relevant) by item id (from a
    panel, say) and else 1 / (1 + best rank) stands in. Items come in by priority sampling: a random
    number under each size, so nothing is certain to be left out and the probabilities are known; a bad
    guess in *likely* costs width, never bias. For nDCG the ideal gain of a question is treated as given.
    """
    size = influence(pool, pairs=pairs, discount=discount)
    rank = 1.0 / (1.0 + _best(pool))
    p = np.array([(likely or {}).get(item.id, r) for item, r in zip(pool.items, rank, strict=True)])
    if not ((p >= 0) & (p <= 1)).all():
        raise InputError("a P(relevant) lies outside 0..1", mend="give probabilities")
    size = size * np.sqrt(np.maximum(p, 1e-3))
    size = size / size.mean() if size.any() else np.ones(len(pool))
    size = np.maximum(size, FLOOR)
    urgent = priorities(size, seed=seed)
    order = np.lexsort((np.arange(len(pool)), -urgent))
    chosen = np.sort(order[:n])
    threshold = float(urgent[order[n]]) if n < len(pool) else None
    probability = inclusion(size[chosen], threshold)
    items = [
        replace(
            pool.items[i],
            stratum="active",
            probability=float(p),
            size=float(size[i]),
            priority=float(urgent[i]),
        )
        for i, p in zip(chosen.tolist(), probability, strict=True)
    ]
    settings = {**pool.settings, "strategy": "active", "n": len(items), "of": len(pool), "seed": seed}
    settings |= {
        "discount": discount,
        "pairs": [list(pair) for pair in pairs] if pairs is not None else "all",
    }
    settings |= {"guessed": "P(relevant) was given" if likely else "1 / (1 + best rank)"}
    return narrowed(pool, chosen, items=tuple(items), settings=settings)


def influence(
    pool: Pool, *, pairs: Sequence[tuple[str, str]] | None = None, discount: str = "log2"
) -> NDArray[np.float64]:
    """float64[len(pool)]: by how much one more grade of an item moves the headline, over all pairs.

    √Σ over pairs of (d(rank in one) − d(rank in other))², d = 0 where a system did not find it.
    """
    weight = weights(pool, discount=discount)
    systems = [run.system for run in pool.runs]
    if pairs is None:
        pairs = [(a, b) for i, a in enumerate(systems) for b in systems[:i]]
    for name in {name for pair in pairs for name in pair} - set(systems):
        raise InputError(f"the pool has no system {name!r}", mend=nearest(name, systems))
    if not pairs:
        lone: NDArray[np.float64] = np.sqrt((weight**2).sum(axis=0))
        return lone
    total = np.zeros(len(pool))
    for a, b in pairs:
        total += (weight[systems.index(a)] - weight[systems.index(b)]) ** 2
    made: NDArray[np.float64] = np.sqrt(total)
    return made


def weights(pool: Pool, *, discount: str = "log2") -> NDArray[np.float64]:
    """float64[systems, items]: the discount at which each system shows each item, 0 where it does not."""
    if discount not in DISCOUNTS:
        raise InputError(f"no discount is called {discount!r}", mend=nearest(discount, DISCOUNTS))
    rank = pool.found_rank.astype(np.float64)
    shown = {"log2": lambda: 1 / np.log2(rank + 1), "reciprocal": lambda: 1 / rank}
    value = shown[discount]() if discount in shown else np.ones(len(rank))
    table = np.zeros((len(pool.runs), len(pool)))
    table[pool.found_run, pool.found_item] = value
    return table


def prefix(pool: Pool, judged: int) -> list[tuple[PoolItem, float]]:
    """The first *judged* items of an active order, each with its probability had one stopped there.

    The number must not depend on what the labels said, only on time or money.
    """
    order = sorted(pool.items, key=lambda item: (-item.priority, item.id))
    if judged >= len(order):
        return [(item, item.probability) for item in order]
    head = order[:judged]
    probability = inclusion([item.size for item in head], order[judged].priority)
    return list(zip(head, probability.tolist(), strict=True))


def _best(pool: Pool) -> NDArray[np.int64]:
    best = np.full(len(pool), np.iinfo(np.int32).max, dtype=np.int64)
    np.minimum.at(best, pool.found_item, pool.found_rank)
    return best


def _names(edges: Sequence[int]) -> list[str]:
    lows = [1, *(edge + 1 for edge in edges)]
    return [*(f"rank {a}–{b}" for a, b in zip(lows, edges, strict=False)), f"rank {lows[-1]}–"]
