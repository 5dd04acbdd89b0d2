"""What a published figure can and cannot show when nobody has its data: bounds over all that it allows."""

from __future__ import annotations

import math
from dataclasses import dataclass

from evenhand.errors import InputError
from evenhand.model.result import Interval
from evenhand.stats.argument_checks import share
from evenhand.stats.intervals.proportion import wilson
from evenhand.stats.paired.paired import McNemar, mcnemar
from evenhand.stats.power.mcnemar import mcnemar_power

__all__ = [
    "Apart",
    "Pairings",
    "Possible",
    "correlation_needed",
    "counts_behind",
    "fewest_wins",
    "largest_sd",
    "least_p",
    "mcnemar_detectable",
    "means_apart",
    "pairings",
    "shares_apart",
    "t_interval",
]


def counts_behind(
    value: float, n: int, half_unit: float, *, truncated: bool = False
) -> tuple[int, int] | None:
    """The whole numbers k for which k/n is printed as *value*; None when there is none.

    *half_unit* is half of the last printed digit (0.005 for ``85%`` or ``0.85``). A half is taken to be
    rounded either way; *truncated*: digits were cut off instead. Source: Brown & Heathers 2017 (the GRIM
    test).
    """
    slack = 1e-9
    below, above = (0.0, 2 * half_unit) if truncated else (half_unit, half_unit)
    low = max(0, math.ceil((value - below) * n - slack))
    high = math.ceil((value + above) * n - slack) - 1 if truncated else (value + above) * n + slack
    high = min(n, math.floor(high))
    return (low, high) if low <= high else None


def largest_sd(mean: float, n: int) -> float | None:
    """The largest standard deviation (ddof 1) that *n* values in 0..1 with this *mean* can have; n >= 2.

    All values at 0 or 1: sqrt(m (1 - m) n / (n - 1)); None when the mean is not in 0..1 or n < 2.
    """
    if n < 2 or not 0 <= mean <= 1:
        return None
    return math.sqrt(mean * (1 - mean) * n / (n - 1))


def t_interval(mean: float, sd: float, n: int, *, level: float = 0.95) -> Interval:
    """Student's interval of a mean from its spread (ddof 1): mean ± t_{n-1} sd / sqrt n. None for n < 2."""
    share(level, "level")
    if n < 2:
        return Interval(
            low=None, high=None, level=level, method="Student's t", reason="fewer than two values"
        )
    from scipy.special import stdtrit

    half = float(stdtrit(n - 1, 1 - (1 - level) / 2)) * sd / math.sqrt(n)
    return Interval(low=mean - half, high=mean + half, level=level, method="Student's t")


def least_p(differing: int) -> float:
    """The smallest two-sided p of a sign test, McNemar or a sign flip: 2 / 2^*differing*, at most 1."""
    if differing < 0:
        raise InputError(f"{differing} questions", mend="give a count, 0 or more")
    return min(1.0, 2.0 ** (1 - min(differing, 1000)))


def fewest_wins(alpha: float) -> int:
    """How many questions must differ, all in one direction, before an exact paired test reaches *alpha*.

    The smallest w with 2 / 2^w <= alpha: 6 at 5%. A difference of fewer than w/n cannot be significant.
    """
    return max(1, math.ceil(1 - math.log2(share(alpha, "alpha")) - 1e-12))


@dataclass(frozen=True, slots=True, kw_only=True)
class Possible:
    """One way in which two counts can be paired: the four cells, and McNemar's exact p."""

    both: int
    only_first: int
    only_second: int
    neither: int
    p: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairings:
    """All ways in which *k1* and *k2* of the same n questions can be paired.

    ``closest``: the fewest questions differ, the smallest p these counts allow. ``furthest``: the most
    differ, the largest p. ``most_losses``: with up to so many questions won by the lower system alone the
    difference is significant at *alpha*; None when it never is.
    """

    closest: Possible
    furthest: Possible
    most_losses: int | None


def pairings(k1: int, k2: int, n: int, *, alpha: float = 0.05) -> Pairings:
    """The range of the paired p over everything two published counts leave open.

    With c questions won by the lower system alone the higher wins |k1 - k2| + c alone. c goes from 0 (as
    many as possible are solved by both) to where no question is left to differ on, and p rises with c.
    """
    share(alpha, "alpha")
    if not 0 <= k1 <= n or not 0 <= k2 <= n:
        raise InputError(f"{k1} and {k2} of {n}", mend="give counts with 0 <= k <= n")

    def at(both: int) -> Possible:
        b, c = k1 - both, k2 - both
        return Possible(
            both=both, only_first=b, only_second=c, neither=n - both - b - c, p=mcnemar(b, c).p_exact
        )

    closest, furthest = at(min(k1, k2)), at(max(0, k1 + k2 - n))
    gap, most = abs(k1 - k2), min(k1, k2) - furthest.both

    def passes(losses: int) -> bool:
        found: McNemar = mcnemar(gap + losses, losses)
        return found.p_exact <= alpha

    if not passes(0):
        return Pairings(closest=closest, furthest=furthest, most_losses=None)
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if passes(middle) else (low, middle - 1)
    return Pairings(closest=closest, furthest=furthest, most_losses=low)


