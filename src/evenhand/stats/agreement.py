"""How far raters agree, and when the number says nothing."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from evenhand.errors import InputError
from evenhand.model.result import Interval
from evenhand.stats.checks import share
from evenhand.stats.resample import compositions, count_blocks, weighted_quantile

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Kappa", "KappaByTopic", "Panel", "cohen_kappa", "kappa_by_topic", "kappa_by_topic_exact", "panel"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Kappa:
    """Cohen's kappa. ``degenerate``: a rater is constant, so it must not be reported as agreement."""

    kappa: float | None
    observed: float | None  # raw agreement
    expected: float | None  # agreement by chance
    n: int
    degenerate: bool
    reason: str | None = None


def _tables(
    first: Sequence[Hashable], second: Sequence[Hashable], topic: Sequence[Hashable]
) -> NDArray[np.float64]:
    """float64[topics, k, k]: how often the first rater said i and the second j."""
    if not len(first) == len(second) == len(topic):
        raise InputError(
            f"{len(first)}, {len(second)} and {len(topic)} entries", mend="give one entry an item for each"
        )
    code = {label: i for i, label in enumerate(dict.fromkeys([*first, *second]))}
    place = {name: i for i, name in enumerate(dict.fromkeys(topic))}
    k = max(1, len(code))
    tables = np.zeros((len(place), k, k))
    for one, other, where in zip(first, second, topic, strict=True):
        tables[place[where], code[one], code[other]] += 1
    return tables


def _kappas(
    tables: NDArray[np.float64],
) -> tuple[
    NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], NDArray[np.float64], NDArray[np.float64]
]:
    """Of many tables (float64[m, k, k]): kappa, defined, one rater constant, observed, expected."""
    n = tables.sum(axis=(1, 2))
    safe = np.maximum(n, 1)
    rows, cols = tables.sum(axis=2), tables.sum(axis=1)
    observed = np.trace(tables, axis1=1, axis2=2) / safe
    expected = (rows * cols).sum(axis=1) / safe**2
    constant = (rows.max(axis=1) == n) | (cols.max(axis=1) == n)
    # whole numbers: chance agreement is certain only when both raters name one and the same category
    defined = (n > 0) & ((rows * cols).sum(axis=1) != n * n)
    kappa = np.divide(observed - expected, 1 - expected, out=np.zeros_like(observed), where=defined)
    return kappa, defined, constant, observed, expected


