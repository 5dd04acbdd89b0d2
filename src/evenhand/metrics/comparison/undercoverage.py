"""Where an interval is narrower than it promises, said aloud with what was measured."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from evenhand.metrics.comparison.resamples import how
from evenhand.metrics.comparison.verdict import listed
from evenhand.stats.intervals.coverage import DIFFERENCES, MEANS, MEANS_LOPSIDED

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from evenhand.model.result import Measurements

__all__ = ["FEW", "LOPSIDED", "narrow"]

FEW = 20  # questions below which the bootstrap of any mean is too narrow
ENOUGH = 100  # questions from which on it holds for lopsided values too
LOPSIDED = 0.6  # share of questions with one and the same value


def narrow(m: Measurements, common: Sequence[NDArray[np.bool_]], nulls: Sequence[str]) -> Iterator[str]:
    """Warnings on intervals of means: too few questions, or too few with another value than most.

    *common*: by metric, bool[q], the questions that every system defines. Hit rates are not concerned:
    their intervals are Wilson's and Newcombe's. Null systems are left out.
    """
    few: dict[int, list[str]] = {}
    lopsided: dict[tuple[str, int], list[str]] = {}
    for x, metric in enumerate(m.metrics):
        n = int(common[x].sum())
        if how(metric) != "mean" or n < 2:
            continue
        if n < FEW:
            few.setdefault(n, []).append(metric)
        elif n < ENOUGH:
            for s, system in enumerate(m.systems):
                values = m.value[s, x][common[x] & (m.why[s, x] == 0)]
                if system not in nulls and len(values) and _most(values) >= LOPSIDED:
                    lopsided.setdefault((metric, n), []).append(system)
    for n, metrics in few.items():
        yield (
            f"{n} questions: the bootstrap intervals of {listed(metrics)} are too narrow; in simulated "
            f"studies of 12 questions those called 95% held the truth in {MEANS_LOPSIDED[12]:.0%} to "
            f"{MEANS[12]:.0%}, those of differences in {DIFFERENCES[12]:.0%}"
        )
    for (metric, n), systems in lopsided.items():
        yield (
            f"{metric} has one and the same value on {LOPSIDED:.0%} or more of the {n} questions for "
            f"{listed(systems)}: the bootstrap intervals are too narrow; in such simulated studies of 40 "
            f"questions those called 95% held the truth in {MEANS_LOPSIDED[40]:.0%}"
        )


def _most(values: NDArray[np.float64]) -> float:
    """The share of the commonest value."""
    _, counts = np.unique(values, return_counts=True)
    return float(counts.max() / len(values))
