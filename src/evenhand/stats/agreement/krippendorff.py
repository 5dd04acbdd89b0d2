"""Krippendorff's alpha: agreement of any number of raters, any missing labels, any scale."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np

from evenhand.errors import InputError
from evenhand.stats.agreement.raters import (
    RESAMPLES,
    SEED,
    Coefficient,
    coded,
    coefficient,
    tallies,
    values_of,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from evenhand.stats.agreement.raters import Statistic

__all__ = ["krippendorff_alpha"]

Scale = Literal["nominal", "ordinal", "interval", "ratio"]
CELLS = 30_000_000  # numbers in the table of coincidences by item


def krippendorff_alpha(
    ratings: Sequence[Sequence[Hashable | None]],
    *,
    scale: Scale = "nominal",
    categories: Sequence[Hashable] | None = None,
    clusters: Sequence[Hashable] | None = None,
    level: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> Coefficient:
    """Krippendorff's alpha of *ratings* (one row an item, one entry a rater, None: no label).

    Coincidences o_ck = sum over items of ordered pairs (c, k) / (m_u - 1), items with fewer than two
    labels left out; n_c = sum_k o_ck, n = sum n_c; alpha = 1 - (n - 1) sum o_ck d2_ck / sum n_c n_k d2_ck.
    d2: nominal 1[c != k]; interval (c - k)^2; ratio ((c - k)/(c + k))^2; ordinal (F_c - F_k)^2 with F_c =
    sum_{g<c} n_g + n_c / 2, in the order of *categories*. Undefined when no two labels differ. Percentile
    interval over clusters, or over items when they are independent; in simulated studies those called 95%
    held the truth in 89% with 12 items and in 86 to 88% with 8 clusters of five.

    Source: Krippendorff 2011 ("Computing Krippendorff's alpha-reliability"). Agrees with ``krippendorff``.
    """
    if scale not in ("nominal", "ordinal", "interval", "ratio"):
        raise InputError(f"scale is {scale!r}", mend="use nominal, ordinal, interval or ratio")
    code, names = coded(ratings, categories, measured=scale in {"interval", "ratio"})
    table = tallies(code, len(names))
    given = table.sum(axis=1)
    pairable = given >= 2
    table = table * pairable[:, None]
    if scale == "ordinal":
        columns, statistic = _ordinal(table)
    else:
        columns, statistic = _metric(table, _distances(names, scale))
    return coefficient(
        columns,
        statistic,
        clusters=clusters,
        level=level,
        resamples=resamples,
        seed=seed,
        n=int(pairable.sum()),
        dropped=int((~pairable).sum()),
        reason="all labels are one and the same category" if pairable.any() else "no item has two labels",
    )


def _distances(names: Sequence[Hashable], scale: Scale) -> NDArray[np.float64]:
    k = len(names)
    if scale == "nominal":
        return np.asarray(1.0 - np.eye(k))
    if not all(isinstance(name, int | float | np.number) for name in names):
        raise InputError(f"labels are not numbers, and the scale is {scale}", mend="use nominal or ordinal")
    x = values_of(names)
    gap = np.subtract.outer(x, x)
    if scale == "interval":
        return np.asarray(gap**2)
    if (x < 0).any():
        raise InputError("a ratio scale has no labels below 0", mend="use interval")
    both = np.add.outer(x, x)
    return np.asarray(np.divide(gap, both, out=np.zeros_like(gap), where=both > 0) ** 2)


def _metric(table: NDArray[np.float64], d2: NDArray[np.float64]) -> tuple[NDArray[np.float64], Statistic]:
    """Distances that do not depend on the sample: one number of disagreement an item, and its tallies."""
    given = table.sum(axis=1)
    apart = ((table @ d2) * table).sum(axis=1)
    apart = np.divide(apart, given - 1, out=np.zeros(len(table)), where=given >= 2)

    def statistic(sums: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        return _alpha(sums[:, 0], sums[:, 1:], ((sums[:, 1:] @ d2) * sums[:, 1:]).sum(axis=1))

    return np.column_stack([apart, table]), statistic


def _ordinal(table: NDArray[np.float64]) -> tuple[NDArray[np.float64], Statistic]:
    """Distances by rank, which change with every resample: all coincidences of an item are kept."""
    n, k = table.shape
    upper = np.triu_indices(k, 1)
    if n * (len(upper[0]) + k) > CELLS:
        raise InputError(
            f"{k} categories on {n} items are too many for ordinal ranks", mend="use interval, or group them"
        )
    given = table.sum(axis=1)
    weight = np.divide(2.0, given - 1, out=np.zeros(n), where=given >= 2)
    pairs = table[:, upper[0]] * table[:, upper[1]] * weight[:, None]

    def statistic(sums: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        o, counts = sums[:, : len(upper[0])], sums[:, len(upper[0]) :]
        rank = np.cumsum(counts, axis=1) - counts / 2
        d2 = (rank[:, upper[0]] - rank[:, upper[1]]) ** 2
        expected = 2 * (counts[:, upper[0]] * counts[:, upper[1]] * d2).sum(axis=1)
        return _alpha((o * d2).sum(axis=1), counts, expected)

    return np.column_stack([pairs, table]), statistic


def _alpha(
    observed: NDArray[np.float64], counts: NDArray[np.float64], expected: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    defined = ((counts > 0).sum(axis=1) > 1) & (expected > 0)
    n = counts.sum(axis=1)
    ratio = np.divide((n - 1) * observed, expected, out=np.zeros(len(n)), where=defined)
    return 1 - ratio, defined
