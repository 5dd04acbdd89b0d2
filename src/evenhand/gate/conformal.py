"""Conformal risk control: another promise than Learn-then-Test, named apart.

The *expected* share of all questions that are answered wrongly is at most alpha; not the risk among the
answered, and not with confidence 1 - delta.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from evenhand.gate.calibration import apart, checked
from evenhand.gate.columns import passing
from evenhand.stats.argument_checks import share
from evenhand.stats.selective.guarantee import conformal_risk_control

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from evenhand.gate.columns import Column

__all__ = ["Conformal", "conformal"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Conformal:
    """A threshold by conformal risk control; ``controls`` says in words what it does and does not promise."""

    signal: str
    threshold: float | None
    alpha: float
    adjusted: tuple[tuple[float, float], ...]  # threshold, (n R + 1) / (n + 1)
    calibration: tuple[str, ...]
    controls: str
    needed: int  # questions below which no threshold can qualify, however good

    def apart(self, reporting: Sequence[str]) -> None:
        """As `Guarantee.apart`."""
        apart(self.calibration, reporting)


def conformal(column: Column, losses: ArrayLike, grid: Sequence[object], *, alpha: float) -> Conformal:
    """The loosest threshold at which *alpha* of all questions at most are expected to be answered wrongly.

    The joint loss 1{answered and wrong} falls as the threshold gets stricter. On average over calibration
    draws, not with confidence 1 - delta, and of all questions, not of the answered ones.
    Source: Angelopoulos, Bates, Fisch, Lei & Schuster 2024.
    """
    share(alpha, "alpha")
    loss, steps = checked(column, losses, grid)
    loose = steps[::-1]
    table = np.stack([passing(column, step) * loss for step in loose], axis=1)
    found = conformal_risk_control(table, list(range(len(loose))), alpha=alpha)
    return Conformal(
        signal=column.signal.name,
        threshold=None if found.selected is None else loose[int(found.selected)],
        alpha=alpha,
        adjusted=tuple(zip(loose, found.adjusted, strict=True)),
        calibration=column.questions,
        controls="the expected share of all questions that are answered wrongly; not the risk among the "
        "answered, and not with a stated confidence",
        needed=int(np.ceil(1 / alpha - 1 - 1e-9)),
    )
