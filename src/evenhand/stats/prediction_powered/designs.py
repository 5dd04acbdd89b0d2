"""Prediction-powered means of other designs: strata, clusters, several judges, unequal chances of a label."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from evenhand.errors import InputError
from evenhand.stats.agreement.raters import places
from evenhand.stats.argument_checks import column, within
from evenhand.stats.intervals.bootstrap import mean
from evenhand.stats.prediction_powered.core import Convention, Powered, error, packed, rules, spread, tuned

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["ppi_several_judges", "ppi_stratified"]


def labels_of(
    human: Sequence[float | None], n: int, bounds: tuple[float, float] | None = None
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Human labels (0 where there is none) and which items have one; none may lie outside *bounds*."""
    if len(human) != n:
        raise InputError(
            f"{len(human)} human labels for {n} items", mend="give one an item, None for no label"
        )
    given = np.array([label is not None for label in human], dtype=bool)
    found = column([0.0 if label is None else label for label in human], "human")
    within(found[given], bounds, "human")
    return found, given


def ppi_stratified(
    human: Sequence[float | None],
    judge: ArrayLike,
    stratum: Sequence[Hashable],
    *,
    lam: float | None = None,
    convention: Convention = "ppi_py",
    level: float = 0.95,
    min_labels: int = 5,
    merge: bool = True,
    bounds: tuple[float, float] | None = None,
) -> Powered:
    """The mean over strata, each with its own lambda: theta = sum w_k theta_k, SE^2 = sum w_k^2 SE_k^2.

    w_k is the stratum's share of all items. *human*: None where there is no label. Strata with fewer than
    *min_labels* human labels are put together (flag ``merged_strata``), with the smallest other one if
    that is still too few. People may have labelled strata at different rates; within one, at random. Where
    the chances of a label differ between strata, two of them together are no random sample: with *merge*
    off a stratum of too few labels leaves the whole undefined.
    A stratum of a few labels that are all alike counts as without spread: in simulated studies with two
    strata 95% intervals held the truth in 70% with 12 labels in all, in 89% with 40, in 94% with 100.
    For judges the best strata are "panel unanimous" and "panel split".

    Source: Fisch et al. 2024; Fogliato et al. 2024. Agrees with glide ``StratifiedPPIMeanEstimator``.
    """
    f = column(judge, "judge")
    y, given = labels_of(human, len(f), bounds)
    within(f, bounds, "judge")
    at, merged = _merged(stratum, given, min_labels) if merge else (places(stratum, len(f))[0], False)
    if given.any() and not merge and np.bincount(at, weights=given).min() < min_labels:
        return _bare(
            f"a stratum has fewer than {min_labels} labels",
            labels=int(given.sum()),
            rest=int((~given).sum()),
            judge=mean(f),
            level=level,
        )
    ddof, clip = rules(convention)
    point = square = plain = plain_square = 0.0
    lams: list[float] = []
    for k in range(int(at.max(initial=-1)) + 1):
        here = at == k
        a, b, rest = y[here & given], f[here & given], f[here & ~given]
        if len(a) < 2:
            return packed(
                None if not given.any() else mean(y[given]),
                None,
                mean(y[given]),
                None,
                mean(f),
                lam=None,
                n=int(given.sum()),
                rest=int((~given).sum()),
                level=level,
                method="stratified PPI++",
            )
        one = tuned(a, b, rest, ddof=ddof, clip=clip) if lam is None else float(lam) if len(rest) else 0.0
        w = float(here.mean())
        point += w * (one * (mean(rest) or 0.0) + (mean(a - one * b) or 0.0))
        square += w * w * error(a, b, rest, lam=one, ddof=ddof)
        plain += w * (mean(a) or 0.0)
        plain_square += w * w * spread(a, ddof) / len(a)
        lams.append(one)
    return packed(
        point if lams else None,
        math.sqrt(square),
        plain if lams else None,
        math.sqrt(plain_square),
        mean(f),
        lam=tuple(lams),
        n=int(given.sum()),
        rest=int((~given).sum()),
        level=level,
        bounds=bounds,
        method="stratified PPI++" if lam is None else f"stratified PPI, l = {lam:g}",
        flags=("merged_strata",) if merged else (),
    )