def cohen_kappa(first: Sequence[Hashable], second: Sequence[Hashable]) -> Kappa:
    """Cohen's kappa of two raters over the same items: (p_o - p_e) / (1 - p_e).

    Undefined when both named one and the same category throughout. When either rater is constant the
    value is 0 by algebra, kept and marked ``degenerate``: show the raw agreement instead.
    Source: Cohen 1960. Agrees with sklearn ``cohen_kappa_score``.
    """
    n = len(first)
    if n == 0 and len(second) == 0:
        return Kappa(kappa=None, observed=None, expected=None, n=0, degenerate=True, reason="no items")
    table = _tables(first, second, [0] * n)
    kappa, defined, constant, observed, expected = (x[0] for x in _kappas(table))
    return Kappa(
        kappa=float(kappa) if defined else None,
        observed=float(observed),
        expected=float(expected),
        n=n,
        degenerate=bool(constant),
        reason=None if defined else "both raters named one and the same category throughout",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class KappaByTopic:
    """Kappa with topics resampled whole, and how many resamples said nothing."""

    kappa: float | None
    interval: Interval
    topics: int
    resamples: int
    undefined: int  # dropped: both raters constant on one category
    one_rater_constant: int  # kept as 0, but counted
    seed: int | None = None


def kappa_by_topic(
    first: Sequence[Hashable],
    second: Sequence[Hashable],
    topic: Sequence[Hashable],
    *,
    level: float = 0.95,
    resamples: int = 10_000,
    seed: int = 20241009,
) -> KappaByTopic:
    """Cohen's kappa with a percentile interval from resampling topics.

    Undefined resamples are dropped and counted; those where one rater is constant (kappa 0) are kept and
    counted apart. With fewer than two topics there is no interval.
    """
    tables = _tables(first, second, topic)
    if not len(tables):
        return _kappa_interval(tables, np.zeros((0, 0)), np.zeros(0), level=level, seed=seed)
    blocks = count_blocks(len(tables), resamples=resamples, seed=seed)
    counts = np.concatenate([block for _, block in blocks])
    return _kappa_interval(tables, counts, np.ones(len(counts)), level=level, seed=seed)


def kappa_by_topic_exact(
    first: Sequence[Hashable],
    second: Sequence[Hashable],
    topic: Sequence[Hashable],
    *,
    level: float = 0.95,
) -> KappaByTopic:
    """`kappa_by_topic` over all resamples of at most ten topics: no random numbers."""
    tables = _tables(first, second, topic)
    counts, weights = compositions(len(tables)) if len(tables) else (np.zeros((0, 0)), np.zeros(0))
    return _kappa_interval(tables, counts, weights, level=level, seed=None)


def _kappa_interval(
    tables: NDArray[np.float64],
    counts: NDArray[np.float64],
    weights: NDArray[np.float64],
    *,
    level: float,
    seed: int | None,
) -> KappaByTopic:
    topics, k = len(tables), tables.shape[1]
    share(level, "level")
    whole = _kappas(tables.sum(axis=0, keepdims=True)) if topics else None
    point = float(whole[0][0]) if whole is not None and whole[1][0] else None
    undefined = constant_only = 0
    low, high, reason = None, None, None
    if topics:
        drawn = (counts @ tables.reshape(topics, k * k)).reshape(len(counts), k, k)
        kappa, defined, constant, _, _ = _kappas(drawn)
        undefined = int(weights[~defined].sum())
        constant_only = int(weights[defined & constant].sum())
        if topics > 1 and point is not None and defined.any():
            tail = (1 - level) / 2
            low, high = weighted_quantile(kappa[defined], weights[defined], (tail, 1 - tail))
    if low is None:
        reason = "no items" if not topics else "kappa is undefined" if point is None else "only one topic"
    method = "bootstrap over topics"
    return KappaByTopic(
        kappa=point,
        interval=Interval(low=low, high=high, level=level, method=method, reason=reason),
        topics=topics,
        resamples=int(weights.sum()),
        undefined=undefined,
        one_rater_constant=constant_only,
        seed=seed,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """A panel over its items."""

    unanimous: float | None  # share of items on which all agree
    mean_pairwise: float | None  # mean share of agreeing pairs
    majority: tuple[Hashable | None, ...]  # by item; None when there is no strict majority


def panel(votes: Sequence[Sequence[Hashable]]) -> Panel:
    """Unanimity, mean pairwise agreement and the majority of judges who all voted on every item.

    *votes*: one row an item, one entry a judge, two judges or more. For three judges and two categories
    mean pairwise = (1 + 2 unanimous) / 3.
    """
    if not votes:
        return Panel(unanimous=None, mean_pairwise=None, majority=())
    judges = len(votes[0])
    if judges < 2 or any(len(row) != judges for row in votes):
        raise InputError(
            "the votes are not a full table", mend="give every item one vote of each of two or more"
        )
    unanimous, pairs, majority = 0, 0.0, []
    for row in votes:
        tally: dict[Hashable, int] = {}
        for vote in row:
            tally[vote] = tally.get(vote, 0) + 1
        top = max(tally, key=tally.__getitem__)
        unanimous += tally[top] == judges
        pairs += sum(c * (c - 1) for c in tally.values()) / (judges * (judges - 1))
        majority.append(top if 2 * tally[top] > judges else None)
    n = len(votes)
    return Panel(unanimous=unanimous / n, mean_pairwise=pairs / n, majority=tuple(majority))
