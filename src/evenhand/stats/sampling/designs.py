"""Samples whose inclusion probabilities are known, and totals estimated from them without bias."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from evenhand.errors import InputError
from evenhand.stats.sampling.seeds import stream

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["Total", "allocate", "expansion", "inclusion", "priorities", "stratified"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Total:
    """An estimated total over a population, its estimated variance, and how many items it rests on."""

    point: float
    variance: float
    n: int


def allocate(sizes: ArrayLike, n: int) -> NDArray[np.int64]:
    """How many of *n* to draw from strata of these sizes: in proportion, at least one (or all) of each.

    Remainders go to the largest fractions, ties to the earlier stratum. *n* below the number of strata
    that are not empty is an error.
    """
    counts = np.asarray(sizes, dtype=np.int64)
    filled = counts > 0
    if not filled.sum() <= n:
        raise InputError(
            f"{n} items cannot be drawn from {int(filled.sum())} strata", mend="ask for one of each at least"
        )
    n = min(n, int(counts.sum()))
    taken = filled.astype(np.int64)
    while (left := n - int(taken.sum())) > 0:
        room = counts - taken
        ideal = left * room / room.sum()
        whole = np.minimum(np.floor(ideal).astype(np.int64), room)
        if not whole.any():
            order = np.lexsort((np.arange(len(counts)), -(ideal - whole)))
            whole[order[:left]] = np.minimum(room[order[:left]], 1)
        taken += whole
    return taken


def stratified(
    strata: ArrayLike, counts: ArrayLike, *, seed: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Simple random samples without replacement within strata.

    ``strata``: int[n], the stratum of each item; ``counts``: how many to draw of each stratum. Returns the
    positions drawn, ascending, and the inclusion probability n_h / N_h of each.
    """
    codes = np.asarray(strata, dtype=np.int64)
    wanted = np.asarray(counts, dtype=np.int64)
    there = np.bincount(codes, minlength=len(wanted))
    if len(there) > len(wanted) or (wanted > there).any() or (wanted < 0).any():
        raise InputError(
            f"{wanted.tolist()} items of strata of {there.tolist()}", mend="draw no more than there are"
        )
    lots = stream(seed, "stratified").permutation(len(codes))
    # the first n_h of each stratum in the order of the lots
    ordered = lots[np.argsort(codes[lots], kind="stable")]
    first = np.zeros(len(there) + 1, dtype=np.int64)
    np.cumsum(there, out=first[1:])
    turn = np.arange(len(codes)) - first[codes[ordered]]
    drawn = np.sort(ordered[turn < wanted[codes[ordered]]])
    return drawn, (wanted / np.maximum(there, 1))[codes[drawn]]


def priorities(sizes: ArrayLike, *, seed: int) -> NDArray[np.float64]:
    """float64[n]: size / u with u uniform on (0, 1], the priorities of priority sampling.

    Duffield, Lund and Thorup (2007), J. ACM 54(6): the n items of highest priority are a sample of
    exactly n, however early one stops; see `inclusion`. Sizes are positive.
    """
    size = np.asarray(sizes, dtype=np.float64)
    if not (np.isfinite(size).all() and (size > 0).all()):
        raise InputError("a size is not a positive number", mend="give every item a size above 0")
    made: NDArray[np.float64] = size / (1.0 - stream(seed, "priority").random(len(size)))
    return made


def inclusion(sizes: ArrayLike, threshold: float | None) -> NDArray[np.float64]:
    """min(1, size / threshold): the inclusion probabilities given the threshold.

    *threshold* is the highest priority that was left out (None: nothing was, all are 1). With these,
    `expansion` is unbiased for any total, and the terms of two items are uncorrelated (Duffield et al.).
    Raises InputError for a threshold that is not above 0.
    """
    size = np.asarray(sizes, dtype=np.float64)
    if threshold is not None and not 0 < threshold < float("inf"):
        raise InputError(
            f"the threshold of the sample is {threshold!r}", mend="give a number above 0, or None"
        )
    return np.ones(len(size)) if threshold is None else np.minimum(1.0, size / threshold)


def expansion(values: ArrayLike, probability: ArrayLike) -> Total:
    """The total Σ y/π over the sample (Horvitz and Thompson 1952), with variance Σ y²(1 − π)/π².

    Unbiased, and so is the variance, when the inclusion of two items is independent or, as in priority
    sampling, their terms are uncorrelated; for samples of fixed size in strata the variance is a little
    too large. Raises InputError for a probability outside (0, 1].
    """
    y = np.asarray(values, dtype=np.float64)
    p = np.asarray(probability, dtype=np.float64)
    if y.shape != p.shape or not ((p > 0) & (p <= 1)).all():
        raise InputError(
            f"{y.size} values with {p.size} probabilities, or one outside (0, 1]",
            mend="give the inclusion probability of every value",
        )
    terms = y / p
    return Total(point=float(terms.sum()), variance=float((terms**2 * (1 - p)).sum()), n=len(y))
