"""How an estimate, its interval and the order of systems settle as questions are added in random order."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from evenhand.metrics.comparison import verdict
from evenhand.metrics.comparison.contrasts import MOST
from evenhand.metrics.comparison.resamples import Draws, Settings, how, place
from evenhand.stats.argument_checks import TIE, t_quantile
from evenhand.stats.intervals.bootstrap import mean
from evenhand.stats.intervals.proportion import wilson
from evenhand.stats.intervals.sequential import asymptotic_radius, beta_binomial, empirical_bernstein
from evenhand.stats.power.paired import sample_size_paired
from evenhand.stats.sampling.seeds import stream
from evenhand.text.plural import many

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from evenhand.model.result import Contrast, Measurements, Standing

__all__ = ["Curve", "Gap", "Stability", "stability"]

SIZES = 30  # points of a curve at most
SYSTEMS = 12  # curves at most: the leader's field, best first
ORDERS = 200  # random orders behind the share of leads, fewer where there are very many values
FEWEST = 5  # questions below which nothing is drawn
CELLS = 30_000_000
ENOUGH = 20  # questions from which on the asymptotic sequence of a difference is drawn

Bounds = tuple[float | None, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """Values after each number of questions: mean, interval for that number alone, confidence sequence."""

    mean: tuple[float, ...]
    low: Bounds
    high: Bounds
    seq_low: Bounds
    seq_high: Bounds


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    """One system: its curve, its rank after each number of questions (ties share the better rank)."""

    system: str
    curve: Curve
    rank: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """The leader minus its closest rival, question by question.

    ``decided``: the size drawn from which on the confidence sequence excludes 0 in this order.
    ``needed``: questions in all at which the declared test finds a gap of this size with ``power``, looked
    at once; ``needed_looking``: those after which the confidence sequence would exclude 0, if gap and
    spread stay as seen. None: over 100,000, or no gap.
    """

    a: str
    b: str
    curve: Curve
    verdict: str
    decided: int | None
    needed: int | None
    needed_looking: int | None
    power: float
    seq_level: float  # of the sequence: adjusted for the family (Bonferroni), as the verdict is


@dataclass(frozen=True, slots=True, kw_only=True)
class Stability:
    """The curves of a field on one metric in one seeded order of the questions they all define.

    ``led``: after each number of questions, in which share of ``orders`` random orders the leader of all
    questions was (or shared) the first. It ends at 1 by construction.
    """

    metric: str
    n: int
    level: float
    seed: int
    sizes: tuple[int, ...]
    method: str
    sequence: str  # the confidence sequence, or why there is none
    of: int  # systems in the field
    curves: tuple[Ranked, ...]
    gap: Gap | None = None
    leader: str = ""
    led: tuple[float, ...] = ()
    orders: int = 0
    sentences: tuple[str, ...] = ()


def stability(
    measurements: Measurements,
    metric: str,
    *,
    standing: Standing | None = None,
    contrasts: Sequence[Contrast] = (),
    level: float = 0.95,
    power: float = 0.8,
    seed: int = 20241009,
) -> Stability | None:
    """Add the questions in one seeded order and look at each of at most 30 sizes; None below 5 questions.

    The field is that of *standing* (all systems without it). Intervals at a size are for that size alone:
    Student's t, for hit rates Wilson's. The confidence sequence (empirical Bernstein on values in 0..1,
    beta-binomial for hit rates) holds at all sizes at once, so that one may stop where it decides; that of
    the difference is the asymptotic one, tuned to n and drawn from 20 questions on, since the exact ones
    know only that a difference lies in -1..1. A flat running mean is no evidence of anything. Linear in
    systems times questions.
    """
    settings = Settings(level=level, seed=seed)
    draws, x = Draws(measurements, settings), place(measurements, measurements.systems[0], metric)[1]
    metric = measurements.metrics[x]
    field_ = [s for s in measurements.systems if standing is None or s in standing.best]
    alive = [s for s in field_ if draws.defined(measurements.at(s, metric)[0], x).any()]
    mask = (measurements.why[[measurements.at(s, metric)[0] for s in alive], x] == 0).all(axis=0)
    n = int(mask.sum())
    if how(metric) == "total" or n < FEWEST or not alive:
        return None
    values = np.stack([draws.values(measurements.at(s, metric)[0], x, mask) for s in alive])
    means = [mean(row) or 0.0 for row in values]
    best = sorted(range(len(alive)), key=lambda i: -means[i])
    if standing is not None and standing.leader in alive:
        first = alive.index(standing.leader)
        best = [first, *(i for i in best if i != first)]
    order = stream(seed, "stability").permutation(n)
    sizes = np.unique(np.rint(np.linspace(FEWEST, n, min(SIZES, n - FEWEST + 1))).astype(np.int64))
    share = how(metric) == "share"
    within = bool(values.min() >= 0 and values.max() <= 1)
    ranks = _ranks(values[:, order], sizes)
    shown = best[:SYSTEMS]
    gap = _gap(
        alive,
        values[:, order],
        best,
        metric=metric,
        standing=standing,
        contrasts=contrasts,
        sizes=sizes,
        settings=settings,
        power=power,
    )
    led, orders = _led(values, best[0], sizes, seed) if len(alive) > 1 else ((), 0)
    found = Stability(
        metric=metric,
        n=n,
        level=level,
        seed=seed,
        sizes=tuple(sizes.tolist()),
        method="Wilson" if share else "Student's t",
        sequence=("beta-binomial" if share else "empirical Bernstein")
        if within
        else "none: the values leave 0..1",
        of=len(alive),
        curves=tuple(
            Ranked(
                system=alive[i],
                curve=_curve(values[i, order], sizes, level=level, share=share, within=within),
                rank=tuple(ranks[i].tolist()),
            )
            for i in shown
        ),
        gap=gap,
        leader=alive[best[0]],
        led=led,
        orders=orders,
    )
    return replace(found, sentences=_words(found))


def _running(values: NDArray[np.float64], sizes: NDArray[np.int64]) -> NDArray[np.float64]:
    """float64[..., sizes]: means of the first so many values."""
    return np.asarray(np.cumsum(values, axis=-1)[..., sizes - 1] / sizes)


def _ranks(values: NDArray[np.float64], sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """int64[systems, sizes]: 1 + how many are ahead by more than rounding."""
    running = _running(values, sizes)
    ordered = np.sort(-running, axis=0)
    return np.stack(
        [
            1 + np.searchsorted(ordered[:, j], -running[:, j] - TIE, side="left")
            for j in range(running.shape[1])
        ],
        axis=1,
    )


def _curve(
    x: NDArray[np.float64], sizes: NDArray[np.int64], *, level: float, share: bool, within: bool
) -> Curve:
    running, alpha = _running(x, sizes), round(1 - level, 12)
    none: Bounds = (None,) * len(sizes)
    if share:
        hits = np.rint(np.cumsum(x)[sizes - 1]).astype(int).tolist()
        pairs = list(zip(hits, sizes.tolist(), strict=True))
        plain = [wilson(k, n, level=level) for k, n in pairs]
        sequence = [beta_binomial(k, n - k, alpha=alpha) for k, n in pairs]
        return Curve(
            mean=tuple(running.tolist()),
            low=tuple(i.low for i in plain),
            high=tuple(i.high for i in plain),
            seq_low=tuple(i.low for i in sequence),
            seq_high=tuple(i.high for i in sequence),
        )
    half, _ = _student(x, sizes, level=level)
    low, high = running - half, running + half
    if within:
        low, high = np.maximum(low, 0.0), np.minimum(high, 1.0)
        below, above = (side[sizes - 1] for side in empirical_bernstein(x, alpha=alpha))
    return Curve(
        mean=tuple(running.tolist()),
        low=tuple(low.tolist()),
        high=tuple(high.tolist()),
        seq_low=tuple(below.tolist()) if within else none,
        seq_high=tuple(above.tolist()) if within else none,
    )


def _student(
    x: NDArray[np.float64], sizes: NDArray[np.int64], *, level: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Half-width of Student's interval, and the spread (ddof 1), of the first so many values."""
    centred = x - x.mean()  # so that the squares do not lose their last digits
    first, second = _running(centred, sizes), _running(centred * centred, sizes)
    sd = np.sqrt(np.maximum(second - first * first, 0.0) * sizes / (sizes - 1))
    return t_quantile(1 - (1 - level) / 2, sizes - 1) * sd / np.sqrt(sizes), sd


