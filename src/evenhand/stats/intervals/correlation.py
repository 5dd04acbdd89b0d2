"""Do two columns of numbers rise together?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from evenhand.errors import InputError
from evenhand.model.result import Interval
from evenhand.stats.argument_checks import TIE, column, normal_quantile, share

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["Correlation", "pearson", "phi_interval", "spearman"]


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
    fewer than four pairs or r = +-1. The interval is for normal pairs: of lognormal ones 95% intervals held
    the truth in 86% of simulated studies of 12 and in 73% of 300, those of `spearman` in 95% or more.
    Source: Fisher 1921. Agrees with ``scipy.stats.pearsonr``.
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


def phi_interval(phi: float, first: float, second: float, n: float, *, level: float = 0.95) -> Interval:
    """The interval of phi, the correlation of two yes/no columns that say yes to shares *first*, *second*.

    tanh(atanh phi +- z sqrt(V/n) / (1 - phi^2)), with p, q the shares and
    V = 1 - phi^2 + phi (1 + phi^2/2) (2p-1)(2q-1) / sqrt(p(1-p) q(1-q))
    - 3/4 phi^2 ((2p-1)^2 / (p(1-p)) + (2q-1)^2 / (q(1-q))).
    Fisher's own is for normal columns and too narrow here. *n* may be fractional (effective sizes). None
    for fewer than four items, for phi +-1, and for a column that does not vary.

    Source: Bishop, Fienberg & Holland 1975, ch. 11.3.
    """
    method = "phi, large sample, on Fisher's scale"
    reason = None
    if min(first, second) <= TIE or max(first, second) >= 1 - TIE:
        reason = "one column does not vary"
    elif n < 4:
        reason = "fewer than four pairs"
    elif 1 - abs(phi) <= TIE:
        reason = "the columns lie on one line"
    if reason is not None:
        return Interval(low=None, high=None, level=share(level, "level"), method=method, reason=reason)
    a, b = first * (1 - first), second * (1 - second)
    lean, other = 2 * first - 1, 2 * second - 1
    variance = 1 - phi**2 + phi * (1 + phi**2 / 2) * lean * other / math.sqrt(a * b)
    variance -= 0.75 * phi**2 * (lean**2 / a + other**2 / b)
    z = normal_quantile(1 - (1 - share(level, "level")) / 2)
    reach = z * math.sqrt(max(0.0, variance) / n) / (1 - phi**2)
    low, high = math.tanh(math.atanh(phi) - reach), math.tanh(math.atanh(phi) + reach)
    return Interval(low=low, high=high, level=level, method=method)
