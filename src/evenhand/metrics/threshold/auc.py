"""Does the similarity say anything within what passes? Areas by source, and DeLong's beside them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from evenhand.metrics.threshold.pairs import Pairs, passes
from evenhand.stats.intervals.auc_sources import auc_by_source
from evenhand.stats.intervals.ranking import auc_delong

if TYPE_CHECKING:
    from evenhand.model.result import Interval

__all__ = ["Area", "areas"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Area:
    """The area under the curve of similarity against sufficiency among the ``n`` pairs that pass.

    ``by_source`` draws whole sources, ``delong`` takes pairs as independent, which they are not. ``auc`` is
    None where all pairs can answer, or none can: then no threshold can be recommended either.
    """

    threshold: float
    auc: float | None
    n: int
    sufficient: int
    sources: int
    by_source: Interval
    delong: Interval
    undefined: int  # resamples that held one class only

    @property
    def reason(self) -> str | None:
        """Why there is no area."""
        if self.auc is not None:
            return None
        if not self.n:
            return "no pair with a verdict passes"
        passed = "the one pair that passes " if self.n == 1 else f"all {self.n} pairs that pass "
        return passed + ("can answer" if self.sufficient else "cannot answer")

    @property
    def says(self) -> bool | None:
        """Whether the interval by source leaves one half out; None where there is none."""
        if self.by_source.low is None or self.by_source.high is None:
            return None
        return self.by_source.low > 0.5 or self.by_source.high < 0.5


def areas(
    pairs: Pairs,
    grid: Sequence[float],
    *,
    level: float = 0.95,
    resamples: int = 10_000,
    seed: int = 20241009,
) -> list[Area]:
    """The area at each threshold of *grid*. Pairs without a verdict are left out of it."""
    names = np.array(pairs.source_names, dtype=object)
    made = []
    for threshold in grid:
        kept = passes(pairs.score, threshold) & pairs.decided
        score, label = pairs.score[kept], (pairs.sufficient[kept] == 1).astype(np.float64)
        found = auc_by_source(
            score,
            label,
            names[pairs.source_at[kept]].tolist(),
            level=level,
            resamples=resamples,
            seed=seed,
        )
        made.append(
            Area(
                threshold=threshold,
                auc=found.point,
                n=len(score),
                sufficient=int(label.sum()),
                sources=found.n,
                by_source=found.interval,
                delong=auc_delong(score, label, level=level).interval,
                undefined=found.undefined,
            )
        )
    return made
