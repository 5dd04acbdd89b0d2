"""Is a judge worth using, and how many human labels are still needed beside it?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evenhand.errors import InputError
from evenhand.stats.argument_checks import TIE, column, normal_quantile, share
from evenhand.stats.intervals.bootstrap import mean
from evenhand.stats.prediction_powered.core import spread

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["BreakEven", "Labels", "ppi_break_even", "ppi_gain", "ppi_labels_needed"]


def _rho(rho: float) -> None:
    if not -1 <= rho <= 1:
        raise InputError(f"rho is {rho!r}", mend="give the correlation of judge and human, -1 to 1")


def ppi_gain(rho: float, *, labelled: int | None = None, judged_only: int | None = None) -> float | None:
    """The factor by which PPI++ stretches human labels: 1 / (1 - rho^2 N / (n + N)).

    *rho*: correlation (phi) of judge and human. Without the two numbers N is as large as one likes.
    .5 gives 1.33, .7 1.96, .9 5.26. None when the judge is never wrong and N has no end. Source: the
    variance of Angelopoulos, Duchi & Zrnic 2023 at its best lambda; Broska, Howes & van Loon 2024.
    """
    _rho(rho)
    if (labelled is None) != (judged_only is None):
        raise InputError("one of labelled and judged_only is missing", mend="give both, or neither")
    part = 1.0
    if labelled is not None and judged_only is not None:
        if labelled < 1 or judged_only < 0:
            raise InputError(f"{labelled} and {judged_only} items", mend="give 1 label or more")
        part = judged_only / (labelled + judged_only)
    left = 1 - rho * rho * part
    return 1 / left if left > TIE else None


@dataclass(frozen=True, slots=True, kw_only=True)
class BreakEven:
    """Does the untuned PPI (lambda 1) help at all? Only when the residual varies less than the labels."""

    helps: bool | None
    variance_human: float | None
    variance_residual: float | None  # of Y - f: for yes/no labels, disagreement - bias^2
    disagreement: float | None  # share of items on which the labels differ
    bias: float | None  # mean of judge - human
    rho: float | None
    reason: str | None = None


def ppi_break_even(human: ArrayLike, judge: ArrayLike) -> BreakEven:
    """Compare Var(Y - f) with Var(Y) on the items that both labelled (ddof 0).

    PPI with lambda 1 is wider than the human labels alone unless the first is smaller; PPI++ never loses
    more than its tuning. Undefined for fewer than two items. Source: Angelopoulos et al. 2023.
    """
    y, f = column(human, "human"), column(judge, "judge")
    if y.shape != f.shape:
        raise InputError(f"{len(y)} human labels, {len(f)} of the judge", mend="give both for each item")
    if len(y) < 2:
        return BreakEven(
            helps=None,
            variance_human=None,
            variance_residual=None,
            disagreement=None,
            bias=None,
            rho=None,
            reason="fewer than two items",
        )
    own, residual, other = spread(y, 0), spread(y - f, 0), spread(f, 0)
    together = math.fsum(((y - y.mean()) * (f - f.mean())).tolist()) / len(y)
    flat = own <= TIE**2 or other <= TIE**2
    return BreakEven(
        helps=residual < own,
        variance_human=own,
        variance_residual=residual,
        disagreement=float((abs(y - f) > TIE).mean()),
        bias=mean(f - y),
        rho=None if flat else max(-1.0, min(1.0, together / math.sqrt(own * other))),
        reason="rho: human or judge does not vary" if flat else None,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Labels:
    """Human labels needed with the judge, and without."""

    n: int | None
    n_without_judge: int
    gain: float | None
    approximate: bool = False  # below 100 labels the normal interval is only roughly right
    reason: str | None = None


def ppi_labels_needed(
    p: float, rho: float, half_width: float, *, level: float = 0.95, items: int | None = None
) -> Labels:
    """The human labels with which the corrected share of yes has an interval of +- *half_width*.

    z^2 p (1-p) (1 - rho^2 N/(n + N)) / h^2, with n + N = *items* (all that the judge labelled; None: as
    many as one likes, z^2 p (1-p)(1 - rho^2) / h^2). *p*: the share expected; *rho*: correlation of judge
    and human. The smallest whole n; None when labelling all *items* would not be enough.
    Source: the same variance, solved for n.
    """
    _rho(rho)
    share(half_width, "half_width")
    if not 0 <= p <= 1:
        raise InputError(f"p is {p!r}", mend="give a share between 0 and 1")
    z = normal_quantile(1 - (1 - share(level, "level")) / 2)
    alone = z * z * p * (1 - p) / half_width**2
    r = rho * rho
    without = max(1, math.ceil(alone - 1e-9))
    if items is not None and without > items:
        reason = f"all {items} items labelled would not be enough"
        return Labels(n=None, n_without_judge=without, gain=None, reason=reason)
    # with M items in all SE^2 = V (1 - r)/n + V r/M, solved for n
    n = alone * (1 - r) if items is None else alone * (1 - r) / max(TIE, 1 - alone * r / items)
    whole = max(1, math.ceil(n - 1e-9) if items is None else min(items, math.ceil(n - 1e-9)))
    return Labels(n=whole, n_without_judge=without, gain=without / whole, approximate=whole < 100)
