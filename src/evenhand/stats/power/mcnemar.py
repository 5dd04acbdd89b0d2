"""How many questions a hit-rate comparison needs: the exact McNemar test, its power added up, not drawn."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from evenhand.errors import InputError
from evenhand.stats.argument_checks import normal_quantile, share

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["McNemarSize", "discordant_shares", "mcnemar_power", "mcnemar_sample_size"]

CEILING = 2_000_000  # no search goes beyond this many pairs
Test = Literal["exact", "mid"]


def discordant_shares(first: float, second: float, *, phi: float = 0.0) -> tuple[float, float]:
    """Shares of questions that only the first, and only the second system hits, from two hit rates.

    p11 = p1 p2 + phi sqrt(p1 q1 p2 q2): *phi* is the correlation of the two outcomes (0: independent,
    which asks for the most questions that are usually needed; the same retriever with another chunking is
    often at 0.5 or more). A phi that the two rates cannot have is refused, naming what they can.
    Source: the definition of phi.
    """
    for p in (first, second):
        if not 0 <= p <= 1:
            raise InputError(f"hit rate {p!r} is not a share", mend="give rates between 0 and 1")
    spread = math.sqrt(first * (1 - first) * second * (1 - second))
    both = first * second + phi * spread
    least, most = max(0.0, first + second - 1), min(first, second)
    if not least - 1e-9 <= both <= most + 1e-9:
        low, high = ((x - first * second) / spread for x in (least, most)) if spread else (0.0, 0.0)
        raise InputError(
            f"rates {first:g} and {second:g} cannot correlate by {phi:g}",
            mend=f"give phi between {low:.3f} and {high:.3f}",
        )
    both = min(most, max(least, both))
    return max(0.0, first - both), max(0.0, second - both)


def _check(only_first: float, only_second: float, alpha: float, test: str) -> None:
    share(alpha, "alpha")
    if only_first < 0 or only_second < 0 or only_first + only_second > 1 + 1e-12:
        raise InputError(
            f"discordant shares {only_first!r} and {only_second!r}",
            mend="give two shares that sum to 1 at most",
        )
    if test not in ("exact", "mid"):
        raise InputError(f"test is {test!r}", mend="use exact or mid")


def _critical(m: NDArray[np.float64], alpha: float, test: Test) -> NDArray[np.float64]:
    """The largest smaller count that is significant among *m* discordant pairs; -1 where none is."""
    from scipy.stats import binom

    def p(i: NDArray[np.float64]) -> NDArray[np.float64]:
        exact = 2 * binom.cdf(i, m, 0.5)
        if test == "exact":
            return np.asarray(np.minimum(1.0, exact))
        return np.asarray(np.where(2 * i == m, 1.0, exact - binom.pmf(i, m, 0.5)))

    at = np.clip(binom.ppf(alpha / 2, m, 0.5), 0, m // 2) + 1
    for _ in range(4):
        at = np.where((at >= 0) & ((2 * at > m) | (p(np.clip(at, 0, m)) > alpha)), at - 1, at)
    return np.asarray(at, dtype=np.float64)


def mcnemar_power(
    only_first: float, only_second: float, n: int, *, alpha: float = 0.05, test: Test = "exact"
) -> float | None:
    """The power of McNemar's two-sided test with *n* pairs; None for n < 1.

    *only_first*, *only_second*: the shares of pairs on which only one system succeeds. Sums over the
    number of discordant pairs m ~ Bin(n, p10 + p01) the chance that b ~ Bin(m, p10/(p10 + p01)) is
    significant: no normal approximation, nothing random. The size never exceeds *alpha* for ``exact``.

    Source: Duffy 1984; Fagerland, Lydersen & Laake 2013. No Python library of ours has it.
    """
    _check(only_first, only_second, alpha, test)
    if n < 1:
        return None
    discordant = min(1.0, only_first + only_second)
    if discordant == 0:
        return 0.0
    from scipy.special import bdtr
    from scipy.stats import binom

    # ten standard deviations hold all but 1e-20 of the discordant counts
    middle, reach = n * discordant, 10 * math.sqrt(n * discordant * (1 - discordant)) + 10
    m = np.arange(max(0, math.floor(middle - reach)), min(n, math.ceil(middle + reach)) + 1, dtype=np.float64)
    weight = binom.pmf(m, n, discordant)
    critical = _critical(m, alpha, test)
    lead = only_first / discordant
    rejected = np.zeros(len(m))
    fine = critical >= 0
    for p in (lead, 1 - lead):
        rejected[fine] += bdtr(critical[fine], m[fine].astype(np.int64), p)
    return float(min(1.0, (weight * rejected).sum()))


@dataclass(frozen=True, slots=True, kw_only=True)
class McNemarSize:
    """Questions needed, the power they give, and the normal approximation beside it."""

    n: int | None
    power: float | None
    n_normal: int | None
    discordant: float  # share of questions expected to tell the systems apart
    reason: str | None = None


def mcnemar_sample_size(
    only_first: float,
    only_second: float,
    *,
    power: float = 0.8,
    alpha: float = 0.05,
    test: Test = "exact",
) -> McNemarSize:
    """The fewest pairs from which on McNemar's test finds this difference with *power*.

    The exact power saws up and down by a hair as n grows; n is the first from which it stays at *power*
    or above (looked for within 5% and 40 pairs of the place where it first gets there). None with a
    reason when the two shares are equal, or 2,000,000 pairs are not enough. ``n_normal`` is Miettinen's
    approximation (z_a sqrt(d) + z_b sqrt(d - D^2))^2 / D^2, d the sum and D the difference of the shares.

    Source: Connett, Smith & McHugh 1987; Miettinen 1968.
    """
    _check(only_first, only_second, alpha, test)
    share(power, "power")
    discordant, gap = only_first + only_second, abs(only_first - only_second)
    if gap <= 1e-12:
        reason = "a difference of 0 cannot be found at any size"
        return McNemarSize(n=None, power=None, n_normal=None, discordant=discordant, reason=reason)
    z_a, z_b = normal_quantile(1 - alpha / 2), normal_quantile(power)
    normal = ((z_a * math.sqrt(discordant) + z_b * math.sqrt(max(0.0, discordant - gap * gap))) / gap) ** 2
    n_normal = max(1, math.ceil(normal - 1e-9))

    def at(n: int) -> float:
        return mcnemar_power(only_first, only_second, n, alpha=alpha, test=test) or 0.0

    if n_normal > CEILING:
        reason = f"more than {CEILING:,} pairs"
        return McNemarSize(n=None, power=None, n_normal=n_normal, discordant=discordant, reason=reason)
    low, high = 0, max(4, n_normal)
    while at(high) < power:
        low, high = high, 2 * high
        if high > 4 * CEILING:
            reason = f"more than {CEILING:,} pairs"
            return McNemarSize(n=None, power=None, n_normal=n_normal, discordant=discordant, reason=reason)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if at(middle) >= power else (middle, high)
    # the saw: walk back from a little above to the last n that falls short
    step = max(1, high // 400)
    last = high - 1
    for n in range(high + 40 + high // 20, high - 1, -step):
        if at(n) < power:
            last = n + step - 1
            break
    n = last + 1
    return McNemarSize(n=n, power=at(n), n_normal=n_normal, discordant=discordant)
