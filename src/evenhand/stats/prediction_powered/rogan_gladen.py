"""A judge's rate corrected by its sensitivity and specificity, known from another set of labels."""

from __future__ import annotations

import math
from dataclasses import dataclass

from evenhand.errors import InputError
from evenhand.model.result import Interval
from evenhand.stats.argument_checks import normal_quantile, share

__all__ = ["RoganGladen", "allocate_calibration", "rogan_gladen"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RoganGladen:
    """The corrected share; ``clipped`` says that the correction left [0, 1] and the point was cut."""

    point: float | None
    unclipped: float | None
    clipped: bool
    se: float | None  # delta method, at the unclipped value
    interval: Interval
    reason: str | None = None


def _shares(**named: float) -> None:
    for name, value in named.items():
        if not 0 <= value <= 1:
            raise InputError(f"{name} is {value!r}", mend="give a share between 0 and 1")


def rogan_gladen(
    rate: float,
    *,
    sensitivity: float,
    specificity: float,
    n: int,
    negatives: int,
    positives: int,
    level: float = 0.95,
) -> RoganGladen:
    """The true share from a judge's *rate* over *n* items: (p + sp - 1) / (se + sp - 1).

    *sensitivity* was seen on *positives* items that people called yes, *specificity* on *negatives*.
    SE = sqrt(p(1-p)/n + (1-theta)^2 sp(1-sp)/m0 + theta^2 se(1-se)/m1) / (se + sp - 1). The interval adds
    z^2 pseudo counts to p and 2 to se and sp, shifts by 2 z^2 [-(1-th) sp(1-sp)/m0 + th se(1-se)/m1] and is
    clipped to [0, 1]. Undefined unless se + sp > 1 and all three counts are above 0. Wide unless se + sp
    is large; its one advantage is that the calibration may come from another base rate.

    Source: Rogan & Gladen 1978; Lang & Reiczigel 2014; Lee et al. 2025 (arXiv 2511.21140).
    """
    _shares(rate=rate, sensitivity=sensitivity, specificity=specificity)
    share(level, "level")
    method = "Rogan-Gladen, adjusted"
    if min(n, negatives, positives) < 0:
        raise InputError(f"counts {n}, {negatives}, {positives}", mend="give numbers of items, 0 or more")
    better = sensitivity + specificity - 1
    reason = None
    if min(n, negatives, positives) == 0:
        reason = "no items, or no calibration on one side"
    elif better <= 1e-12:
        reason = "sensitivity + specificity is not above 1: the judge is no better than chance"
    if reason:
        nothing = Interval(low=None, high=None, level=level, method=method, reason=reason)
        return RoganGladen(
            point=None, unclipped=None, clipped=False, se=None, interval=nothing, reason=reason
        )
    theta = (rate + specificity - 1) / better
    se = _error(rate, sensitivity, specificity, theta, n, negatives, positives)
    z = normal_quantile(1 - (1 - level) / 2)
    m0, m1, m = negatives + 2, positives + 2, n + z * z
    p = (rate * n + z * z / 2) / m
    sp, sn = (specificity * negatives + 1) / m0, (sensitivity * positives + 1) / m1
    flags = ("clipped",) if not 0 <= theta <= 1 else ()
    if sp + sn - 1 <= 1e-12:
        reason = "too few calibration labels to tell the judge from chance"
        interval = Interval(low=None, high=None, level=level, method=method, reason=reason, flags=flags)
    else:
        near = (p + sp - 1) / (sp + sn - 1)
        shift = 2 * z * z * (-(1 - near) * sp * (1 - sp) / m0 + near * sn * (1 - sn) / m1)
        reach = z * _error(p, sn, sp, near, m, m0, m1)
        low, high = (min(1.0, max(0.0, near + shift + side * reach)) for side in (-1, 1))
        interval = Interval(low=low, high=high, level=level, method=method, flags=flags)
    return RoganGladen(
        point=min(1.0, max(0.0, theta)), unclipped=theta, clipped=bool(flags), se=se, interval=interval
    )


def _error(  # noqa: PLR0917 - the names of the formula
    p: float, sn: float, sp: float, theta: float, n: float, m0: float, m1: float
) -> float:
    square = p * (1 - p) / n + (1 - theta) ** 2 * sp * (1 - sp) / m0 + theta**2 * sn * (1 - sn) / m1
    return math.sqrt(square) / (sn + sp - 1)


def allocate_calibration(
    labels: int, rate: float, *, sensitivity: float, specificity: float, pilot: int = 0
) -> tuple[int, int]:
    """How to split *labels* for calibration between items that are no and items that are yes: (m0, m1).

    m1 = m / (1 + (1/p - 1) sqrt(kappa)), kappa = (m_p (1 - sp) + 1) / (m_p (1 - se) + 1) from a *pilot* of
    m_p labels a side, or (1 - sp)/(1 - se) without one; each side keeps at least the pilot. *rate*: the
    judge's share of yes. Source: Lee et al. 2025 (arXiv 2511.21140).
    """
    _shares(rate=rate, sensitivity=sensitivity, specificity=specificity)
    if labels < 1 or pilot < 0 or 2 * pilot > labels:
        raise InputError(
            f"{labels} labels with a pilot of {pilot} a side", mend="give 2 x pilot labels or more"
        )
    if rate < 1e-6:
        return pilot, labels - pilot
    above = pilot * (1 - specificity) + 1 if pilot else 1 - specificity
    below = pilot * (1 - sensitivity) + 1 if pilot else max(1e-6, 1 - sensitivity)
    yes = labels / (1 + (1 / rate - 1) * math.sqrt(above / below))
    m1 = max(pilot, round(min(labels - pilot, yes)))
    return labels - m1, m1