def _bare(why: str, *, labels: int, rest: int, judge: float | None, level: float) -> Powered:
    """An estimate that is not there, and why."""
    none = packed(
        None, None, None, None, judge, lam=None, n=labels, rest=rest, level=level, method="stratified PPI++"
    )
    return replace(none, reason=why, interval=replace(none.interval, reason=why))


def _merged(
    stratum: Sequence[Hashable], given: NDArray[np.bool_], min_labels: int
) -> tuple[NDArray[np.int64], bool]:
    """Strata as numbers, those of too few labels put together."""
    at, k = places(stratum, len(given))
    labels = np.bincount(at[given], minlength=k)
    small = np.flatnonzero(labels < max(2, min_labels))
    if not len(small) or k < 2:
        return at, False
    if labels[small].sum() < max(2, min_labels):
        others = np.setdiff1d(np.arange(k), small)
        small = np.append(small, others[np.argsort(labels[others], kind="stable")][:1])
    if len(small) < 2:
        return at, False
    at = np.where(np.isin(at, small), small[0], at)
    return np.unique(at, return_inverse=True)[1].astype(np.int64), True


def ppi_several_judges(
    human: Sequence[float | None],
    judges: ArrayLike,
    *,
    convention: Convention = "ppi_py",
    level: float = 0.95,
    bounds: tuple[float, float] | None = None,
) -> Powered:
    """The mean human label from several judges at once, without collapsing them to a majority.

    *judges*: float64[items, judges]. l = (S (1 + n/N))^-1 c, S the covariance of the judges over all
    items, c theirs with the human labels. Judges that repeat one another share their weight (flag
    ``collinear_judges``); the weights are not clipped. In simulated studies with three judges 95% intervals
    held the truth in 84% with 12 labels, in 91% with 40, in 94% with 100; in 81 to 85% where items come in
    clusters of five, which it ignores. Source: Angelopoulos, Duchi & Zrnic 2023, with a vector. Agrees with
    glide ``MultiPPIMeanEstimator``.
    """
    given_by = np.asarray(judges)
    if given_by.ndim != 2:
        raise InputError("the judges are not a table", mend="give one row an item, one column a judge")
    flat = column(given_by.ravel(), "judges")
    within(flat, bounds, "judges")
    table: NDArray[np.float64] = flat.reshape(given_by.shape)
    y, given = labels_of(human, len(table), bounds)
    ddof, _ = rules(convention)
    a, b, rest = y[given], table[given], table[~given]
    n, m = len(a), len(rest)
    weights = np.zeros(table.shape[1])
    flags: tuple[str, ...] = ()
    if n > 1 and m:
        centred = table - table.mean(axis=0)
        own = centred.T @ centred / (len(table) - 1)
        together = (b - b.mean(axis=0)).T @ (a - a.mean()) / (n - ddof)
        weights, _, rank, _ = np.linalg.lstsq(own, together, rcond=1e-10)
        weights = weights * (m / (n + m))
        flags = ("collinear_judges",) if rank < len(weights) else ()
    mixed, mixed_rest = b @ weights, rest @ weights
    plain = mean(a)
    return packed(
        None if plain is None else (mean(mixed_rest) or 0.0) + (mean(a - mixed) or 0.0),
        math.sqrt(error(a, mixed, mixed_rest, lam=1.0, ddof=ddof)) if n > 1 else None,
        plain,
        math.sqrt(spread(a, ddof) / n) if n > 1 else None,
        mean(table.mean(axis=1)) if table.shape[1] else None,
        lam=tuple(weights.tolist()),
        n=n,
        rest=m,
        level=level,
        bounds=bounds,
        method="PPI++ with several judges",
        flags=flags,
    )
