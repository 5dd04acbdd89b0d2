"""Two systems on the same questions: differences, sign flips, and pairs of yes/no outcomes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from evenhand.errors import InputError
from evenhand.model.result import Interval
from evenhand.stats.argument_checks import TIE, column, p_value
from evenhand.stats.intervals.bootstrap import Resampled, mean, mean_percentile
from evenhand.stats.intervals.proportion import wilson

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = [
    "McNemar",
    "Paired",
    "PairedShares",
    "bootstrap_mean_difference",
    "differences",
    "mcnemar",
    "newcombe",
    "of_differences",
    "summary",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Paired:
    """The difference first - second over n pairs."""

    n: int
    difference: float | None
    sd: float | None  # of the differences, ddof 1
    d_z: float | None
    wins: int
    ties: int
    losses: int
    reason: str | None = None  # why d_z is missing


def differences(first: ArrayLike, second: ArrayLike) -> NDArray[np.float64]:
    """Take first - second, pair by pair: float64[n]; what is within 1e-12 of 0 is exactly 0 (a tie).

    Source: the definition.
    """
    a, b = column(first, "first"), column(second, "second")
    if a.shape != b.shape:
        raise InputError(
            f"{len(a)} values against {len(b)}", mend="give the two systems' values on the same questions"
        )
    d = a - b
    d[np.abs(d) <= TIE] = 0.0
    return d


def summary(first: ArrayLike, second: ArrayLike) -> Paired:
    """Mean difference, its spread, d_z and wins / ties / losses of *first* against *second*.

    d_z = mean(d) / sd(d, ddof 1) = t / sqrt(n). Undefined for n < 2 and when all differences are the
    same (a spread below 1e-12 is float noise and counts as none).

    Source: Cohen 1988; Lakens 2013. No library has it: pingouin's paired "cohen" is d_av.
    """
    return of_differences(differences(first, second))


def of_differences(d: NDArray[np.float64]) -> Paired:
    """`summary` for differences already taken. Source: as there."""
    n = len(d)
    wins, losses = int((d > 0).sum()), int((d < 0).sum())
    gap = mean(d)
    sd, reason = None, "no pairs" if n == 0 else "one pair" if n == 1 else None
    if n > 1 and gap is not None:
        if float(d.max() - d.min()) <= TIE:
            sd, reason = 0.0, "all differences are the same"
        else:
            sd = math.sqrt(math.fsum(((d - gap) ** 2).tolist()) / (n - 1))
    return Paired(
        n=n,
        difference=gap,
        sd=sd,
        d_z=gap / sd if gap is not None and sd else None,
        wins=wins,
        ties=n - wins - losses,
        losses=losses,
        reason=reason,
    )


def bootstrap_mean_difference(
    first: ArrayLike,
    second: ArrayLike,
    *,
    level: float = 0.95,
    resamples: int = 10_000,
    seed: int = 20241009,
) -> Resampled:
    """The mean difference with its percentile interval: one index draw for both, so a bootstrap of d.

    See `mean_percentile` for draws and edges. Source: Efron 1979.
    """
    a, b = column(first, "first"), column(second, "second")
    if a.shape != b.shape:
        raise InputError(
            f"{len(a)} values against {len(b)}", mend="give the two systems' values on the same questions"
        )
    return mean_percentile(a - b, level=level, resamples=resamples, seed=seed)


@dataclass(frozen=True, slots=True, kw_only=True)
class McNemar:
    """Two p-values for the same discordant pairs."""

    p_exact: float
    p_mid: float
    only_first: int
    only_second: int


def mcnemar(only_first: int, only_second: int) -> McNemar:
    """McNemar's test on discordant pairs: does one system succeed alone more often than the other?

    Exact: min(1, 2 P(Bin(b + c, 1/2) <= min(b, c))). Mid-p: exact - pmf(min), or 1 - pmf/2 when b = c.
    No discordant pair: both are 1. The chi-square form is not offered (it errs at these sizes).

    Source: McNemar 1947; Fagerland, Lydersen & Laake 2013. The exact p agrees with statsmodels
    ``mcnemar(exact=True)``.
    """
    b, c = only_first, only_second
    if b < 0 or c < 0 or b != int(b) or c != int(c):
        raise InputError(f"discordant counts {b} and {c}", mend="give two whole numbers, 0 or more")
    m, least = int(b + c), int(min(b, c))
    if m == 0:
        return McNemar(p_exact=1.0, p_mid=1.0, only_first=0, only_second=0)
    pmf, tail = _half_binomial(m, least)
    exact = min(1.0, 2 * tail)
    mid = 1 - pmf / 2 if b == c else exact - pmf
    return McNemar(p_exact=p_value(exact), p_mid=p_value(mid), only_first=int(b), only_second=int(c))


def _half_binomial(m: int, i: int) -> tuple[float, float]:
    """P(X = i) and P(X <= i) for X ~ Bin(m, 1/2): whole numbers while they are small."""
    if m <= 1000:
        ways = [math.comb(m, j) for j in range(i + 1)]
        return ways[-1] / (1 << m), sum(ways) / (1 << m)
    from scipy.special import bdtr, betaln

    log = -math.log(m + 1) - float(betaln(m - i + 1, i + 1)) - m * math.log(2)
    return math.exp(log), float(bdtr(i, m, 0.5))


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedShares:
    """The difference of two paired shares, first - second."""

    difference: float | None
    phi: float | None
    interval: Interval


def newcombe(
    both: int,
    only_first: int,
    only_second: int,
    neither: int,
    *,
    level: float = 0.95,
    method: Literal[8, 9, 10] = 10,
) -> PairedShares:
    """Newcombe's score interval for the difference of two shares measured on the same questions.

    With a, b, c, d the four counts: D = (b - c)/n; Wilson limits (l1, u1) of (a+b)/n and (l2, u2) of
    (a+c)/n; lower = D - sqrt((p1-l1)^2 - 2 phi (p1-l1)(u2-p2) + (u2-p2)^2), upper likewise from
    (u1-p1) and (p2-l2). phi = C / sqrt((a+b)(c+d)(a+c)(b+d)), Q = ad - bc; method 10: C = Q - n/2 if
    Q > n/2, 0 if 0 <= Q <= n/2, Q if Q < 0; method 8: C = Q; method 9: C = Q with continuity-corrected
    Wilson limits. An empty margin makes phi 0. Undefined for n = 0.

    Source: Newcombe 1998 (Statistics in Medicine 17:2635). Agrees with R ``contingencytables``; no
    Python library has it.
    """
    a, b, c, d = both, only_first, only_second, neither
    if min(a, b, c, d) < 0:
        raise InputError(f"counts {a}, {b}, {c}, {d}", mend="give four counts, 0 or more")
    if method not in (8, 9, 10):
        raise InputError(f"Newcombe's method {method!r} is not offered", mend="use 8, 9 or 10")
    n, name = a + b + c + d, f"Newcombe method {method}"
    if n == 0:
        nothing = Interval(low=None, high=None, level=level, method=name, reason="no pairs")
        return PairedShares(difference=None, phi=None, interval=nothing)
    limits = _wilson_corrected if method == 9 else _wilson_plain
    p1, p2, gap = (a + b) / n, (a + c) / n, (b - c) / n
    l1, u1 = limits(a + b, n, level)
    l2, u2 = limits(a + c, n, level)
    q = a * d - b * c
    top = (q - n / 2 if q > n / 2 else min(q, 0)) if method == 10 else q
    margins = (a + b) * (c + d) * (a + c) * (b + d)
    phi = top / math.sqrt(margins) if margins else 0.0

    def reach(x: float, y: float) -> float:
        # rounding may leave a hair below zero when phi is 1
        return math.sqrt(max(0.0, x * x - 2 * phi * x * y + y * y))

    low = max(-1.0, gap - reach(p1 - l1, u2 - p2))
    high = min(1.0, gap + reach(u1 - p1, p2 - l2))
    return PairedShares(
        difference=gap, phi=phi, interval=Interval(low=low, high=high, level=level, method=name)
    )


def _wilson_plain(k: int, n: int, level: float) -> tuple[float, float]:
    found = wilson(k, n, level=level)
    return float(found.low or 0.0), float(found.high or 0.0)


def _wilson_corrected(k: int, n: int, level: float) -> tuple[float, float]:
    """Wilson's limits with continuity correction (Newcombe 1998, SiM 17:857, method 4)."""
    from evenhand.stats.argument_checks import normal_quantile

    z, p = normal_quantile(1 - (1 - level) / 2), k / n
    below = 2 * (n + z * z)
    low = (2 * n * p + z * z - 1 - z * math.sqrt(z * z - 2 - 1 / n + 4 * p * (n * (1 - p) + 1))) / below
    high = (2 * n * p + z * z + 1 + z * math.sqrt(z * z + 2 - 1 / n + 4 * p * (n * (1 - p) - 1))) / below
    return (0.0 if k == 0 else max(0.0, low)), (1.0 if k == n else min(1.0, high))
