"""The questions that choose a threshold, kept apart from those that report it."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING

import numpy as np

from evenhand.errors import HoldoutSpent, InputError
from evenhand.gate.production.scales import limit
from evenhand.gold.split import split

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from evenhand.gate.columns import Column
    from evenhand.model.gold import GoldSet

__all__ = ["calibration_split", "one_per_cluster"]


def calibration_split(
    gold: GoldSet, *, calibration: float = 0.5, seed: int
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Ids to choose the threshold on, and ids to report on; whole clusters, seeded, nothing in both.

    As `evenhand.gold.split`, with a seed of its own, so as not to follow the split into dev and holdout.
    """
    own = int.from_bytes(sha256(f"calibration:{seed}".encode()).digest()[:6], "big")
    report, chosen = split(gold, holdout=calibration, seed=own)
    return tuple(chosen), tuple(report)


def one_per_cluster(questions: Sequence[str], clusters: Sequence[Hashable], *, seed: int) -> tuple[str, ...]:
    """One question of each cluster, drawn by a hash of seed and id, in file order: they are independent."""
    if len(questions) != len(clusters):
        raise InputError(
            f"{len(clusters)} clusters for {len(questions)} questions", mend="name one a question"
        )
    first: dict[Hashable, tuple[bytes, str]] = {}
    for question, cluster in zip(questions, clusters, strict=True):
        drawn = sha256(f"{seed}:{question}".encode("utf-8", "surrogatepass")).digest(), question
        first[cluster] = min(first.get(cluster, drawn), drawn)
    kept = {question for _, question in first.values()}
    return tuple(question for question in questions if question in kept)


def apart(calibration: Sequence[str], reporting: Sequence[str]) -> None:
    """Raise HoldoutSpent where a question would report a threshold that it helped to choose."""
    if shared := sorted(set(calibration) & set(reporting)):
        raise HoldoutSpent(
            f"{len(shared)} questions chose the threshold and would report it: {', '.join(shared[:5])}",
            mend="report on questions that chose nothing: calibration_split gives both",
        )


def checked(
    column: Column, losses: ArrayLike, grid: Sequence[object]
) -> tuple[NDArray[np.float64], list[float]]:
    """Losses (0 or 1, float64[q]), and the thresholds of a grid, strictest first."""
    loss = np.asarray(losses, dtype=np.float64)
    if loss.shape != (len(column.questions),) or not np.isin(loss, (0.0, 1.0)).all():
        raise InputError(
            "losses do not fit the questions", mend="give 0 or 1 a question, as Truth.losses does"
        )
    scale = column.signal.scale
    steps = sorted({limit(step, scale, f"threshold on {column.signal.name}") for step in grid})
    if not steps:
        raise InputError("the grid has no threshold", mend="give one or more; grid_of makes one")
    return loss, steps[::-1] if scale.higher else steps
