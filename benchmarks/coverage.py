"""How often the intervals of the product hold the truth: simulation with a fixed seed, 95% intervals.

A full run writes docs/explanation/coverage.md; the figures that reports quote are in evenhand.stats.coverage.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.bench import ROOT, Bench, Row
from benchmarks.coverage_labels import labels
from evenhand.stats.bootstrap import bca_acceleration, cluster_rate, mean_bca, mean_percentile
from evenhand.stats.clusters import cluster_mean
from evenhand.stats.kappa import cohen_kappa, kappa_by_topic
from evenhand.stats.paired import newcombe
from evenhand.stats.proportion import clopper_pearson, wilson, wilson_design_effect
from evenhand.stats.resample import count_blocks
from evenhand.stats.sequential import asymptotic_radius, beta_binomial, empirical_bernstein

PAGE = ROOT / "docs" / "explanation" / "coverage.md"
SEED = 20241009
NS = (12, 40, 100, 300)
SHORT = 0.93  # below this an interval is said to fall short
Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Size:
    """How much is simulated."""

    studies: int  # cheap intervals
    slow: int  # intervals computed one study at a time
    resamples: int


FULL, QUICK = Size(10_000, 2000, 2000), Size(200, 40, 200)


@dataclass(frozen=True, slots=True)
class Line:
    """Coverage of one interval in one setting, by n."""

    part: str
    interval: str
    setting: str
    at: dict[int, float]


# Populations of one value a question: the name, the true mean, and a draw of that shape.
def _mixed(dice: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Like nDCG@10 of a fair system: a sixth nothing, a third perfect, the rest between."""
    u = dice.random(shape)
    return np.where(u < 1 / 6, 0.0, np.where(u < 0.5, 1.0, dice.beta(2.0, 2.0, shape)))


