"""Measurements summed up: estimates with intervals, paired contrasts, and a whole field compared."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from evenhand.errors import InputError, nearest
from evenhand.metrics.comparison import verdict
from evenhand.metrics.comparison.bias_warnings import warnings_of
from evenhand.metrics.comparison.contrasts import Pair, contrasts
from evenhand.metrics.comparison.estimates import estimate_of
from evenhand.metrics.comparison.leader import standing_of
from evenhand.metrics.comparison.resamples import Draws, Settings, decides, how, place
from evenhand.model.comparison import Comparison
from evenhand.model.result import Contrast, Estimate, Measurements, Standing

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from evenhand.protocols import Engine

__all__ = ["compare", "contrast", "estimate", "standing"]

Pairs = str | Sequence[tuple[str, str]]


def estimate(
    measurements: Measurements,
    system: str,
    metric: str,
    *,
    level: float = 0.95,
    resamples: int = 10_000,
    seed: int = 20241009,
) -> Estimate:
    """The population value of one system on one metric, over the questions it is defined on.

    A share by its name (Success ...) gets Wilson's interval, a mean the percentile bootstrap. No interval
    for n < 2, nor for a mean whose values do not vary ("no variation seen").
    """
    settings = Settings(level=level, resamples=resamples, seed=seed)
    draws = Draws(measurements, settings)
    s, m = place(measurements, system, metric)
    return estimate_of(draws, s, m, draws.defined(s, m))


def contrast(
    measurements: Measurements,
    a: str,
    b: str,
    metric: str,
    *,
    level: float = 0.95,
    resamples: int = 10_000,
    signs: int = 20_000,
    seed: int = 20241009,
) -> Contrast:
    """The paired difference a − b on the questions both define, as a single planned comparison.

    Means: paired percentile bootstrap (one index draw for both) and the sign-flip test. Shares: Newcombe's
    method 10 and the exact McNemar test, never the bootstrap.
    """
    settings = Settings(level=level, resamples=resamples, signs=signs, seed=seed)
    (first, m), (second, _) = place(measurements, a, metric), place(measurements, b, metric)
    _comparable(measurements.metrics[m])
    return contrasts(Draws(measurements, settings), [Pair(first, second, m)], adjust="none")[0]


def standing(
    measurements: Measurements,
    metric: str,
    *,
    level: float = 0.95,
    resamples: int = 10_000,
    signs: int = 20_000,
    seed: int = 20241009,
) -> Standing | None:
    """Who leads on *metric*, P(best), who is in play after adjustment; None for fewer than two systems."""
    options = {"level": level, "resamples": resamples, "signs": signs, "seed": seed}
    return compare(measurements, primary=metric, exploratory_metrics=(), **options).standing  # type: ignore[arg-type]


def compare(
    measurements: Measurements,
    *,
    primary: str,
    pairs: Pairs = "all",
    adjust: str = "holm",
    level: float = 0.95,
    resamples: int = 10_000,
    signs: int = 20_000,
    seed: int = 20241009,
    exploratory_metrics: Sequence[str] | None = None,
    nulls: Sequence[str] | None = None,
    engine: Engine | None = None,
) -> Comparison:
    """Compare all systems: estimates, paired contrasts with verdicts, who is in play, in numbers and words.

    The family is *pairs* (``all``, or pairs of names) on the *primary* metric, adjusted by *adjust*
    (``holm`` or ``none``). Contrasts on *exploratory_metrics* (None: all other metrics) are marked
    exploratory and not adjusted. All systems of a metric share one n: the questions on which every system
    has a value; only where a system decides which those are (AnsweredPrecision ...) has it its own. One
    draw of indices serves every column with the same questions.

    *nulls* name the systems that any other should beat (None: those called random, popular or constant,
    in any chunking); one that does not is warned of. *engine*: whose workers resample.
    """
    settings = Settings(level=level, resamples=resamples, signs=signs, seed=seed)
    if adjust not in ("holm", "none"):
        raise InputError(f"adjust is {adjust!r}", mend=nearest(adjust, ("holm", "none")))
    if not measurements.systems:
        raise InputError("no system was measured", mend="give at least one run")
    m = measurements
    draws, first = Draws(m, settings, engine), place(m, m.systems[0], primary)[1]
    primary = m.metrics[first]
    _comparable(primary)
    others = [x for x in range(len(m.metrics)) if x != first and how(m.metrics[x]) != "total"]
    if exploratory_metrics is not None:
        asked = {place(m, m.systems[0], name)[1] for name in exploratory_metrics}
        others = [x for x in others if x in asked]
    chosen = declared(m, pairs)
    common = [draws.common(x) for x in range(len(m.metrics))]
    draws.draw(
        (s, x, common[x])
        for x in range(len(m.metrics))
        for s in range(len(m.systems))
        if (x == first or how(m.metrics[x]) == "mean") and draws.defined(s, x).any()
    )

    estimates = tuple(
        estimate_of(
            draws, s, x, draws.defined(s, x) if decides(m.metrics[x]) else common[x] & draws.defined(s, x)
        )
        for s in range(len(m.systems))
        for x in [first, *(x for x in range(len(m.metrics)) if x != first)]
    )
    family = contrasts(draws, [Pair(a, b, first) for a, b in chosen], adjust=adjust)
    null = _nulls(m, nulls)
    against_null = [
        Pair(s, z, first)
        for z in null
        for s in range(len(m.systems))
        if s not in null and (s, z) not in chosen and (z, s) not in chosen
    ]
    aside = contrasts(
        draws,
        [*against_null, *(Pair(a, b, x) for x in others for a, b in chosen)],
        adjust="none",
        exploratory=True,
    )
    rank = _standing(draws, first, common[first], family) if len(m.systems) > 1 else None
    at_first = [e for e in estimates if e.metric == primary]
    headline = rank.sentence if rank else verdict.lone(at_first[0])
    sentences = [headline, *(verdict.pair(c) for c in family)]
    if len(family) > 1:
        sentences.append("Verdicts are by the test; the intervals are for each pair alone, not adjusted.")
    n = int(common[first].sum())
    if 0 < n < 100:
        sentences.append(f"One question moves a value of {primary} by at most 1/{n} = {1 / n:.3f}.")
    return Comparison(
        primary=primary,
        estimates=estimates,
        contrasts=(*family, *aside),
        standing=rank,
        warnings=tuple(
            warnings_of(
                m,
                primary,
                common=common,
                family=family,
                aside=aside,
                nulls=[m.systems[z] for z in null],
                settings=settings,
            )
        ),
        sentences=tuple(sentences),
        adjust=adjust,
        family=len(family),
        level=level,
        resamples=resamples,
        signs=signs,
        seed=seed,
    )


def _comparable(metric: str) -> None:
    if how(metric) == "total":
        raise InputError(
            f"{metric} is a count or a geometric mean over all questions, not a mean to compare systems on",
            mend="name a mean such as nDCG@10 as the primary metric",
        )


def declared(m: Measurements, pairs: Pairs) -> list[tuple[int, int]]:
    """Positions of the pairs of systems that are to be compared; `all`, or names."""
    if isinstance(pairs, str):
        if pairs != "all":
            raise InputError(f"pairs is {pairs!r}", mend="use 'all', or list pairs of systems")
        return list(combinations(range(len(m.systems)), 2))
    found: list[tuple[int, int]] = []
    for a, b in pairs:
        one = (m.at(a, m.metrics[0])[0], m.at(b, m.metrics[0])[0])
        if one[0] == one[1]:
            raise InputError(f"{a!r} is to be compared with itself", mend="name two different systems")
        if one in found or one[::-1] in found:
            raise InputError(f"the pair {a!r}, {b!r} is declared twice", mend="declare each pair once")
        found.append(one)
    return found


def _nulls(m: Measurements, nulls: Sequence[str] | None) -> list[int]:
    if nulls is not None:
        return [m.at(name, m.metrics[0])[0] for name in nulls]
    parts = [set(name.replace("·", "/").replace(":", "/").replace(" ", "/").split("/")) for name in m.systems]
    return [i for i, names in enumerate(parts) if names & {"random", "popular", "constant"}]


def _standing(
    draws: Draws, metric: int, mask: NDArray[np.bool_], family: Sequence[Contrast]
) -> Standing | None:
    m = draws.measurements
    alive = [s for s in range(len(m.systems)) if draws.defined(s, metric).any()]
    if len(alive) < 2 or not mask.any():
        return None
    return standing_of(
        [m.systems[s] for s in alive],
        np.stack([draws.values(s, metric, mask) for s in alive]),
        np.column_stack([draws.means(s, metric, mask) for s in alive]),
        family,
        metric=m.metrics[metric],
        resamples=draws.settings.resamples,
        seed=draws.settings.seed,
    )
