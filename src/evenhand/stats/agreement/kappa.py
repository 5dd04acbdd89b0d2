"""Cohen's kappa of two raters, plain and weighted, and when it says nothing."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from evenhand.errors import InputError
from evenhand.model.result import Interval
from evenhand.stats.agreement.raters import RESAMPLES, SEED, coded, interval_over, places
from evenhand.stats.argument_checks import TIE, normal_quantile, share
from evenhand.stats.intervals.resample import compositions, count_blocks, weighted_quantile

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Kappa", "KappaByTopic", "cohen_kappa", "kappa_by_topic", "kappa_by_topic_exact"]

Weights = Literal["none", "linear", "quadratic"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Kappa:
    """Cohen's kappa. ``degenerate``: a rater is constant, so it must not be reported as agreement."""

    kappa: float | None
    observed: float | None  # raw agreement; with weights the weighted one
    expected: float | None  # agreement by chance
    n: int
    degenerate: bool
    interval: Interval
    se: float | None = None  # large-sample, for independent items
    se_null: float | None = None  # the same if there were no agreement beyond chance
    dropped: int = 0  # items without both labels
    clusters: int | None = None
    undefined: int = 0  # resamples without a value
    reason: str | None = None


def _near(k: int, weights: Weights) -> NDArray[np.float64]:
    """Credit float64[k, k] for naming i and j, by the distance of their positions."""
    if weights not in ("none", "linear", "quadratic"):
        raise InputError(f"weights is {weights!r}", mend="use none, linear or quadratic")
    if weights == "none" or k < 2:
        return np.eye(k)
    apart = np.abs(np.subtract.outer(np.arange(k), np.arange(k))) / (k - 1)
    return np.asarray(1 - (apart if weights == "linear" else apart**2), dtype=np.float64)


def _kappas(
    tables: NDArray[np.float64], near: NDArray[np.float64]
) -> tuple[
    NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], NDArray[np.float64], NDArray[np.float64]
]:
    """Of many tables (float64[m, k, k]): kappa, defined, one rater constant, observed, expected."""
    n = tables.sum(axis=(1, 2))
    safe = np.maximum(n, 1)
    rows, cols = tables.sum(axis=2), tables.sum(axis=1)
    observed = (tables * near).sum(axis=(1, 2)) / safe
    expected = ((rows @ near) * cols).sum(axis=1) / safe**2
    constant = (rows.max(axis=1, initial=0) == n) | (cols.max(axis=1, initial=0) == n)
    # whole numbers: chance agreement is certain only when both raters name one and the same category
    defined = (n > 0) & ((rows * cols).sum(axis=1) != n * n)
    kappa = np.divide(observed - expected, 1 - expected, out=np.zeros_like(observed), where=defined)
    return kappa, defined, constant, observed, expected


