"""Pairs of questions that share most of their word trigrams."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["near_pairs"]


def near_pairs(
    sets: Sequence[frozenset[int]], *, threshold: float = 0.6, most: int = 5
) -> list[tuple[int, int, float]]:
    """Pairs (i, j, overlap), i < j, with ``shared / smaller >= threshold``; at most *most* partners each.

    *sets* are hashed shingles. An inverted index and the prefix filter (Chaudhuri, Ganti and Kaushik
    2006) find them: of a set with m shingles that must share s, one of its m − s + 1 rarest is shared.
    """
    postings: dict[int, list[int]] = {}
    for i, one in enumerate(sets):
        for shingle in one:
            postings.setdefault(shingle, []).append(i)
    pairs: list[tuple[int, int, float]] = []
    for i, one in enumerate(sets):
        size = len(one)
        if not size:
            continue
        need = math.ceil(threshold * size - 1e-9)
        rare = sorted(one, key=lambda shingle: (len(postings[shingle]), shingle))[: size - need + 1]
        seen = {i}
        partners = 0
        for j in (j for shingle in rare for j in postings[shingle]):
            # the smaller set of a pair looks for the larger; of equals the earlier does
            if j in seen or len(sets[j]) < size or (len(sets[j]) == size and j < i):
                continue
            seen.add(j)
            shared = len(one & sets[j])
            if shared >= need:
                pairs.append((min(i, j), max(i, j), shared / size))
                partners += 1
                if partners == most:
                    break
    return sorted(pairs)
