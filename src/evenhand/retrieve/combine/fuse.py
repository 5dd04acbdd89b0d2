"""One ranking from several: reciprocal ranks, or normalised scores."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from evenhand.errors import InputError, nearest
from evenhand.model.run import Run
from evenhand.protocols import Progress, quiet

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from evenhand.model.gold import GoldSet
    from evenhand.store.blobs import Blobs

__all__ = ["METHODS", "NORMS", "Fusion", "fuse", "identical", "normalise", "rrf"]

METHODS = ("rrf", "combsum", "combmnz")
NORMS = ("minmax", "max", "sum", "zscore")
HUGE = 1e150  # scores from which differences and squares could be infinite
DECIMALS = 12  # fused scores are compared after rounding to this


def normalise(score: NDArray[np.float64], norm: str) -> NDArray[np.float64]:
    """Bring the scores of one ranking to a common scale; a list of equal scores becomes zeros.

    ``minmax``: (s − min) / (max − min); ``max``: s / max |s|; ``sum``: shifted to a minimum of 0, then
    divided by the sum; ``zscore``: (s − mean) / sd with ddof 0 (Montague & Aslam 2001).
    """
    if norm not in NORMS:
        raise InputError(f"there is no normalisation {norm!r}", mend=nearest(norm, NORMS))
    if not len(score):
        return score.astype(np.float64)
    size = float(np.abs(score).max())
    if size > HUGE:  # every norm is the same for a multiple of the scores
        score = score / size
    low, high = float(score.min()), float(score.max())
    if norm == "max":
        top = float(np.abs(score).max())
        return score / top if top > 0 else np.zeros_like(score)
    if low == high:
        return np.zeros(len(score))
    if norm == "minmax":
        return np.asarray((score - low) / (high - low))
    if norm == "sum":
        return np.asarray((score - low) / np.sum(score - low))
    spread = float(np.std(score))
    return np.asarray((score - np.mean(score)) / spread) if spread > 0 else np.zeros(len(score))


def rrf(runs: Sequence[Run], *, weights: Sequence[float] | None = None, k: float = 60, **more: Any) -> Run:
    """Reciprocal rank fusion (Cormack, Clarke & Büttcher 2009): Σ w / (k + rank), rank from 1.

    A unit a run does not hold gets nothing from it. Ties go by the best single rank, then the unit's
    position. More options: `fuse`.
    """
    return fuse(runs, method="rrf", weights=weights, k=k, **more)


def fuse(
    runs: Sequence[Run],
    *,
    method: str = "rrf",
    norm: str = "minmax",
    weights: Sequence[float] | None = None,
    k: float = 60,
    depth: int | None = None,
    name: str = "",
) -> Run:
    """Fuse runs over the same chunking, or of ids (run files); at most *depth* units a question (all).

    ``combsum`` adds normalised scores, ``combmnz`` multiplies the sum with the number of runs that hold
    the unit (Fox & Shaw 1994). A question that a run lacks is fused from the runs that have it, and counted
    in ``notes`` (``not_in_all_runs``). Raises InputError for fewer than two runs, for runs over different
    chunkings, for weights that do not fit and for an unknown word.
    """
    shares = _checked(runs, method, norm, weights, k)
    given, (runs, absent) = runs, _together(runs)
    first = runs[0]
    size = len(first.table)
    rows: list[NDArray[np.int32]] = []
    scores: list[NDArray[np.float64]] = []
    offsets = np.zeros(len(first) + 1, dtype=np.int64)
    total = np.zeros(size)
    held = np.zeros(size, dtype=np.int64)
    best = np.full(size, np.iinfo(np.int64).max)
    for q in range(len(first)):
        touched: list[NDArray[np.int32]] = []
        for run, share in zip(runs, shares, strict=True):
            part = slice(int(run.offsets[q]), int(run.offsets[q + 1]))
            unit = run.unit[part]
            rank = np.arange(1, len(unit) + 1)
            total[unit] += share / (k + rank) if method == "rrf" else share * normalise(run.score[part], norm)
            held[unit] += 1
            best[unit] = np.minimum(best[unit], rank)
            touched.append(unit)
        units = np.unique(np.concatenate(touched))
        score = total[units] * held[units] if method == "combmnz" else total[units]
        score = np.round(score, DECIMALS)
        order = np.lexsort((units, best[units], -score))[:depth]
        rows.append(units[order].astype(np.int32))
        scores.append(score[order])
        offsets[q + 1] = offsets[q] + len(order)
        total[units], held[units], best[units] = 0.0, 0, np.iinfo(np.int64).max
    settings: dict[str, Any] = {"fuse": method, "of": [run.system for run in runs], "weights": shares}
    settings |= {"k": k} if method == "rrf" else {"norm": norm}
    notes: dict[str, int] = {}
    if absent:
        notes["not_in_all_runs"] = absent
    if same := sum(identical(a, b) for i, a in enumerate(runs) for b in runs[:i]):
        notes["identical_rankings_fused"] = same
    return Run(
        system=name or method,
        questions=first.questions,
        offsets=offsets,
        unit=np.concatenate(rows) if rows else np.zeros(0, dtype=np.int32),
        score=np.concatenate(scores) if scores else np.zeros(0),
        table=first.table,
        units=first.units,
        notes=notes,
        provenance={**settings, "made_of": [run.seal for run in given]},
    )


def _checked(
    runs: Sequence[Run], method: str, norm: str, weights: Sequence[float] | None, k: float
) -> list[float]:
    if len(runs) < 2:
        raise InputError(f"{len(runs)} run cannot be fused", mend="give two or more runs")
    if method not in METHODS:
        raise InputError(f"there is no fusion {method!r}", mend=nearest(method, METHODS))
    if norm not in NORMS:
        raise InputError(f"there is no normalisation {norm!r}", mend=nearest(norm, NORMS))
    if isinstance(k, bool) or not isinstance(k, (int, float)) or not math.isfinite(k) or k < 0:
        raise InputError(f"k of reciprocal rank fusion is {k!r}", mend="give a number from 0 up (usual: 60)")
    shares = [1.0] * len(runs) if weights is None else [float(weight) for weight in weights]
    if len(shares) != len(runs):
        raise InputError(f"{len(shares)} weights for {len(runs)} runs", mend="give one weight a run")
    if not all(math.isfinite(w) and w >= 0 for w in shares) or not any(shares):
        raise InputError(f"weights {shares} cannot be used", mend="give numbers from 0 up, not all 0")
    for run in runs[1:]:
        if run.questions != runs[0].questions and run.position.keys().isdisjoint(runs[0].position):
            raise InputError(
                f"{run.system!r} and {runs[0].system!r} answer different questions, none of them the same",
                mend="fuse runs made from the same questions",
            )
        here, there = (None if one.units is None else one.units.seal for one in (run, runs[0]))
        if here != there:
            raise InputError(
                f"{run.system!r} and {runs[0].system!r} rank different units",
                mend="only rankings of the same chunking can be fused, or run files of the same ids",
            )
    return shares


def _together(runs: Sequence[Run]) -> tuple[list[Run], int]:
    """The runs with the same questions and codes, and how many questions some run lacks."""
    questions = tuple(dict.fromkeys(question for run in runs for question in run.questions))
    absent = sum(any(question not in run.position for run in runs) for question in questions)
    first = runs[0]
    table: Sequence[str] = first.table
    if first.units is None or any(
        run.table is not table and tuple(run.table) != tuple(table) for run in runs
    ):  # ties of bare ids go by the id
        known: Sequence[str] = () if first.units is None else first.units.ids
        own = frozenset(known)
        more = {unit for run in runs for unit in run.table if unit not in own}
        table = (*known, *sorted(more, key=lambda unit: unit.encode("utf-8", "surrogatepass")))
    elif all(run.questions == questions for run in runs):
        return list(runs), 0
    place = {unit: i for i, unit in enumerate(table)}
    # a copy where codes go past the units, so that nobody takes them for units by position
    units = replace(first.units) if first.units is not None and table is not first.units.ids else first.units
    made = []
    for run in runs:
        codes = np.array([place[unit] for unit in run.table], dtype=np.int32)
        parts = [run.codes(question) for question in questions]
        score = [
            run.score[run.offsets[i] : run.offsets[i + 1]]
            if (i := run.position.get(question, -1)) >= 0
            else run.score[:0]
            for question in questions
        ]
        made.append(
            replace(
                run,
                questions=questions,
                offsets=np.cumsum([0, *map(len, parts)], dtype=np.int64),
                unit=codes[np.concatenate(parts)] if len(codes) else run.unit,
                score=np.concatenate(score),
                table=table,
                units=units,
            )
        )
    return made, absent


def identical(a: Run, b: Run) -> bool:
    """Whether two runs rank the same units in the same order for every question, whatever the scores."""
    return (
        a.questions == b.questions
        and np.array_equal(a.offsets, b.offsets)
        and np.array_equal(a.unit, b.unit)
        and (a.table is b.table or tuple(a.table) == tuple(b.table))
    )


@dataclass(frozen=True)
class Fusion:
    """A system made from others by `fuse`; ``of`` holds systems, or names when a study hands over runs."""

    of: Sequence[Any]
    method: str = "rrf"
    k: float = 60
    norm: str = "minmax"
    weights: Sequence[float] | None = None
    name: str = "fused"

    def combine(
        self,
        runs: Sequence[Run],
        *,
        name: str,
        depth: int,
        questions: GoldSet | Mapping[str, str],  # noqa: ARG002  one shape for all that is made from runs
        cache: Blobs | None = None,  # noqa: ARG002
        progress: Progress = quiet,  # noqa: ARG002
    ) -> Run:
        """Fuse them."""
        return fuse(
            runs,
            method=self.method,
            norm=self.norm,
            weights=self.weights,
            k=self.k,
            depth=depth,
            name=name,
        )
