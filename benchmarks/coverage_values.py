"""Populations of one value a question, and the intervals of many studies of means at once."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

import numpy as np
from numpy.typing import NDArray

from benchmarks.coverage_lines import SEED, Array, Size
from evenhand.stats.intervals.bootstrap import bca_acceleration, mean_bca, mean_percentile
from evenhand.stats.intervals.resample import count_blocks

__all__ = ["MEANS", "hit", "resampled", "ties", "true_mean"]


# Populations of one value a question: the name, the true mean, and a draw of that shape.
def _mixed(dice: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Like nDCG@10 of a fair system: a sixth nothing, a third perfect, the rest between."""
    u = dice.random(shape)
    return np.where(u < 1 / 6, 0.0, np.where(u < 0.5, 1.0, dice.beta(2.0, 2.0, shape)))


def _ranks(dice: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Like RR@10 of a weak system: seven in ten nothing, else one over a rank of 1 to 10."""
    found = 1.0 / dice.integers(1, 11, shape)
    return np.where(dice.random(shape) < 0.7, 0.0, found)


def _high(dice: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Like R@10 of a strong system: nine in ten perfect, else a half or nothing."""
    u = dice.random(shape)
    return np.where(u < 0.9, 1.0, np.where(u < 0.95, 0.5, 0.0))


HARMONIC = float(np.mean(1.0 / np.arange(1, 11)))
MEANS: tuple[tuple[str, float, Callable[..., Array]], ...] = (
    ("like nDCG, mean 0.58", 1 / 3 + 0.5 * 0.5, _mixed),
    ("like RR of a weak system, mean 0.09", 0.3 * HARMONIC, _ranks),
    ("like recall of a strong system, mean 0.93", 0.925, _high),
)


def ties(dice: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Differences of two like systems: six in ten are ties, the rest lean to one side."""
    d = np.clip(dice.normal(0.1, 0.35, shape), -1, 1)
    return np.where(dice.random(shape) < 0.6, 0.0, d)


@cache
def true_mean(draw: Callable[..., Array]) -> float:
    """The mean of a population without a closed form, from ten million draws."""
    dice = np.random.default_rng(1)
    return float(np.mean([draw(dice, (1_000_000,)).mean() for _ in range(10)]))


def _at(ordered: Array, share: Array | float) -> Array:
    """Type 7 quantiles of columns sorted along the first axis."""
    place = np.clip(np.asarray(share), 0, 1) * (len(ordered) - 1)
    low = np.floor(place).astype(np.int64) * np.ones(ordered.shape[1], dtype=np.int64)
    high = np.minimum(low + 1, len(ordered) - 1)
    at = np.arange(ordered.shape[1])
    return ordered[low, at] + (ordered[high, at] - ordered[low, at]) * (place - np.floor(place))


def resampled(x: Array, size: Size) -> tuple[dict[str, tuple[Array, Array]], Array]:
    """Percentile, BCa and Student's intervals of the mean of every row of *x*, and where there is one."""
    from scipy.special import ndtr, ndtri, stdtrit

    studies, n = x.shape
    counts = np.concatenate([block for _, block in count_blocks(n, resamples=size.resamples, seed=SEED)])
    low, high, blow, bhigh = (np.empty(studies) for _ in range(4))
    for first in range(0, studies, 500):
        part = slice(first, min(first + 500, studies))
        ordered = np.sort(counts @ x[part].T / n, axis=0)
        low[part], high[part] = _at(ordered, 0.025), _at(ordered, 0.975)
        point = x[part].mean(axis=1)
        below = (ordered < point - 1e-12).mean(axis=0) + (np.abs(ordered - point) <= 1e-12).mean(axis=0) / 2
        a = np.array([bca_acceleration(row) or 0.0 for row in x[part]])
        z0 = ndtri(np.clip(below, 1e-9, 1 - 1e-9))
        ends = []
        for z in (-1.959963984540054, 1.959963984540054):
            ends.append(ndtr(z0 + (z0 + z) / (1 - a * (z0 + z))))
        blow[part], bhigh[part] = _at(ordered, ends[0]), _at(ordered, ends[1])
    half = stdtrit(n - 1, 0.975) * x.std(axis=1, ddof=1) / math.sqrt(n)
    centre, varies = x.mean(axis=1), np.ptp(x, axis=1) > 1e-12
    _same(x, varies, low, high, blow, bhigh, size)
    return {
        "percentile bootstrap": (low, high),
        "BCa bootstrap": (blow, bhigh),
        "Student's t": (centre - half, centre + half),
    }, varies


def _same(x: Array, varies: NDArray[np.bool_], *found: Array | Size) -> None:
    """The many at once are what the product gives one by one."""
    low, high, blow, bhigh, size = found
    assert isinstance(size, Size)
    at = int(np.flatnonzero(varies)[0])
    one = mean_percentile(x[at], resamples=size.resamples, seed=SEED).interval
    two = mean_bca(x[at], resamples=size.resamples, seed=SEED).interval
    told = [float(side[at]) for side in (low, high, blow, bhigh)]  # type: ignore[index]
    np.testing.assert_allclose(told[:2], [one.low, one.high], atol=1e-9)
    # of resamples that tie with the mean the product counts those equal to the last bit, as scipy does
    np.testing.assert_allclose(told[2:], [two.low, two.high], atol=0.01)


def hit(low: Array, high: Array, truth: float, where: NDArray[np.bool_]) -> float:
    """Coverage among the studies that print an interval: those whose values vary."""
    return float(((low <= truth + 1e-12) & (truth <= high + 1e-12))[where].mean())
