"""How far a signal tells answerable questions from the others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from evenhand.errors import InputError
from evenhand.stats.argument_checks import yes_no
from evenhand.stats.intervals.ranking import auc_delong
from evenhand.stats.paired.two_samples import ks_pvalue
from evenhand.stats.selective.risk_coverage import separability

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from evenhand.gate.columns import Column
    from evenhand.stats.intervals.ranking import AUC

__all__ = ["Separation", "separation_of"]

BINS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Separation:
    """AUC with DeLong's interval, Kolmogorov-Smirnov with its p, Cliff's delta, overlap over stated *edges*.

    With one class only nothing is defined, and no threshold may be recommended.
    """

    signal: str
    positives: int
    negatives: int
    undefined: int  # questions without a value: left out
    auc: AUC
    ks: float | None = None
    ks_p: float | None = None
    cliffs_delta: float | None = None
    overlap: float | None = None
    edges: tuple[float, ...] = ()
    reason: str | None = None


def separation_of(column: Column, positive: ArrayLike, *, level: float = 0.95) -> Separation:
    """How far the signal separates *positive* questions (bool[q]) from the others, more of it being surer.

    *positive* is `Truth.answerable`, or ``losses == 0`` for "answering would be right", which is another
    question: a signal may know the one and not the other. DeLong's interval supposes independent questions.
    """
    yes = yes_no(positive, "positive")
    if yes.shape != (len(column.questions),):
        raise InputError("labels do not fit the questions", mend="give one yes or no a question")
    defined = column.defined
    sure, labels = column.confidence[defined], yes[defined]
    auc = auc_delong(sure, labels, level=level)
    counts = {"positives": int(labels.sum()), "negatives": int((~labels).sum())}
    base = {"signal": column.signal.name, "undefined": int((~defined).sum()), "auc": auc, **counts}
    if auc.auc is None:
        return Separation(**base, reason="only one class")  # type: ignore[arg-type]
    edges = np.histogram_bin_edges(sure, bins=BINS)
    found = separability(sure[labels], sure[~labels], edges)
    if found is None:  # auc is None then too
        return Separation(**base, reason="only one class")  # type: ignore[arg-type]
    sign = 1.0 if column.signal.scale.higher else -1.0
    return Separation(
        **base,  # type: ignore[arg-type]
        ks=found.ks,
        ks_p=ks_pvalue(sure[labels], sure[~labels]),
        cliffs_delta=found.cliffs_delta,
        overlap=found.overlap,
        edges=tuple(sorted((edges * sign + 0.0).tolist())),
    )
