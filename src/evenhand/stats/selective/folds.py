"""Folds for cross-validation: whole clusters, seeded."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from evenhand.errors import InputError
from evenhand.stats.agreement.raters import places
from evenhand.stats.argument_checks import yes_no
from evenhand.stats.sampling.seeds import stream

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["folds_by_cluster"]


def folds_by_cluster(
    labels: ArrayLike, clusters: Sequence[Hashable] | None, *, folds: int, seed: int
) -> NDArray[np.int64]:
    """The fold (0..folds-1) of each item; no cluster is in two, and both labels are spread.

    *labels*: 0 or 1. Clusters in a random order, the larger first, each go to the fold that then has the
    fewest of the label the cluster holds most of, ties to the fold with the fewest items, then to the first.
    Source: the usual stratified group folds, greedily.
    """
    y = yes_no(labels)
    at, k = places(clusters, len(y))
    if not 2 <= folds <= k:
        raise InputError(
            f"{folds} folds of {k} clusters",
            mend="give 2 folds or more, at most as many as there are clusters of questions",
        )
    counts = np.zeros((k, 2), dtype=np.int64)
    np.add.at(counts, (at, y.astype(np.int64)), 1)
    shuffled = stream(seed, "folds").permutation(k)
    order = shuffled[np.argsort(-counts[shuffled].sum(axis=1), kind="stable")]
    held = np.zeros((folds, 2), dtype=np.int64)
    fold = np.zeros(k, dtype=np.int64)
    for one in order.tolist():
        most = int(counts[one, 1] >= counts[one, 0])
        chosen = min(range(folds), key=lambda f: (held[f, most], held[f].sum(), f))
        fold[one] = chosen
        held[chosen] += counts[one]
    return fold[at]