def cohen_kappa(
    first: Sequence[Hashable | None],
    second: Sequence[Hashable | None],
    *,
    weights: Weights = "none",
    categories: Sequence[Hashable] | None = None,
    clusters: Sequence[Hashable] | None = None,
    level: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> Kappa:
    """Cohen's kappa of two raters over the same items: (p_o - p_e) / (1 - p_e).

    With ``linear`` or ``quadratic`` *weights*: 1 - sum w_ij p_ij / sum w_ij p_i. p_.j, w the distance
    (or its square) of positions in *categories* (given, or sorted). Items without both labels (None) are
    dropped and counted. Undefined when both named one and the same category throughout. When either
    rater is constant the value is 0 by algebra, kept and marked ``degenerate``: show the raw agreement.

    The interval is kappa +- z SE, clipped to [-1, 1], for independent items; with *clusters* the
    percentile bootstrap over them. SE by Fleiss, Cohen & Everitt 1969: with w_ij = 1 for agreement and
    w_i., w_.j its means, n (1-p_e)^4 Var = sum p_ij [w_ij (1-p_e) - (w_i. + w_.j)(1-p_o)]^2 -
    (p_o p_e - 2 p_e + p_o)^2.

    Source: Cohen 1960, 1968. Agrees with sklearn ``cohen_kappa_score`` and statsmodels ``cohens_kappa``.
    """
    if len(first) != len(second):
        raise InputError(f"{len(first)} labels against {len(second)}", mend="give two labels an item")
    code, names = coded(list(zip(first, second, strict=True)), categories)
    code = code.reshape(len(first), 2)
    near = _near(len(names), weights)
    both = (code >= 0).all(axis=1)
    n, k = int(both.sum()), len(names)
    cell = code[both, 0] * k + code[both, 1]
    table = np.bincount(cell, minlength=k * k).reshape(1, k, k).astype(np.float64)
    kappa, defined, constant, observed, expected = _kappas(table, near)
    point, reason = (float(kappa[0]), None) if n and defined[0] else (None, "no items")
    if n and point is None:
        reason = "both raters named one and the same category throughout"
    se, se_null = errors_of_table(table[0], near) if point is not None else (None, None)
    undefined, groups = 0, None
    if clusters is None:
        interval = _large_sample(point, se, level=level, reason=reason)
    else:
        at, _ = places(clusters, len(first))
        names_used, at = np.unique(at[both], return_inverse=True)
        groups = len(names_used)
        if point is None:
            interval = Interval(
                low=None,
                high=None,
                level=share(level, "level"),
                method="percentile bootstrap over clusters",
                reason=reason,
            )
        else:
            sums = np.bincount(at * k * k + cell, minlength=groups * k * k).reshape(groups, k * k)
            interval, undefined = interval_over(
                sums.astype(np.float64),
                lambda block: _kappas(block.reshape(len(block), k, k), near)[:2],
                of="clusters",
                level=level,
                resamples=resamples,
                seed=seed,
            )
    return Kappa(
        kappa=point,
        observed=float(observed[0]) if n else None,
        expected=float(expected[0]) if n else None,
        n=n,
        degenerate=not n or bool(constant[0]),
        interval=interval,
        se=se,
        se_null=se_null,
        dropped=len(first) - n,
        clusters=groups,
        undefined=undefined,
        reason=reason,
    )


def errors_of_table(table: NDArray[np.float64], near: NDArray[np.float64]) -> tuple[float, float]:
    """Large-sample standard errors of kappa, at the kappa seen and at 0. *table*: float64[k, k] counts."""
    n = float(table.sum())
    p = table / n
    row, col = p.sum(axis=1), p.sum(axis=0)
    seen, chance = float((near * p).sum()), float(row @ near @ col)
    mean = (near @ col)[:, None] + (row @ near)[None, :]
    spread = (p * (near * (1 - chance) - mean * (1 - seen)) ** 2).sum()
    spread -= (seen * chance - 2 * chance + seen) ** 2
    null = (np.outer(row, col) * (near - mean) ** 2).sum() - chance**2
    # rounding may leave a hair below zero when the raters agree throughout
    se = math.sqrt(max(0.0, float(spread)) / n) / (1 - chance) ** 2
    return se, math.sqrt(max(0.0, float(null)) / n) / (1 - chance)


def _large_sample(point: float | None, se: float | None, *, level: float, reason: str | None) -> Interval:
    method = "large sample (Fleiss, Cohen & Everitt)"
    if point is None or se is None:
        return Interval(low=None, high=None, level=share(level, "level"), method=method, reason=reason)
    reach = normal_quantile(1 - (1 - share(level, "level")) / 2) * se
    flags = ("zero_width",) if se <= TIE else ()
    return Interval(
        low=max(-1.0, point - reach), high=min(1.0, point + reach), level=level, method=method, flags=flags
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


def _tables(
    first: Sequence[Hashable], second: Sequence[Hashable], topic: Sequence[Hashable]
) -> NDArray[np.float64]:
    """float64[topics, k, k]: how often the first rater said i and the second j."""
    if not len(first) == len(second) == len(topic):
        raise InputError(
            f"{len(first)}, {len(second)} and {len(topic)} entries", mend="give one entry an item for each"
        )
    code, names = coded(list(zip(first, second, strict=True)))
    if (code < 0).any():
        raise InputError("a label is missing", mend="leave out items without both labels, and count them")
    at, topics = places(topic, len(first))
    k = max(1, len(names))
    cell = at * k * k + (code[:, 0] * k + code[:, 1] if len(first) else 0)
    return np.bincount(cell, minlength=topics * k * k).reshape(topics, k, k).astype(np.float64)


def kappa_by_topic(
    first: Sequence[Hashable],
    second: Sequence[Hashable],
    topic: Sequence[Hashable],
    *,
    level: float = 0.95,
    resamples: int = 10_000,
    seed: int = SEED,
) -> KappaByTopic:
    """Cohen's kappa with a percentile interval from resampling topics.

    Undefined resamples are dropped and counted; those where one rater is constant (kappa 0) are kept and
    counted apart. With fewer than two topics there is no interval. Source: Cohen 1960; Davison & Hinkley
    1997 for resampling whole topics.
    """
    tables = _tables(first, second, topic)
    if not len(tables):
        return _by_topic(tables, np.zeros((0, 0)), np.zeros(0), level=level, seed=seed)
    blocks = count_blocks(len(tables), resamples=resamples, seed=seed)
    drawn = np.concatenate([block @ tables.reshape(len(tables), -1) for _, block in blocks])
    return _by_topic(tables, drawn, np.ones(len(drawn)), level=level, seed=seed)


def kappa_by_topic_exact(
    first: Sequence[Hashable],
    second: Sequence[Hashable],
    topic: Sequence[Hashable],
    *,
    level: float = 0.95,
) -> KappaByTopic:
    """`kappa_by_topic` over all resamples of at most ten topics: no random numbers. Source: as there."""
    tables = _tables(first, second, topic)
    if not len(tables):
        return _by_topic(tables, np.zeros((0, 0)), np.zeros(0), level=level, seed=None)
    counts, weights = compositions(len(tables))
    return _by_topic(tables, counts @ tables.reshape(len(tables), -1), weights, level=level, seed=None)


def _by_topic(
    tables: NDArray[np.float64],
    drawn: NDArray[np.float64],
    weights: NDArray[np.float64],
    *,
    level: float,
    seed: int | None,
) -> KappaByTopic:
    topics, k = len(tables), tables.shape[1]
    share(level, "level")
    near = np.eye(k)
    whole = _kappas(tables.sum(axis=0, keepdims=True), near) if topics else None
    point = float(whole[0][0]) if whole is not None and whole[1][0] else None
    undefined = constant_only = 0
    low, high, reason = None, None, None
    if topics:
        kappa, defined, constant, _, _ = _kappas(drawn.reshape(len(drawn), k, k), near)
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
