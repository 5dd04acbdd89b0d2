"""Is what is new no worse than what was there, by more than a declared margin? One pair, and a family."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import InputError
from evenhand.metrics.catalogue.names import parse
from evenhand.metrics.comparison.resamples import how
from evenhand.stats.intervals.bootstrap import mean
from evenhand.stats.intervals.clusters import cluster_mean
from evenhand.stats.paired.paired import differences, of_differences
from evenhand.stats.power.paired import (
    NonInferiority,
    noninferiority_bootstrap,
    noninferiority_newcombe,
    noninferiority_t,
    sample_size_paired,
)

__all__ = ["Case", "Decided", "checkable", "enough", "hold", "hold_all"]

MOST = 1_000_000  # more questions than this are no answer
CHOSEN = ("AnsweredPrecision",)
WORSE = ("FalseAnswerRate", "RBPResidual")  # the higher, the worse: a margin below them means nothing


@dataclass(frozen=True, eq=False)
class Case:
    """One metric of two systems on the questions that both define: float64[n] each, and their clusters."""

    metric: str
    new: NDArray[np.float64]
    old: NDArray[np.float64]
    margin: float
    cluster: Sequence[str] = ()

    @property
    def gaps(self) -> NDArray[np.float64]:
        """New minus old; what is within 1e-12 of 0 is a tie."""
        return differences(self.new, self.old)

    @property
    def counts(self) -> tuple[int, int, int, int]:
        """Of a hit rate: questions that both hit, only the new, only the old, neither."""
        a, b = self.new == 1.0, self.old == 1.0
        return int((a & b).sum()), int((a & ~b).sum()), int((~a & b).sum()), int((~a & ~b).sum())


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """A verdict, and the one-sided alpha at which it fell (or was last looked for)."""

    found: NonInferiority
    alpha: float


def checkable(metric: str) -> None:
    """Raise `InputError` for a metric that cannot be held to a margin below it, question by question."""
    try:
        name = parse(metric).name
    except InputError:
        return  # measured elsewhere: a mean, and higher is better
    why = (
        "is no mean over questions, so that there is no paired difference"
        if how(metric) == "total"
        else "is the worse the higher it is"
        if name in WORSE
        else "is about the questions that each system chooses to answer, so that they are no pairs"
        if name in CHOSEN
        else ""
    )
    if why:
        raise InputError(
            f"{metric} {why}", mend="check a metric that has a value for each question, higher being better"
        )


def hold(
    case: Case, *, test: str = "auto", alpha: float = 0.05, seed: int = 20241009, resamples: int = 10_000
) -> NonInferiority:
    """The declared test: Newcombe's interval for hit rates (``auto``), else the paired t.

    ``bootstrap``: the paired bootstrap; ``clusters``: the t-interval of the mean difference with its error
    over clusters, for questions that belong together. Sources: Schuirmann 1987; Newcombe 1998; Piaggio
    et al. 2012; Liang & Zeger 1986.
    """
    kind = how(case.metric)
    if test == "clusters":
        return _clustered(case, alpha)
    if test == "bootstrap":
        return noninferiority_bootstrap(case.gaps, case.margin, alpha=alpha, seed=seed, resamples=resamples)
    if test == "auto" and kind == "share":
        return replace(
            noninferiority_newcombe(*case.counts, case.margin, alpha=alpha), method="Newcombe method 10"
        )
    return noninferiority_t(case.gaps, case.margin, alpha=alpha)


def _clustered(case: Case, alpha: float) -> NonInferiority:
    found = cluster_mean(case.gaps, case.cluster, level=1 - 2 * alpha)
    low, high = found.interval.low, found.interval.high
    shape: dict[str, Any] = {"difference": found.mean, "p": None, "method": found.interval.method}
    if low is None or high is None or found.mean is None:
        return NonInferiority(
            **shape, verdict="inconclusive", low=None, high=None, reason=found.interval.reason
        )
    verdict = "pass" if low > -case.margin else "fail" if high < -case.margin else "inconclusive"
    return NonInferiority(**shape, verdict=verdict, low=low, high=high)  # type: ignore[arg-type]


def hold_all(
    cases: Sequence[Case], *, adjust: str = "none", alpha: float = 0.05, **options: Any
) -> list[Decided]:
    """Each case with its verdict; with *adjust* ``holm`` the claims of a kind are one family.

    Without adjustment each claim is made at alpha, and that all of them are passed at alpha as well (an
    intersection-union test needs no adjustment). With it, the chance of any false pass among the passes,
    and of any false fail among the fails, is alpha: of m cases those that are decided at alpha / m go
    first, the rest is held to alpha / (the number left), until none is decided. Source: Holm 1979; Berger
    1982.
    """
    if adjust == "none":
        return [Decided(found=hold(case, alpha=alpha, **options), alpha=alpha) for case in cases]
    made: dict[int, Decided] = {}
    last = [Decided(found=hold(case, alpha=alpha, **options), alpha=alpha) for case in cases]
    for claim in ("pass", "fail"):
        left = list(range(len(cases)))
        while left:
            each = alpha / len(left)
            now = {i: Decided(found=hold(cases[i], alpha=each, **options), alpha=each) for i in left}
            fell = [i for i in left if now[i].found.verdict == claim]
            for i in left:
                # what neither family decides is shown at the strictest level that it was held to
                last[i] = min(last[i], now[i], key=lambda one: one.alpha)
            made |= {i: now[i] for i in fell}
            left = [i for i in left if i not in fell]
            if not fell:
                break
    return [made.get(i, last[i]) for i in range(len(cases))]


def enough(case: Case, *, alpha: float = 0.05, power: float = 0.8) -> dict[str, Any]:
    """How many questions would decide, *power* of the time, by the spread of the differences seen.

    ``if_equal``: if there is truly no difference, which is what to plan by; ``as_seen``: if the difference
    is the one seen. One-sided t; for hit rates that never differ, the fewest at which Newcombe's interval
    clears the margin. None where no number would do. Source: Schuirmann 1987; Cohen 1988.
    """
    about = of_differences(case.gaps)
    if about.n < 2 or about.difference is None:
        return {"if_equal": None, "as_seen": None, "power": power}
    if not about.sd:
        found = _still(case, alpha)
        return {"if_equal": found, "as_seen": found, "power": power}
    # a two-sided test at 2 alpha has the same bound on the side that matters
    sizes = [
        sample_size_paired(distance / about.sd, power=power, alpha=2 * alpha).n_t if distance else None
        for distance in (case.margin, about.difference + case.margin)
    ]
    equal, seen = (None if n is None or n > MOST else n for n in sizes)
    return {"if_equal": equal, "as_seen": seen, "power": power}


def _still(case: Case, alpha: float) -> int | None:
    """The fewest questions at which a pair of hit rates that differs on none is decided."""
    if how(case.metric) != "share" or case.gaps.any():
        return None
    rate = mean(case.new) or 0.0

    def clears(n: int) -> bool:
        hits = round(rate * n)
        return noninferiority_newcombe(hits, 0, 0, n - hits, case.margin, alpha=alpha).verdict == "pass"

    high = 2
    while high < MOST and not clears(high):
        high *= 2
    if high >= MOST:
        return None
    low = high // 2
    while high - low > 1:
        middle = math.floor((low + high) / 2)
        low, high = (low, middle) if clears(middle) else (middle, high)
    return high