def _led(
    values: NDArray[np.float64], leader: int, sizes: NDArray[np.int64], seed: int
) -> tuple[tuple[float, ...], int]:
    systems, n = values.shape
    orders = int(max(10, min(ORDERS, CELLS // (systems * n))))
    dice = stream(seed, "stability", "orders")
    count = np.zeros(len(sizes))
    for _ in range(orders):
        running = _running(values[:, dice.permutation(n)], sizes)
        count += running[leader] >= running.max(axis=0) - TIE
    return tuple((count / orders).tolist()), orders


def _gap(
    systems: Sequence[str],
    values: NDArray[np.float64],
    best: Sequence[int],
    *,
    metric: str,
    standing: Standing | None,
    contrasts: Sequence[Contrast],
    sizes: NDArray[np.int64],
    settings: Settings,
    power: float,
) -> Gap | None:
    """The leader against whoever is closest to it and not its twin."""
    first = best[0]
    differ = [i for i in best[1:] if (np.abs(values[i] - values[first]) > TIE).any()]
    if not differ:
        return None
    second = differ[0]
    if standing is not None:
        playing = [i for i in differ if systems[i] in standing.in_play]
        second = max(playing or differ, key=lambda i: standing.best.get(systems[i], 0.0))
    a, b = systems[first], systems[second]
    declared = (c for c in contrasts if c.metric == metric and not c.exploratory)
    known = next((c for c in declared if {c.a, c.b} == {a, b}), None)
    d = values[first] - values[second]
    d[np.abs(d) <= TIE] = 0.0
    n, gap, sd = len(d), mean(d) or 0.0, float(d.std(ddof=1))
    alpha = settings.alpha / ((known.family or 1) if known else 1)
    running, (half, spreads) = _running(d, sizes), _student(d, sizes, level=settings.level)
    reach = [
        _radius(t, spread, n, alpha) if t >= ENOUGH else None
        for t, spread in zip(sizes.tolist(), spreads.tolist(), strict=True)
    ]
    low, high = (
        tuple(
            None if r is None else centre + sign * r
            for centre, r in zip(running.tolist(), reach, strict=True)
        )
        for sign in (-1, 1)
    )
    needed, looking = None, None
    if gap > TIE and sd > TIE:
        found = sample_size_paired(gap / sd, power=power, alpha=alpha).n_t
        needed = found if found is not None and found <= MOST else None
        looking = _looking(gap, sd, n, alpha)
    said = known.verdict if known else ""
    return Gap(
        a=a,
        b=b,
        curve=Curve(
            mean=tuple(running.tolist()),
            low=tuple((running - half).tolist()),
            high=tuple((running + half).tolist()),
            seq_low=low,
            seq_high=high,
        ),
        verdict={"better": "worse", "worse": "better"}.get(said, said) if known and known.a == b else said,
        decided=_decided(low, high, sizes.tolist()),
        needed=needed,
        needed_looking=looking,
        power=power,
        seq_level=1 - alpha,
    )


def _radius(t: int, sd: float, n: int, alpha: float) -> float:
    """Half-width of the asymptotic sequence after *t* questions, tightest at *n*."""
    log = -2 * math.log(alpha)
    return asymptotic_radius(t, sd, rho=math.sqrt((log + math.log(log + 1)) / n), alpha=alpha) or 0.0


def _decided(low: Bounds, high: Bounds, sizes: Sequence[int]) -> int | None:
    """The first size from which on 0 is outside until the end."""
    since = None
    for below, above, size in zip(low, high, sizes, strict=True):
        outside = below is not None and above is not None and (below > 0 or above < 0)
        since = (since or size) if outside else None
    return since


def _looking(gap: float, sd: float, n: int, alpha: float) -> int | None:
    """The first t, of at most 100,000, at which the sequence is no wider than the gap."""
    if _radius(MOST, sd, n, alpha) >= gap:
        return None
    low, high = 1, MOST
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _radius(middle, sd, n, alpha) < gap else (middle, high)
    return high


def _words(s: Stability) -> tuple[str, ...]:
    said = []
    if s.orders:
        first = next(c for c in s.curves if c.system == s.leader)
        behind = [i for i, rank in enumerate(first.rank) if rank > 1]
        since = s.sizes[min(behind[-1] + 1, len(s.sizes) - 1)] if behind else 0
        half = int(np.abs(np.array(s.sizes) - s.n / 2).argmin())
        said.append(
            f"Added in random order, {s.leader} leads on {s.metric} "
            + (f"from question {since:,} on" if behind else "from the start")
            + f"; over {s.orders} such orders it led after {s.sizes[half]:,} of the "
            f"{many(s.n, 'question')} in {verdict.percent(s.led[half])}."
        )
    return tuple(said) if s.gap is None else (*said, _told(s.gap, s.n))


def _told(g: Gap, n: int) -> str:
    """What would decide it, or that it is decided."""
    pair, size = f"{g.a} against {g.b}", verdict.signed(g.curve.mean[-1])
    if g.verdict in ("better", "worse"):
        told = (
            f"{pair}: decided at {many(n, 'question')} by the declared test; one who looks after every "
            "question "
        )
        return told + (
            f"could say so from question {g.decided:,} on." if g.decided is not None else "cannot say so yet."
        )
    if g.needed is None:
        return f"{pair}: no realistic number of questions would decide a gap of {size}."
    if g.needed > n:
        told = (
            f"{pair}: about {verdict.about(g.needed - n)} more questions ({verdict.about(g.needed)} in all) "
            f"would decide a gap of {size} at {g.power:.0%} power, if gap and spread stay as seen"
        )
    else:
        told = f"{pair}: {many(n, 'question')} find a gap of {size} {g.power:.0%} of the time"
        told += "; here they did not" if g.verdict == "cannot tell" else ""
    if g.needed_looking is not None:
        looking = verdict.about(g.needed_looking)
        told += f"; for one who looks after every question it takes about {looking} in all"
    return f"{told}."
