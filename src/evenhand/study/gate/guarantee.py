"""A threshold with a promise in a study: the grid, the choice and the report on questions apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from evenhand.errors import Undecidable
from evenhand.gate.calibration import calibration_split, one_per_cluster
from evenhand.gate.guarantee import Guarantee, guarantee
from evenhand.gate.threshold import grid_of
from evenhand.stats.intervals.proportion import min_n_zero_errors
from evenhand.stats.sampling.seeds import stream

if TYPE_CHECKING:
    from evenhand.study.gate.labelled_questions import Ground

__all__ = ["promised"]

GRID_SHARE = 0.25  # of the calibration questions, to lay a grid by where a scale has no two ends


def promised(ground: Ground, name: str) -> Guarantee:
    """A threshold on a signal by Learn-then-Test: the grid, the choice and the report on questions apart."""
    plan = ground.plan
    assert plan.alpha is not None  # noqa: S101 - asked for only then
    chosen, _ = calibration_split(ground.gold, calibration=plan.calibration, seed=ground.seed)
    cluster = dict(zip(ground.truth.questions, ground.truth.clusters or ground.truth.questions, strict=True))
    grid: tuple[float, ...] = (1.0,) if name == "consensus" else plan.grid if name == plan.rule else ()
    if not grid:
        chosen, grid = _laid(ground, name, chosen, cluster)
    alone = one_per_cluster(chosen, [cluster[q] for q in chosen], seed=ground.seed)
    part = ground.take(alone)
    return guarantee(
        part.column(name),
        part.losses,
        grid,
        alpha=plan.alpha,
        delta=plan.delta,
        method="bonferroni" if plan.method == "bonferroni" else "fixed_sequence",
    )


def _laid(
    ground: Ground, name: str, chosen: Sequence[str], cluster: dict[str, str]
) -> tuple[tuple[str, ...], tuple[float, ...]]:
    """The calibration questions without some clusters, and a grid by the values on these."""
    plan = ground.plan
    names = sorted({cluster[q] for q in chosen})
    kept = one_per_cluster(names, list(range(len(names))), seed=ground.seed)
    order = stream(ground.seed, "gate", "grid").permutation(len(kept))
    aside = {kept[i] for i in order[: max(1, round(GRID_SHARE * len(kept)))].tolist()}
    lay = [q for q in chosen if cluster[q] in aside]
    rest = tuple(q for q in chosen if cluster[q] not in aside)
    column = ground.take(lay).column(name)
    values = np.sort(column.value[column.defined])
    if not len(values):
        raise Undecidable(f"no question has a value of {name}", mend="see its reasons in the report")
    # a first threshold that answers too few can never pass: begin where enough is to be expected
    need = min_n_zero_errors(plan.alpha or 0.1, plan.delta) / max(1, len({cluster[q] for q in rest}))
    if need < 1:
        sure = np.quantile(values, 1 - need if column.signal.scale.higher else need, method="lower")
        values = values[values <= sure] if column.signal.scale.higher else values[values >= sure]
    return rest, grid_of(column.signal.scale, other=values)
