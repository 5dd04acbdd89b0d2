"""False discovery among what passes: by threshold, role and type; macro and pooled, never mixed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from evenhand.metrics.threshold.pairs import Pairs, passes
from evenhand.stats.intervals.cluster_rates import cluster_rates
from evenhand.stats.intervals.proportion import wilson_design_effect
from evenhand.text.plural import many

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from evenhand.model.result import Interval
    from evenhand.stats.intervals.bootstrap import Resampled
    from evenhand.stats.intervals.proportion import DesignEffect

__all__ = ["GROUPS", "Passing", "passing"]

GROUPS = ("all", "role", "type", "role and type")


@dataclass(frozen=True, slots=True, kw_only=True)
class Passing:
    """What passes one threshold, of one group.

    ``pairs`` pass, ``n`` of them have a verdict, ``wrong`` of these cannot answer; ``questions`` have a pair
    that passes, ``sources`` one with a verdict, ``empty`` sources of the group have none of those.
    ``macro``: the mean of the rates of sources, sources resampled; ``pooled``: all pairs together, with
    Wilson's interval at the effective n; ``resampled``: the interval of the pooled rate by resampling
    sources. ``least`` and ``most``: the pooled rate, ``macro_least`` and ``macro_most`` the macro rate, if
    every pair without a verdict could answer, and if none could. ``sparse``: why it is too little to lean on,
    empty where it is not.
    """

    threshold: float
    by: str
    role: str
    type: str
    pairs: int
    n: int
    wrong: int
    questions: int
    sources: int
    empty: int
    macro: Resampled
    pooled: DesignEffect
    resampled: Interval
    least: float | None
    most: float | None
    macro_least: float | None
    macro_most: float | None
    sparse: tuple[str, ...]

    @property
    def undecided(self) -> int:
        """Pairs that pass and have no verdict."""
        return self.pairs - self.n


def passing(
    pairs: Pairs,
    grid: Sequence[float],
    *,
    groups: Sequence[str] = GROUPS,
    min_n: int = 30,
    min_sources: int = 10,
    level: float = 0.95,
    resamples: int = 10_000,
    seed: int = 20241009,
) -> list[Passing]:
    """The rates at each threshold of *grid* (rising), of all pairs and of each group that occurs.

    A group is of a content role, a question type, or both; one of which no pair occurs at all has no row, one
    of which none passes has a row without a rate. Linear in pairs times thresholds, beside the resampling,
    which all rates with as many sources share. Source: the definition; Davison & Hinkley 1997; Kish 1965.
    """
    cells = [cell for threshold in grid for by in groups for cell in _cells(pairs, threshold, by)]
    made = cluster_rates(
        [(cell.wrong_by, cell.decided_by) for cell in cells], level=level, resamples=resamples, seed=seed
    )
    rows = []
    for cell, found in zip(cells, made, strict=True):
        pooled = wilson_design_effect(cell.wrong_by, cell.decided_by, level=level)
        n, wrong, lost = (
            int(cell.decided_by.sum()),
            int(cell.wrong_by.sum()),
            cell.passed_by - cell.decided_by,
        )
        there = cell.passed_by > 0
        whole = int(cell.passed_by.sum())
        thin = [f"n {n:,} below {min_n:,}"] if n < min_n else []
        thin += (
            [f"{many(found.sources, 'source')}, below {min_sources:,}"] if found.sources < min_sources else []
        )
        rows.append(
            Passing(
                threshold=cell.threshold,
                by=cell.by,
                role=cell.role,
                type=cell.type,
                pairs=whole,
                n=n,
                wrong=wrong,
                questions=cell.questions,
                sources=found.sources,
                empty=cell.known - found.sources,
                macro=found.macro,
                pooled=pooled,
                resampled=found.pooled.interval,
                least=wrong / whole if whole else None,
                most=(wrong + whole - n) / whole if whole else None,
                macro_least=_mean(cell.wrong_by[there] / cell.passed_by[there]),
                macro_most=_mean((cell.wrong_by + lost)[there] / cell.passed_by[there]),
                sparse=tuple(thin),
            )
        )
    return rows


@dataclass(frozen=True, slots=True)
class _Cell:
    threshold: float
    by: str
    role: str
    type: str
    questions: int
    known: int  # sources of the group, whatever passes
    passed_by: NDArray[np.float64]  # pairs that pass, by source
    decided_by: NDArray[np.float64]
    wrong_by: NDArray[np.float64]


def _cells(pairs: Pairs, threshold: float, by: str) -> Iterator[_Cell]:
    """One pass over the pairs: counts by group and source at once."""
    names, at = _grouped(pairs, by)
    k = len(pairs.source_names)
    good = passes(pairs.score, threshold)

    def counted(mask: NDArray[np.bool_]) -> NDArray[np.float64]:
        flat = at[mask] * k + pairs.source_at[mask]
        return np.bincount(flat, minlength=len(names) * k).reshape(len(names), k).astype(np.float64)

    passed, decided, wrong = counted(good), counted(good & pairs.decided), counted(good & pairs.wrong)
    few = np.unique(np.stack([at[good], pairs.question_at[good]]), axis=1)[0]
    questions = np.bincount(few, minlength=len(names))
    every = counted(np.ones(len(pairs), dtype=bool)) > 0
    known = [k] if by == "all" else every.sum(axis=1).tolist()
    for i, (role, kind) in enumerate(names):
        yield _Cell(threshold, by, role, kind, int(questions[i]), known[i], passed[i], decided[i], wrong[i])


def _grouped(pairs: Pairs, by: str) -> tuple[list[tuple[str, str]], NDArray[np.int64]]:
    """Names (role, type) of the groups, and the group of each pair."""
    if by == "all":
        return [("", "")], np.zeros(len(pairs), dtype=np.int64)
    if by == "role":
        return [(name, "") for name in pairs.values("role")], pairs.at("role")
    if by == "type":
        return [("", name) for name in pairs.values("type")], pairs.at("type")
    kinds = pairs.values("type")
    both = pairs.at("role") * max(1, len(kinds)) + pairs.at("type")
    every = [(role, kind) for role in pairs.values("role") for kind in kinds]
    there = np.unique(both)
    return [every[i] for i in there.tolist()], np.searchsorted(there, both)


def _mean(values: NDArray[np.float64]) -> float | None:
    return float(values.mean()) if len(values) else None
