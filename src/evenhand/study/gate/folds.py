"""A threshold chosen by costs, each question decided by one that was chosen without it and its cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from evenhand.errors import Undecidable
from evenhand.gate.columns import Column, Decisions, passing
from evenhand.gate.production.decision import Decision
from evenhand.gate.threshold import cheapest_threshold

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from evenhand.gate.cost import Costs
    from evenhand.gate.gold_labels import Truth
    from evenhand.gate.rankings import Rankings

__all__ = ["chosen_out_of_fold"]


def chosen_out_of_fold(
    column: Column, truth: Truth, rankings: Rankings, costs: Costs, folds: NDArray[np.int64]
) -> tuple[Decisions, tuple[float | None, ...]]:
    """Decisions by the cheapest threshold of the other folds, and that threshold for each fold.

    *folds*: int64[q]. None for a fold whose other folds say that deferring everything is cheapest. Source:
    Stone 1974.
    """
    answers = column.signal.of[-1]
    losses = truth.losses(rankings, answers)
    answered = np.zeros(len(losses), dtype=bool)
    cuts: list[float | None] = []
    for fold in range(int(folds.max()) + 1):
        inside = folds != fold
        part = Column(
            column.signal,
            tuple(q for q, keep in zip(column.questions, inside.tolist(), strict=True) if keep),
            column.value[inside],
            tuple(w for w, keep in zip(column.why, inside.tolist(), strict=True) if keep),
        )
        try:
            cut = cheapest_threshold(part, losses[inside], truth.answerable[inside], costs).threshold
        except Undecidable:
            cuts.append(None)
            continue
        cuts.append(cut)
        answered |= passing(column, cut) & ~inside
    made = []
    for q, yes in enumerate(answered.tolist()):
        top = rankings.documents(answers, q, 1)
        why, value = column.why[q], float(column.value[q])
        if why:
            made.append(Decision(decision="defer", top=None, reason=why, flagged=True))
        elif yes and top:
            made.append(Decision(decision="answer", top=top[0], value=value))
        elif yes:
            made.append(Decision(decision="defer", top=None, reason=f"{answers} found nothing", flagged=True))
        else:
            own = cuts[int(folds[q])]
            told = f"{column.signal.name} is {value:g}, not enough"
            why = f"{told}: the threshold is {own:g}" if own is not None else f"{told} at any threshold"
            made.append(Decision(decision="defer", top=None, reason=why, value=value))
    return Decisions(f"{column.signal.name}, chosen", answers, column.questions, tuple(made)), tuple(cuts)
