"""How often raters agree, how often one who looks at nothing would, and on which side they differ."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from evenhand.errors import InputError
from evenhand.model.result import Interval
from evenhand.stats.agreement.kappa import cohen_kappa, kappa_by_topic, kappa_by_topic_exact
from evenhand.stats.agreement.raters import (
    RESAMPLES,
    SEED,
    Coefficient,
    coded,
    coefficient,
    kept_of,
    tallies,
    yes_of,
)
from evenhand.stats.intervals.proportion import wilson

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from evenhand.stats.agreement.raters import Statistic

__all__ = [
    "Pair",
    "Panel",
    "Sides",
    "cohen_kappa",
    "kappa_by_topic",
    "kappa_by_topic_exact",
    "no_skill_agreement",
    "panel",
    "raw_agreement",
    "sides",
]


def ratio(top: int, bottom: int) -> Statistic:
    """The statistic column *top* over column *bottom* of sums, undefined where that is 0."""

    def statistic(sums: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        defined = sums[:, bottom] > 0
        return np.divide(sums[:, top], sums[:, bottom], out=np.zeros(len(sums)), where=defined), defined

    return statistic


def share_of(
    hits: NDArray[np.bool_],
    *,
    clusters: Sequence[Hashable] | None,
    level: float,
    resamples: int,
    seed: int,
    dropped: int = 0,
    reason: str = "no items",
) -> Coefficient:
    """The share of items that hit: Wilson when items are independent, else clusters resampled whole."""
    n, k = len(hits), int(hits.sum())
    if clusters is None:
        return Coefficient(
            value=k / n if n else None,
            interval=wilson(k, n, level=level),
            n=n,
            dropped=dropped,
            observed=k / n if n else None,
            reason=None if n else reason,
        )
    return coefficient(
        np.column_stack([hits, np.ones(n)]).astype(np.float64),
        ratio(0, 1),
        clusters=clusters,
        level=level,
        resamples=resamples,
        seed=seed,
        n=n,
        dropped=dropped,
        observed=k / n if n else None,
        reason=reason,
    )


def both_given(
    first: Sequence[Hashable | None],
    second: Sequence[Hashable | None],
    clusters: Sequence[Hashable] | None,
) -> tuple[NDArray[np.int64], tuple[Hashable, ...], Sequence[Hashable] | None]:
    """Codes (int64[n, 2]) and clusters of the items that have both labels, and the categories."""
    if len(first) != len(second) or (clusters is not None and len(clusters) != len(first)):
        raise InputError(
            f"{len(first)} labels against {len(second)}", mend="give two labels (and a cluster) an item"
        )
    code, names = coded(list(zip(first, second, strict=True)))
    code = code.reshape(len(first), 2)
    kept = (code >= 0).all(axis=1)
    return code[kept], names, kept_of(clusters, kept)


def raw_agreement(
    first: Sequence[Hashable | None],
    second: Sequence[Hashable | None],
    *,
    clusters: Sequence[Hashable] | None = None,
    level: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> Coefficient:
    """The share of items on which two raters gave the same label; those without both are dropped, counted.

    Wilson's interval for independent items; with *clusters* (queries, say) the percentile bootstrap that
    resamples them whole. Never alone: `no_skill_agreement` says what a constant rater would reach.
    Source: the definition; the interval by Wilson 1927 or Davison & Hinkley 1997.
    """
    code, _, clusters = both_given(first, second, clusters)
    return share_of(
        code[:, 0] == code[:, 1],
        clusters=clusters,
        level=level,
        resamples=resamples,
        seed=seed,
        dropped=len(first) - len(code),
    )


def no_skill_agreement(
    human: Sequence[Hashable | None],
    *,
    clusters: Sequence[Hashable] | None = None,
    level: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> Coefficient:
    """The agreement that a judge reaches who always names the most frequent label: max(p, 1 - p) for two.

    An agreement below it is worse than not looking. Source: the definition; 73% on the LLMJudge labels.
    """
    code, names = coded([[label] for label in human])
    counts = np.bincount(code[code >= 0], minlength=max(1, len(names)))
    kept = code[:, 0] >= 0 if len(code) else np.zeros(0, dtype=bool)
    return share_of(
        code[kept, 0] == int(counts.argmax()) if len(code) else np.zeros(0, dtype=bool),
        clusters=kept_of(clusters, kept),
        level=level,
        resamples=resamples,
        seed=seed,
        dropped=len(human) - int(kept.sum()),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Sides:
    """Agreement by side: on the items that either calls yes, and on those that either calls no."""

    positive: Coefficient
    negative: Coefficient


def sides(
    first: Sequence[Hashable | None],
    second: Sequence[Hashable | None],
    *,
    positive: Hashable = 1,
    clusters: Sequence[Hashable] | None = None,
    level: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> Sides:
    """Positive agreement 2TP / (2TP + FP + FN) and negative agreement 2TN / (2TN + FP + FN).

    Yes is *positive*, no the one other label (beside 1: 0); a third is refused. Each is undefined when
    neither rater used its side. The positive one is F1 of first against second. Percentile interval over
    items, or over *clusters*.
    Source: Spitzer & Fleiss 1974; Cicchetti & Feinstein 1990.
    """
    code, names, clusters = both_given(first, second, clusters)
    yes = yes_of(code, names, positive)
    a, b = yes[:, 0], yes[:, 1]
    found = []
    for one, other, word in ((a, b, "yes"), (~a, ~b, "no")):
        twice, used = 2.0 * (one & other), one.astype(np.float64) + other
        n = int((used > 0).sum())
        found.append(
            coefficient(
                np.column_stack([twice, used]),
                ratio(0, 1),
                clusters=clusters,
                level=level,
                resamples=resamples,
                seed=seed,
                n=n,
                dropped=len(first) - len(code),
                reason=f"neither rater said {word}",
            )
        )
    return Sides(positive=found[0], negative=found[1])


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two raters of a panel on the items that both labelled."""

    first: int
    second: int
    n: int
    agree: int
    agreement: float | None
    interval: Interval  # Wilson


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """A panel over its items."""

    unanimous: float | None  # share of the complete items on which all agree
    mean_pairwise: float | None  # mean over pairs of raters of their agreement
    majority: tuple[Hashable | None, ...]  # by item; None without a strict majority of the valid labels
    complete: int  # items with every label
    incomplete: int
    pooled_pairwise: float | None  # agreeing pairs of labels / pairs of labels
    pairs: tuple[Pair, ...]
    unanimity: Coefficient
    pairwise: Coefficient  # of mean_pairwise