def _ranks(dice: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Like RR@10 of a weak system: seven in ten nothing, else one over a rank of 1 to 10."""
    found = 1.0 / dice.integers(1, 11, shape)
    return np.where(dice.random(shape) < 0.7, 0.0, found)


def _high(dice: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Like R@10 of a strong system: nine in ten perfect, else a half or nothing."""
    u = dice.random(shape)
    return np.where(u < 0.9, 1.0, np.where(u < 0.95, 0.5, 0.0))


HARMONIC = float(np.mean(1.0 / np.arange(1, 11)))
MEANS: tuple[tuple[str, float, Callable[..., Array]], ...] = (
    ("like nDCG, mean 0.58", 1 / 3 + 0.5 * 0.5, _mixed),
    ("like RR of a weak system, mean 0.09", 0.3 * HARMONIC, _ranks),
    ("like recall of a strong system, mean 0.93", 0.925, _high),
)


def _ties(dice: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Differences of two like systems: six in ten are ties, the rest lean to one side."""
    d = np.clip(dice.normal(0.1, 0.35, shape), -1, 1)
    return np.where(dice.random(shape) < 0.6, 0.0, d)


def _true(draw: Callable[..., Array]) -> float:
    """The mean of a population without a closed form, from ten million draws."""
    dice = np.random.default_rng(1)
    return float(np.mean([draw(dice, (1_000_000,)).mean() for _ in range(10)]))


def _at(ordered: Array, share: Array | float) -> Array:
    """Type 7 quantiles of columns sorted along the first axis."""
    place = np.clip(np.asarray(share), 0, 1) * (len(ordered) - 1)
    low = np.floor(place).astype(np.int64) * np.ones(ordered.shape[1], dtype=np.int64)
    high = np.minimum(low + 1, len(ordered) - 1)
    at = np.arange(ordered.shape[1])
    return ordered[low, at] + (ordered[high, at] - ordered[low, at]) * (place - np.floor(place))


def _resampled(x: Array, size: Size) -> tuple[dict[str, tuple[Array, Array]], Array]:
    """Percentile, BCa and Student's intervals of the mean of every row of *x*, and where there is one."""
    from scipy.special import ndtr, ndtri, stdtrit

    studies, n = x.shape
    counts = np.concatenate([block for _, block in count_blocks(n, resamples=size.resamples, seed=SEED)])
    low, high, blow, bhigh = (np.empty(studies) for _ in range(4))
    for first in range(0, studies, 500):
        part = slice(first, min(first + 500, studies))
        ordered = np.sort(counts @ x[part].T / n, axis=0)
        low[part], high[part] = _at(ordered, 0.025), _at(ordered, 0.975)
        point = x[part].mean(axis=1)
        below = (ordered < point - 1e-12).mean(axis=0) + (np.abs(ordered - point) <= 1e-12).mean(axis=0) / 2
        a = np.array([bca_acceleration(row) or 0.0 for row in x[part]])
        z0 = ndtri(np.clip(below, 1e-9, 1 - 1e-9))
        ends = []
        for z in (-1.959963984540054, 1.959963984540054):
            ends.append(ndtr(z0 + (z0 + z) / (1 - a * (z0 + z))))
        blow[part], bhigh[part] = _at(ordered, ends[0]), _at(ordered, ends[1])
    half = stdtrit(n - 1, 0.975) * x.std(axis=1, ddof=1) / math.sqrt(n)
    centre, varies = x.mean(axis=1), np.ptp(x, axis=1) > 1e-12
    _same(x, varies, low, high, blow, bhigh, size)
    return {
        "percentile bootstrap": (low, high),
        "BCa bootstrap": (blow, bhigh),
        "Student's t": (centre - half, centre + half),
    }, varies


def _same(x: Array, varies: NDArray[np.bool_], *found: Array | Size) -> None:
    """The many at once are what the product gives one by one."""
    low, high, blow, bhigh, size = found
    assert isinstance(size, Size)
    at = int(np.flatnonzero(varies)[0])
    one = mean_percentile(x[at], resamples=size.resamples, seed=SEED).interval
    two = mean_bca(x[at], resamples=size.resamples, seed=SEED).interval
    told = [float(side[at]) for side in (low, high, blow, bhigh)]  # type: ignore[index]
    np.testing.assert_allclose(told[:2], [one.low, one.high], atol=1e-9)
    # of resamples that tie with the mean the product counts those equal to the last bit, as scipy does
    np.testing.assert_allclose(told[2:], [two.low, two.high], atol=0.01)


def _hit(low: Array, high: Array, truth: float, where: NDArray[np.bool_]) -> float:
    """Coverage among the studies that print an interval: those whose values vary."""
    return float(((low <= truth + 1e-12) & (truth <= high + 1e-12))[where].mean())


def means(ns: Sequence[int], size: Size) -> list[Line]:
    found: dict[tuple[str, str, str], dict[int, float]] = {}
    settings = [("means", name, truth, draw) for name, truth, draw in MEANS]
    settings.append(("paired differences", "six in ten tied", _true(_ties), _ties))
    for part, name, truth, draw in settings:
        for n in ns:
            x = draw(np.random.default_rng([SEED, n]), (size.studies, n))
            intervals, varies = _resampled(x, size)
            for interval, (low, high) in intervals.items():
                found.setdefault((part, interval, name), {})[n] = _hit(low, high, truth, varies)
    return [Line(*key, at) for key, at in found.items()]


def shares(ns: Sequence[int]) -> list[Line]:
    """Exactly, by adding up the binomial."""
    from scipy.stats import binom

    made = []
    for name, interval in (("Wilson", wilson), ("Clopper-Pearson", clopper_pearson)):
        for p in (0.5, 0.8, 0.95):
            at = {}
            for n in ns:
                inside = 0.0
                for k in range(n + 1):
                    one = interval(k, n)
                    if one.low is not None and one.high is not None and one.low <= p <= one.high:
                        inside += float(binom.pmf(k, n, p))
                at[n] = inside
            made.append(Line("hit rates", name, f"rate {p:g}", at))
    return made


def pairs(ns: Sequence[int], size: Size) -> list[Line]:
    cells = {
        "0.70 against 0.60, alike": (0.55, 0.15, 0.05, 0.25),
        "0.95 against 0.90, alike": (0.88, 0.07, 0.02, 0.03),
    }
    made = []
    for name, chances in cells.items():
        at, truth = {}, chances[1] - chances[2]
        for n in ns:
            drawn = np.random.default_rng([SEED, n]).multinomial(n, chances, size=size.studies)
            tables, times = np.unique(drawn, axis=0, return_counts=True)
            inside = 0
            for table, many in zip(tables.tolist(), times.tolist(), strict=True):
                one = newcombe(*table).interval
                inside += many * (
                    one.low is not None and one.high is not None and one.low <= truth <= one.high
                )
            at[n] = inside / size.studies
        made.append(Line("paired hit rates", "Newcombe method 10", name, at))
    return made


def _clustered(n: int, studies: int, icc: float, p: float) -> tuple[list[NDArray[np.int64]], Array]:
    """Sizes 1 to 9 of n/5 or more clusters, and each cluster's own rate (beta, mean p, correlation icc)."""
    dice = np.random.default_rng([SEED, n, 5])
    k = max(3, round(n / 5))
    sizes = dice.integers(1, 10, size=(studies, k))
    a = p * (1 - icc) / icc
    rates = dice.beta(a, (1 - p) * (1 - icc) / icc, size=(studies, k))
    return [dice.binomial(sizes, rates), sizes], rates


def clusters(ns: Sequence[int], size: Size) -> list[Line]:
    icc, p = 0.3, 0.8
    setting = f"rate {p:g}, clusters of 5 on average, correlation {icc:g}"
    found: dict[str, dict[int, float]] = {}
    for n in ns:
        (hits, sizes), _ = _clustered(n, size.slow, icc, p)
        kept: dict[str, list[bool]] = {}
        for x, m in zip(hits, sizes, strict=True):
            total, k = int(m.sum()), int(x.sum())
            rate = cluster_rate(x, m, resamples=size.resamples, seed=SEED)
            values = np.concatenate([np.repeat([1.0, 0.0], [a, b - a]) for a, b in zip(x, m, strict=True)])
            names = np.repeat(np.arange(len(m)), m).tolist()
            intervals = {
                "Wilson, clusters ignored": wilson(k, total),
                "Wilson with design effect, mean size": wilson_design_effect(x, m).interval,
                "Wilson with design effect, weighted size": wilson_design_effect(
                    x, m, m="size_weighted"
                ).interval,
                "cluster bootstrap, macro": rate.macro.interval,
                "cluster bootstrap, pooled": rate.pooled.interval,
                "linearised over clusters, t": cluster_mean(values, names).interval,
            }
            for name, one in intervals.items():
                held = one.low is not None and one.high is not None and one.low <= p <= one.high
                if one.low != one.high:
                    kept.setdefault(name, []).append(held)
        for name, every in kept.items():
            found.setdefault(name, {})[n] = float(np.mean(every))
    return [Line("hit rates in clusters", name, setting, at) for name, at in found.items()]


def clustered_means(ns: Sequence[int], size: Size) -> list[Line]:
    """Clusters shift a value up and down: correlation 0.3 on a scale of 0 to 1."""
    found: dict[str, dict[int, float]] = {}
    truth = 0.5
    for n in ns:
        dice = np.random.default_rng([SEED, n, 7])
        k = max(3, round(n / 5))
        names = np.repeat(np.arange(k), 5)[:n] if 5 * k >= n else np.arange(n) % k
        centre = dice.beta(3.0, 3.0, size=(size.studies, k))  # with the noise below the correlation is 0.3
        x = np.clip(0.5 + (centre[:, names] - 0.5) + dice.uniform(-0.5, 0.5, (size.studies, n)), -0.5, 1.5)
        intervals, varies = _resampled(x, size)
        plain = intervals["percentile bootstrap"]
        found.setdefault("percentile bootstrap, clusters ignored", {})[n] = _hit(*plain, truth, varies)
        held = []
        for row in x[: size.slow]:
            one = cluster_mean(row, names.tolist()).interval
            held.append(one.low is not None and one.high is not None and one.low <= truth <= one.high)
        found.setdefault("linearised over clusters, t", {})[n] = float(np.mean(held))
    setting = "clusters of 5, correlation about 0.3"
    return [Line("means in clusters", name, setting, at) for name, at in found.items()]


def kappas(ns: Sequence[int], size: Size) -> list[Line]:
    """Two raters, 30% yes, kappa 0.6; by topic: a topic's own share of yes moves."""
    p, kappa = 0.3, 0.6
    off = p * (1 - p) * (1 - kappa)
    chances = (p * p + kappa * p * (1 - p), off, off, (1 - p) ** 2 + kappa * p * (1 - p))
    plain, topics = {}, {}
    for n in ns:
        drawn = np.random.default_rng([SEED, n, 9]).multinomial(n, chances, size=size.slow)
        tables, times = np.unique(drawn, axis=0, return_counts=True)
        inside = 0
        for (a, b, c, d), many in zip(tables.tolist(), times.tolist(), strict=True):
            one = cohen_kappa([1] * (a + b) + [0] * (c + d), [1] * a + [0] * b + [1] * c + [0] * d).interval
            inside += many * (one.low is not None and one.high is not None and one.low <= kappa <= one.high)
        plain[n] = inside / size.slow
    for n in (n for n in ns if n >= 40):
        held = []
        dice = np.random.default_rng([SEED, n, 11])
        for _ in range(max(20, size.slow // 4)):
            labels = dice.choice(4, size=n, p=chances)
            topic = (np.arange(n) // 5).tolist()
            first, second = (labels < 2).astype(int).tolist(), (labels % 2 == 0).astype(int).tolist()
            one = kappa_by_topic(
                first, second, topic, resamples=min(1000, size.resamples), seed=SEED
            ).interval
            held.append(one.low is not None and one.high is not None and one.low <= kappa <= one.high)
        topics[n] = float(np.mean(held))
    setting = "kappa 0.6, 30% yes"
    return [
        Line("agreement", "kappa, large-sample", setting, plain),
        Line("agreement", "kappa, bootstrap over topics of 5", setting, topics),
    ]


def around_labels(ns: Sequence[int], size: Size) -> list[Line]:
    """Three raters, few human labels beside a judge, AUC by source."""
    few = max(20, size.slow // 4)
    made = labels(ns, studies=size.slow, few=few, resamples=size.resamples, seed=SEED)
    return [Line(*one) for one in made]


def sequences(ns: Sequence[int], size: Size) -> list[Line]:
    """Does the sequence hold the truth at every number of questions up to n?"""
    most = max(ns)
    made = []
    for name, truth, draw in MEANS[:2]:
        x = draw(np.random.default_rng([SEED, 13]), (size.slow, most))
        sides = [empirical_bernstein(row) for row in x]
        out = np.array([(low > truth) | (high < truth) for low, high in sides])
        at = {n: float(1 - out[:, :n].any(axis=1).mean()) for n in ns}
        made.append(Line("looking after every question", "empirical Bernstein", name, at))
    hits = np.cumsum(np.random.default_rng([SEED, 15]).random((min(size.slow, 300), most)) < 0.8, axis=1)
    known: dict[tuple[int, int], bool] = {}
    held = []
    for row in hits.tolist():
        since = most + 1
        for t, k in enumerate(row, 1):
            if (k, t) not in known:
                one = beta_binomial(k, t - k)
                known[k, t] = one.low is not None and one.high is not None and one.low <= 0.8 <= one.high
            if not known[k, t]:
                since = t
                break
        held.append(since)
    at = {n: float(np.mean([since > n for since in held])) for n in ns}
    made.append(Line("looking after every question", "beta-binomial", "rate 0.8", at))
    for name, truth, d in (
        (
            "differences, six in ten tied",
            _true(_ties),
            _ties(np.random.default_rng([SEED, 17]), (size.studies, most)),
        ),
        (
            "differences of hit rates, eight in ten tied",
            0.1,
            np.random.default_rng([SEED, 19]).choice(
                [0.0, 1.0, -1.0], p=[0.8, 0.15, 0.05], size=(size.studies, most)
            ),
        ),
    ):
        at = {}
        for n in (n for n in ns if n >= 40):
            t = np.arange(1, n + 1)
            mean = np.cumsum(d[:, :n], axis=1) / t
            square = np.cumsum(d[:, :n] ** 2, axis=1) / t
            sd = np.sqrt(np.maximum(square - mean**2, 0) * t / np.maximum(t - 1, 1))
            log = -2 * math.log(0.05)
            rho = math.sqrt((log + math.log(log + 1)) / n)
            unit = np.array([asymptotic_radius(int(i), 1.0, rho=rho) or 0.0 for i in t])
            out = (np.abs(mean - truth) > sd * unit)[:, 19:]
            at[n] = float(1 - out.any(axis=1).mean())
        made.append(Line("looking after every question", "asymptotic, from 20 questions on", name, at))
    return made


def simulate(*, quick: bool) -> list[Line]:
    """Every line of the page, in its order."""
    ns, size = ((12, 40), QUICK) if quick else (NS, FULL)
    return [
        *means(ns, size),
        *shares(ns),
        *pairs(ns, size),
        *clusters(ns, size),
        *clustered_means(ns, size),
        *kappas(ns, size),
        *around_labels(ns, size),
        *sequences(ns, size),
    ]


def main(quick: bool) -> Bench:
    """Simulate, write the page (not when *quick*), and name the lowest coverage of each interval."""
    lines = simulate(quick=quick)
    if not quick:
        PAGE.write_text(page(lines), encoding="utf-8")
    lowest: dict[tuple[str, str], tuple[float, int, str]] = {}
    for line in lines:
        for n, x in line.at.items():
            key = (line.part, line.interval)
            lowest[key] = min(lowest.get(key, (2.0, 0, "")), (x, n, line.setting))
    rows = tuple(
        Row(what=f"{interval} ({part})", found=f"{x:.1%} at n = {n} ({setting})")
        for (part, interval), (x, n, setting) in lowest.items()
    )
    return Bench(
        title="Coverage of 95% intervals",
        says="The lowest share of simulated studies whose interval held the truth; all of it is in "
        "[the page](../docs/explanation/coverage.md).",
        rows=rows,
    )


HEAD = """# How often the intervals hold

Every interval promises to hold the truth in 95 of 100 studies like this one. This page says how often it did, in
{studies:,} simulated studies each ({slow:,} for those computed one at a time; {resamples:,} resamples), with a fixed
seed. A figure is uncertain by about 0.4 points ({slow:,} studies: 1). Hit rates without clusters are exact, added up
over the binomial. `python -m benchmarks coverage` makes the page again.

**Bold**: below 93%. A study in which every value is the same prints no interval and is left out: of 12 questions with a
recall like that of the strong system below, 28 of 100 studies.
"""

SAYS = {
    "means": "Few questions and a lopsided metric make the bootstrap too narrow: it sees only the spread of the "
    "questions at hand. BCa helps little. Reports warn below 20 questions, and up to 100 where six in ten values are the "
    "same, and quote the figures of this table.",
    "paired differences": "The interval beside a difference. The verdict is by the sign-flip test, which keeps its level "
    "at any n.",
    "hit rates": "Wilson is close to 95% on average over rates and may dip at a single one; Clopper-Pearson never falls "
    "below and is wider than it need be.",
    "paired hit rates": "Newcombe's method 10.",
    "hit rates in clusters": "Questions of one document stand or fall together. Ignoring that is the worst mistake on "
    "this page. The design effect repairs most of it; with 3 clusters (n = 12) or 8 (n = 40) nothing repairs it fully, "
    "since the spread between clusters is itself known from 3 or 8 values. Reports warn below 15 clusters.",
    "means in clusters": "The same for means: reports resample questions, not clusters, count the clusters and show the "
    "design effect.",
    "agreement": "The large-sample interval of kappa is short for a dozen items; so is resampling few topics.",
    "three raters": "Bootstrap, of items or of whole topics, 500 studies: uncertain by about 2 points.",
    "few human labels beside a judge": "n is the number of human labels. PPI++ is a large-sample interval, so reports "
    "flag it below 100 labels; by clusters it needs many. Rogan-Gladen adds pseudo counts and errs on the wide side.",
    "a score against a label": "The pooled AUC, sources resampled whole; 500 studies.",
    "looking after every question": "Here the interval must hold at *every* number of questions up to n. The first three "
    "are guaranteed and therefore wide; the asymptotic one, which reports draw around a difference, is not guaranteed "
    "below a few dozen questions and starts at 20.",
}


def page(lines: Sequence[Line]) -> str:
    """The page as Markdown."""
    size = FULL
    out = [HEAD.format(studies=size.studies, slow=size.slow, resamples=size.resamples)]
    for part in dict.fromkeys(line.part for line in lines):
        inside = [line for line in lines if line.part == part]
        out += [f"## {part.capitalize()}\n", f"{_wrapped(SAYS[part])}\n"]
        out += [
            "| interval | setting | " + " | ".join(f"n = {n}" for n in NS) + " |",
            "|---|---|" + "---:|" * len(NS),
        ]
        for line in inside:
            cells = [_cell(line.at.get(n)) for n in NS]
            out.append(f"| {line.interval} | {line.setting} | " + " | ".join(cells) + " |")
        out.append("")
    out += ["## Where each falls short\n"]
    for interval, parts in _short(lines).items():
        out.append(_wrapped(f"- **{interval}**: {'; '.join(parts)}.", "  "))
    return "\n".join(out) + "\n"


def _wrapped(text: str, indent: str = "") -> str:
    return textwrap.fill(text, 120, subsequent_indent=indent, break_on_hyphens=False)


def _cell(x: float | None) -> str:
    if x is None:
        return "–"
    return f"**{x:.1%}**" if x < SHORT else f"{x:.1%}"


def _short(lines: Sequence[Line]) -> dict[str, list[str]]:
    told: dict[str, list[str]] = {}
    for line in lines:
        low = [f"{x:.0%} at n = {n}" for n, x in line.at.items() if x < SHORT]
        if low:
            told.setdefault(f"{line.interval} ({line.part})", []).append(f"{line.setting}: {', '.join(low)}")
    return told
