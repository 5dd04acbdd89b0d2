"""What raters said, in columns; and a coefficient of agreement with everything needed to believe it."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from evenhand.errors import InputError
from evenhand.model.result import Interval
from evenhand.stats.argument_checks import TIE, share
from evenhand.stats.intervals.resample import on_grid, resampled_sums

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["FEW_CLUSTERS", "Coefficient"]

FEW_CLUSTERS = 20  # below this a percentile interval over clusters is too narrow: flagged
MOST_UNDEFINED = 0.2  # above this share of resamples without a value there is no interval
RESAMPLES = 2_000
SEED = 20241009

Statistic = Callable[["NDArray[np.float64]"], "tuple[NDArray[np.float64], NDArray[np.bool_]]"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Coefficient:
    """A coefficient of agreement. ``degenerate``: a value by algebra, never to be printed as agreement."""

    value: float | None
    interval: Interval
    n: int  # items it rests on
    dropped: int = 0  # items with too few labels
    clusters: int | None = None  # None: the items are independent
    observed: float | None = None  # agreement seen
    expected: float | None = None  # agreement by chance
    degenerate: bool = False
    reason: str | None = None  # why there is no value
    resamples: int | None = None
    undefined: int = 0  # resamples without a value
    seed: int | None = None


def coded(
    ratings: Sequence[Sequence[Hashable | None]],
    categories: Sequence[Hashable] | None = None,
    *,
    measured: bool = False,
) -> tuple[NDArray[np.int64], tuple[Hashable, ...]]:
    """Labels as int64[items, raters] (-1: no label) and the categories, in the order given or sorted.

    A label outside declared *categories* is refused: count it as missing, or clamp it, before. Without them
    numbers and words are no one scale, and neither are the labels of a rater who has none in common with the
    others (scores beside grades), unless they are *measured* values.
    """
    width = len(ratings[0]) if len(ratings) else 0
    if any(len(row) != width for row in ratings):
        raise InputError(
            "the ratings are not a table", mend="give each item one entry a rater, None where there is none"
        )
    seen = dict.fromkeys(label for row in ratings for label in row if label is not None)
    if any(isinstance(label, float) and not math.isfinite(label) for label in seen):
        raise InputError("a label is NaN or infinite", mend="give None where a rater gave no label")
    if categories is None:
        _one_scale(ratings, seen, width, measured=measured)
        try:
            names: tuple[Hashable, ...] = tuple(sorted(seen))  # type: ignore[type-var]
        except TypeError:
            names = tuple(seen)
    else:
        names = tuple(dict.fromkeys(categories))
        odd = [label for label in seen if label not in set(names)]
        if odd:
            raise InputError(
                f"label {odd[0]!r} is not among the categories",
                mend="count it as missing (None), or declare it",
            )
    place = {label: i for i, label in enumerate(names)}
    flat = [-1 if label is None else place[label] for row in ratings for label in row]
    return np.array(flat, dtype=np.int64).reshape(len(ratings), width), names


def _one_scale(
    ratings: Sequence[Sequence[Hashable | None]], seen: Iterable[Hashable], width: int, *, measured: bool
) -> None:
    """Refuses labels that cannot be of one scale."""
    words = [label for label in seen if isinstance(label, str)]
    others = [label for label in seen if not isinstance(label, str)]
    if words and others:
        raise InputError(
            f"labels are words ({words[0]!r}) and others ({others[0]!r}): no one scale",
            mend="give all labels in one form",
        )
    if measured or width < 2:
        return
    given = [{row[i] for row in ratings} - {None} for i in range(width)]
    for i, own in enumerate(given):
        rest = set().union(*given[:i], *given[i + 1 :])
        if len(own) > 1 and len(rest) > 1 and not own & rest:
            shown = [", ".join(sorted(map(repr, labels))[:3]) for labels in (own, rest)]
            raise InputError(
                f"rater {i + 1} has no label in common with the others ({shown[0]} against {shown[1]}): "
                "no one scale",
                mend="cut scores into the grades of the others before, or declare the categories",
            )


def yes_of(code: NDArray[np.int64], names: Sequence[Hashable], positive: Hashable) -> NDArray[np.bool_]:
    """Where codes say *positive*. All others must be the one other label: beside 1 that is 0."""
    others = [name for name in names if name != positive]
    odd = [name for name in others if name != 0] if positive == 1 else others[1:]
    if odd:
        no = "0" if positive == 1 else repr(others[0])
        raise InputError(
            f"label {odd[0]!r} is neither yes ({positive!r}) nor no ({no})",
            mend="cut grades and scores into two labels before, by a rule that you can name",
        )
    return np.asarray(code == (names.index(positive) if positive in names else -2))


def tallies(code: NDArray[np.int64], k: int) -> NDArray[np.float64]:
    """How many raters put each item into each category: float64[items, k]."""
    n, raters = code.shape
    table = np.zeros((n, k))
    for rater in range(raters):
        given = np.flatnonzero(code[:, rater] >= 0)
        table[given, code[given, rater]] += 1
    return table


def values_of(categories: Sequence[Hashable]) -> NDArray[np.float64]:
    """Categories as numbers: themselves when all are numbers, else their positions."""
    if all(isinstance(c, int | float | np.number) for c in categories):
        return np.array(categories, dtype=np.float64)
    return np.arange(len(categories), dtype=np.float64)


def likeness(
    categories: Sequence[Hashable], weights: Literal["identity", "linear", "quadratic", "ordinal"]
) -> NDArray[np.float64]:
    """Weights float64[k, k]: 1 for the same category, less the further apart two are."""
    k = len(categories)
    if weights == "identity" or k < 2:
        return np.eye(k)
    apart = np.abs(np.subtract.outer(np.arange(k), np.arange(k)))
    if weights == "ordinal":
        return np.asarray(1 - apart * (apart + 1) / (k * (k - 1)), dtype=np.float64)
    x = values_of(categories)
    gap = np.abs(np.subtract.outer(x, x)) / (x.max() - x.min())
    if weights == "linear":
        return np.asarray(1 - gap, dtype=np.float64)
    if weights == "quadratic":
        return np.asarray(1 - gap**2, dtype=np.float64)
    raise InputError(f"weights is {weights!r}", mend="use identity, linear, quadratic or ordinal")


def places(clusters: Sequence[Hashable] | None, n: int) -> tuple[NDArray[np.int64], int]:
    """The cluster of each of *n* items as a number, and how many there are; None: each item its own."""
    if clusters is None:
        return np.arange(n), n
    if len(clusters) != n:
        raise InputError(f"{len(clusters)} clusters for {n} items", mend="name one cluster an item")
    place = {name: i for i, name in enumerate(dict.fromkeys(clusters))}
    return np.array([place[name] for name in clusters], dtype=np.int64), len(place)


def kept_of(clusters: Sequence[Hashable] | None, kept: ArrayLike) -> list[Hashable] | None:
    """The clusters of the items that are *kept*; None stays None."""
    if clusters is None:
        return None
    mask = np.asarray(kept, dtype=bool)
    if len(clusters) != len(mask):
        raise InputError(f"{len(clusters)} clusters for {len(mask)} items", mend="name one cluster an item")
    return [clusters[i] for i in np.flatnonzero(mask).tolist()]


def by_cluster(columns: NDArray[np.float64], at: NDArray[np.int64], k: int) -> NDArray[np.float64]:
    """Sums of each column (float64[n, c]) within each of *k* clusters: float64[k, c]."""
    found = np.empty((k, columns.shape[1]))
    for j in range(columns.shape[1]):
        found[:, j] = np.bincount(at, weights=columns[:, j], minlength=k)
    return found


def totals(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """The sum over clusters, float64[1, c], added without rounding."""
    grid, step = on_grid(sums)
    return np.asarray((grid.sum(axis=0) * step)[None, :], dtype=np.float64)


def interval_over(
    sums: NDArray[np.float64],
    statistic: Statistic,
    *,
    of: str,
    level: float,
    resamples: int,
    seed: int,
) -> tuple[Interval, int]:
    """The percentile interval of a *statistic* of sums over clusters, and how many resamples had no value.

    *sums*: float64[clusters, c]. *statistic*: float64[b, c] -> values float64[b], defined bool[b].
    """
    clusters, tail = len(sums), (1 - share(level, "level")) / 2
    method = f"percentile bootstrap over {of}"
    if clusters < 2:
        reason = f"only one of the {of}" if clusters else "no items"
        return Interval(low=None, high=None, level=level, method=method, reason=reason), 0
    parts, undefined = [], 0
    for block in resampled_sums(sums, resamples=resamples, seed=seed):
        value, defined = statistic(block)
        parts.append(value[defined])
        undefined += int((~defined).sum())
    found = np.concatenate(parts)
    if undefined > MOST_UNDEFINED * resamples:
        reason = f"{undefined} of {resamples} resamples have no value"
        return Interval(low=None, high=None, level=level, method=method, reason=reason), undefined
    low, high = (float(q) for q in np.quantile(found, [tail, 1 - tail]))
    flags = ((f"few_{of}",) if clusters < FEW_CLUSTERS else ()) + (
        ("zero_width",) if high - low <= TIE else ()
    )
    return Interval(low=low, high=high, level=level, method=method, flags=flags), undefined


def coefficient(
    columns: NDArray[np.float64],
    statistic: Statistic,
    *,
    clusters: Sequence[Hashable] | None,
    level: float,
    resamples: int,
    seed: int,
    n: int,
    dropped: int = 0,
    observed: float | None = None,
    expected: float | None = None,
    degenerate: bool = False,
    reason: str,
) -> Coefficient:
    """A coefficient that is a *statistic* of sums of *columns* (float64[n, c]) over items.

    Items that share a cluster are resampled together. *reason* is given when there is no value.
    """
    at, k = places(clusters, len(columns))
    used = columns.any(axis=1)
    if clusters is None:
        sums = columns[used]
        k = len(sums)
    else:
        # a cluster without a usable item is none
        renumbered, at = np.unique(at[used], return_inverse=True)
        k = len(renumbered)
        sums = by_cluster(columns[used], at, k)
    of = "items" if clusters is None else "clusters"
    value, defined = statistic(totals(sums)) if k else (np.zeros(1), np.zeros(1, dtype=bool))
    point = float(value[0]) if defined[0] else None
    if point is None:
        why = reason if len(columns) else "no items"
        method = f"percentile bootstrap over {of}"
        interval, undefined, drawn = (
            Interval(low=None, high=None, level=share(level, "level"), method=method, reason=why),
            0,
            None,
        )
    else:
        why = None
        interval, undefined = interval_over(
            sums, statistic, of=of, level=level, resamples=resamples, seed=seed
        )
        drawn = resamples
    return Coefficient(
        value=point,
        interval=interval,
        n=n,
        dropped=dropped,
        clusters=None if clusters is None else k,
        observed=observed,
        expected=expected,
        degenerate=degenerate,
        reason=why,
        resamples=drawn,
        undefined=undefined,
        seed=seed if drawn else None,
    )
