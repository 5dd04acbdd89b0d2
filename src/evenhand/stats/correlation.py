"""Do two columns of numbers rise together?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from evenhand.errors import InputError
from evenhand.model.result import Interval
from evenhand.stats.checks import TIE, column, normal_quantile, share

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["Correlation", "pearson", "spearman"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Correlation:
    """A coefficient in [-1, 1] with Fisher's interval for independent pairs."""

    r: float | None
    n: int
    interval: Interval
    reason: str | None = None


def pearson(first: ArrayLike, second: ArrayLike, *, level: float = 0.95) -> Correlation:
    """Pearson's r: sum (x - mean)(y - mean) / sqrt(sum (x - mean)^2 sum (y - mean)^2).

    Interval: tanh(atanh r +- z / sqrt(n - 3)). Undefined when a column does not vary; no interval for
    fewer than four pairs or r = +-1. Source: Fisher 1921. Agrees with ``scipy.stats.pearsonr``.
    """
    return _correlation(column(first, "first"), column(second, "second"), level, 1.0, "Fisher z")


def spearman(first: ArrayLike, second: ArrayLike, *, level: float = 0.95) -> Correlation:
    """Spearman's rho: Pearson's r of the ranks, ties at their mean rank.

    Interval as `pearson` with the standard error times sqrt(1 + r^2/2) (Bonett & Wright 2000). Source:
    Spearman 1904. Agrees with ``scipy.stats.spearmanr``.
    """
    x, y = column(first, "first"), column(second, "second")
    from scipy.stats import rankdata

    ranks = [np.asarray(rankdata(z), dtype=np.float64) for z in (x, y)]
    return _correlation(ranks[0], ranks[1], level, None, "Fisher z, Bonett & Wright")


def _correlation(
    x: NDArray[np.float64], y: NDArray[np.float64], level: float, factor: float | None, method: str
) -> Correlation:
    share(level, "level")
    n = len(x)
    if x.shape != y.shape:
        raise InputError(f"{n} values against {len(y)}", mend="give pairs")

    def without(r: float | None, reason: str) -> Correlation:
        nothing = Interval(low=None, high=None, level=level, method=method, reason=reason)
        return Correlation(r=r, n=n, interval=nothing, reason=reason if r is None else None)

    if n < 2:
        return without(None, "fewer than two pairs")
    if min(np.ptp(x), np.ptp(y)) <= TIE:
        return without(None, "one column does not vary")
    a, b = x - x.mean(), y - y.mean()
    below = math.sqrt(math.fsum((a * a).tolist())) * math.sqrt(math.fsum((b * b).tolist()))
    r = max(-1.0, min(1.0, math.fsum((a * b).tolist()) / below))
    if n < 4:
        return without(r, "fewer than four pairs")
    if 1 - abs(r) <= TIE:
        return without(r, "the columns lie on one line")
    se = math.sqrt((factor if factor is not None else 1 + r * r / 2) / (n - 3))
    reach = normal_quantile(1 - (1 - level) / 2) * se
    low, high = math.tanh(math.atanh(r) - reach), math.tanh(math.atanh(r) + reach)
    return Correlation(r=r, n=n, interval=Interval(low=low, high=high, level=level, method=method))