def panel(
    votes: Sequence[Sequence[Hashable | None]],
    *,
    clusters: Sequence[Hashable] | None = None,
    level: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> Panel:
    """Unanimity, pairwise agreement and the majority of two judges or more.

    *votes*: one row an item, one entry a judge, None where there is no valid label. Unanimity is over the
    items with all labels (both counts are given); a pair is over the items that both labelled; the mean
    is over pairs that share an item. The majority is strict among the valid labels of an item, and needs
    two. For three judges and two categories mean pairwise = (1 + 2 unanimous) / 3. Intervals: Wilson for
    shares of independent items, else percentile over items or *clusters*. Source: the definitions; mean
    pairwise agreement is the observed part of Fleiss 1971 when no label is missing.
    """
    code, names = coded(votes)
    n, judges = code.shape
    if n and judges < 2:
        raise InputError("the panel has one judge", mend="give every item one entry of each of two or more")
    whole = (code >= 0).all(axis=1) if n else np.zeros(0, dtype=bool)
    same = (code == code[:, :1]).all(axis=1) if n else np.zeros(0, dtype=bool)
    options = {"level": level, "resamples": resamples, "seed": seed}
    unanimity = share_of(
        same[whole],
        clusters=kept_of(clusters, whole),
        dropped=int((~whole).sum()),
        reason="no item has all labels" if n else "no items",
        level=level,
        resamples=resamples,
        seed=seed,
    )
    duos = list(combinations(range(judges), 2))
    given = [(code[:, i] >= 0) & (code[:, j] >= 0) for i, j in duos]
    agree = [both & (code[:, i] == code[:, j]) for both, (i, j) in zip(given, duos, strict=True)]
    columns = np.column_stack([*agree, *given]).astype(np.float64) if n else np.zeros((0, 2))
    pairs = tuple(
        Pair(
            first=i,
            second=j,
            n=int(both.sum()),
            agree=int(yes.sum()),
            agreement=int(yes.sum()) / int(both.sum()) if both.any() else None,
            interval=wilson(int(yes.sum()), int(both.sum()), level=level),
        )
        for (i, j), both, yes in zip(duos, given, agree, strict=True)
    )
    labels, hits = sum(pair.n for pair in pairs), sum(pair.agree for pair in pairs)
    pairwise = coefficient(
        columns,
        _mean_of_ratios,
        clusters=clusters,
        n=int(columns[:, len(duos) :].any(axis=1).sum()) if n else 0,
        dropped=int((~columns[:, len(duos) :].any(axis=1)).sum()) if n else 0,
        reason="no item has two labels",
        **options,  # type: ignore[arg-type]
    )
    return Panel(
        unanimous=unanimity.value,
        mean_pairwise=math.fsum(p.agreement for p in pairs if p.agreement is not None)
        / sum(p.agreement is not None for p in pairs)
        if labels
        else None,
        majority=_majorities(code, names),
        complete=int(whole.sum()),
        incomplete=int((~whole).sum()),
        pooled_pairwise=hits / labels if labels else None,
        pairs=pairs,
        unanimity=unanimity,
        pairwise=pairwise,
    )


def _mean_of_ratios(sums: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    half = sums.shape[1] // 2
    top, below = sums[:, :half], sums[:, half:]
    shares = np.divide(top, below, out=np.zeros_like(top), where=below > 0)
    used = (below > 0).sum(axis=1)
    return np.divide(shares.sum(axis=1), used, out=np.zeros(len(sums)), where=used > 0), used > 0


def _majorities(code: NDArray[np.int64], names: tuple[Hashable, ...]) -> tuple[Hashable | None, ...]:
    if not code.size or not names:
        return (None,) * len(code)
    table = tallies(code, len(names))
    given, top = table.sum(axis=1), table.argmax(axis=1)
    won = (given >= 2) & (2 * table.max(axis=1) > given)
    return tuple(names[i] if yes else None for i, yes in zip(top.tolist(), won.tolist(), strict=True))
