"""How alike the heads of two rankings are. Plain Python: a gate asks it in production, without numpy."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import lru_cache

from evenhand.errors import InputError

__all__ = ["jaccard", "rank_biased_overlap"]

DIGITS = 12  # rounded to this, so that equal rankings are 1 and not 1 - 1e-16


def jaccard(a: Sequence[Hashable], b: Sequence[Hashable]) -> float | None:
    """The size of the intersection over that of the union; order does not count; None for two empty heads.

    Source: Jaccard 1901.
    """
    one, two = set(a), set(b)
    union = len(one | two)
    return round(len(one & two) / union, DIGITS) if union else None


def rank_biased_overlap(a: Sequence[Hashable], b: Sequence[Hashable], *, p: float = 0.9) -> float | None:
    """Rank-biased overlap, extrapolated: the agreement at each depth, depth d weighing p^d.

    With X_d the shared items of both heads to depth d, s and l the shorter and the longer length:
    RBO = (1-p)/p (sum_{d<=l} X_d/d p^d + sum_{s<d<=l} X_s (d-s)/(s d) p^d) + ((X_l - X_s)/l + X_s/s) p^l.
    1 for equal rankings, 0 for ones that share nothing; None when one is empty. No item twice in one.

    Source: Webber, Moffat & Zobel 2010, equation 32.
    """
    if not 0 < p < 1:
        raise InputError(f"p is {p!r}", mend="give p as a number between 0 and 1, such as 0.9")
    if len(set(a)) != len(a) or len(set(b)) != len(b):
        raise InputError("a ranking holds an item twice", mend="keep the first place of each item")
    return distinct_overlap(a, b, p) if a and b else None


def distinct_overlap(a: Sequence[Hashable], b: Sequence[Hashable], p: float) -> float:
    """`rank_biased_overlap` of two heads that are known to hold something, and nothing twice."""
    short, long = (a, b) if len(a) <= len(b) else (b, a)
    s, length = len(short), len(long)
    tails = _tails(p, length)
    place = {item: i for i, item in enumerate(long, 1)}
    total, shared, at_short = 0.0, 0, 0
    for i, item in enumerate(short, 1):
        if item in place:
            # it counts in X_d from the depth on at which both have shown it
            j = place[item]
            total += tails[max(j, i)]
            shared += 1
            at_short += j <= s
    rest = shared / length
    if s < length:
        total += at_short * sum((d - s) / (s * d) * p**d for d in range(s + 1, length + 1))
        rest = (shared - at_short) / length + at_short / s
    return round((1 - p) / p * total + rest * tails[0], DIGITS)


@lru_cache(maxsize=64)
def _tails(p: float, length: int) -> tuple[float, ...]:
    """At place m the sum of p^d / d over m <= d <= length; at place 0 p^length."""
    sums = [0.0] * (length + 2)
    for d in range(length, 0, -1):
        sums[d] = sums[d + 1] + p**d / d
    sums[0] = p**length
    return tuple(sums)