@dataclass(frozen=True, slots=True, kw_only=True)
class Apart:
    """A difference of two figures from different questions, or whose pairing is not known."""

    difference: float
    interval: Interval
    p: float | None
    test: str


def shares_apart(k1: int, n1: int, k2: int, n2: int, *, level: float = 0.95) -> Apart:
    """Two independent shares: Newcombe's hybrid score interval, and Fisher's exact test.

    d ± sqrt((p1 - l1)^2 + (u2 - p2)^2), upper likewise, l and u Wilson's limits.

    Source: Newcombe 1998 (Statistics in Medicine 17:873, method 10). Agrees with statsmodels
    ``confint_proportions_2indep(method="newcomb")``; p from ``scipy.stats.fisher_exact``.
    """
    if n1 < 1 or n2 < 1:
        raise InputError(f"{n1} and {n2} questions", mend="give at least one question each")
    one, two = wilson(k1, n1, level=level), wilson(k2, n2, level=level)
    p1, p2 = k1 / n1, k2 / n2
    l1, u1, l2, u2 = (float(x or 0.0) for x in (one.low, one.high, two.low, two.high))
    gap = p1 - p2
    low = max(-1.0, gap - math.hypot(p1 - l1, u2 - p2))
    high = min(1.0, gap + math.hypot(u1 - p1, p2 - l2))
    from scipy.stats import fisher_exact

    p = float(fisher_exact([[k1, n1 - k1], [k2, n2 - k2]])[1])
    return Apart(
        difference=gap,
        interval=Interval(low=low, high=high, level=level, method="Newcombe, independent shares"),
        p=min(1.0, p),
        test="Fisher's exact test",
    )


def means_apart(
    first: tuple[float, float, int], second: tuple[float, float, int], *, level: float = 0.95
) -> Apart:
    """Two independent means, each with its spread (ddof 1) and n: Welch's t, Satterthwaite's degrees.

    Agrees with ``scipy.stats.ttest_ind_from_stats(equal_var=False)``. No p when neither varies.
    """
    share(level, "level")
    (mean1, sd1, n1), (mean2, sd2, n2) = first, second
    gap, name = mean1 - mean2, "Welch's t"
    if n1 < 2 or n2 < 2:
        nothing = Interval(low=None, high=None, level=level, method=name, reason="fewer than two values")
        return Apart(difference=gap, interval=nothing, p=None, test=name)
    v1, v2 = sd1 * sd1 / n1, sd2 * sd2 / n2
    if v1 + v2 == 0:
        nothing = Interval(low=None, high=None, level=level, method=name, reason="no variation is reported")
        return Apart(difference=gap, interval=nothing, p=None, test=name)
    from scipy.special import stdtr, stdtrit

    df = (v1 + v2) ** 2 / (v1 * v1 / (n1 - 1) + v2 * v2 / (n2 - 1))
    error = math.sqrt(v1 + v2)
    half = float(stdtrit(df, 1 - (1 - level) / 2)) * error
    return Apart(
        difference=gap,
        interval=Interval(low=gap - half, high=gap + half, level=level, method=name),
        p=float(2 * stdtr(df, -abs(gap) / error)),
        test=name,
    )


def correlation_needed(gap: float, sd1: float, sd2: float, n: int, *, alpha: float = 0.05) -> float | None:
    """How alike two systems must be over the questions before their gap passes a paired t-test at *alpha*.

    The spread of differences is s^2 = s1^2 + s2^2 - 2 r s1 s2, and |gap| sqrt(n) / s must reach t_c: the
    smallest such r. Below -1: any will do; above 1: none will. None when there is no gap, no spread or n < 2.
    """
    share(alpha, "alpha")
    if n < 2 or gap == 0 or sd1 <= 0 or sd2 <= 0:
        return None
    from scipy.special import stdtrit

    most = abs(gap) * math.sqrt(n) / float(stdtrit(n - 1, 1 - alpha / 2))
    return (sd1 * sd1 + sd2 * sd2 - most * most) / (2 * sd1 * sd2)


def mcnemar_detectable(
    p: float, n: int, *, power: float = 0.8, alpha: float = 0.05, nested: bool = False
) -> float | None:
    """The smallest difference of hit rates that *n* questions find with *power*, against a system at *p*.

    The other system lies below *p* by the difference found (above, when p < 1/2). ``nested``: it fails on
    some questions and wins none alone, the easiest case there is. Else the two are independent over
    questions, harder than real systems, which tend to fail on the same ones. Exact McNemar test. None when
    no difference at all would be found.
    """
    share(power, "power")
    share(alpha, "alpha")
    top = p if p >= 0.5 else 1 - p
    if n < 1:
        return None
    low, high = 0.0, top

    def found(gap: float) -> bool:
        if nested:
            first, second = gap, 0.0
        else:
            first, second = top * (1 - top + gap), (1 - top) * (top - gap)
        return (mcnemar_power(first, second, n, alpha=alpha) or 0.0) >= power

    if not found(high):
        return None
    for _ in range(30):
        middle = (low + high) / 2
        low, high = (low, middle) if found(middle) else (middle, high)
    return high
