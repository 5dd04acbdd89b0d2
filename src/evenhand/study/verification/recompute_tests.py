"""Intervals and tests of a written report by scipy and statsmodels, from its written measurements."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from evenhand.plugins import need
from evenhand.text.plural import noun

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from polars import DataFrame

__all__ = ["estimates", "tests"]

NEAR = 1e-8  # a report rounds to ten significant digits
SIGMAS = 6.0  # two Monte Carlo runs may differ by so many of their own standard errors
SEED = 1
Table = dict[tuple[str, str], dict[str, float]]


def _table(measured: DataFrame) -> Table:
    """Values by system and metric, by question; undefined ones left out."""
    made: Table = {}
    for system, metric, question, value in measured.select(
        "system", "metric", "question", "value"
    ).iter_rows():
        held = made.setdefault((system, metric), {})
        if value is not None:
            held[question] = value
    return made


def estimates(report: Mapping[str, Any], measured: DataFrame) -> tuple[list[str], str]:
    """Faults of point values and intervals of single systems, and what was compared."""
    table = _table(measured)
    faults: list[str] = []
    counts: dict[str, int] = {}
    for row in report["estimates"]:
        values = np.array(list(table.get((row["system"], row["metric"]), {}).values()))
        name = f"{row['metric']} of {row['system']}"
        if len(values) != row["n"]:
            faults.append(
                f"{name} is over {row['n']} {noun(row['n'], 'question')}, and {len(values)} have a value"
            )
            continue
        if row["point"] is None or not len(values):
            continue
        _same(faults, f"{name}", row["point"], float(values.mean()))
        if row["low"] is None:
            continue
        low, high, slack, how = _interval(row, values)
        if how:
            counts[how] = counts.get(how, 0) + 1
            _same(faults, f"the lower end of {name}", row["low"], low, slack)
            _same(faults, f"the upper end of {name}", row["high"], high, slack)
    return faults, _counted(counts)


def _interval(row: Mapping[str, Any], values: NDArray[np.float64]) -> tuple[float, float, float, str]:
    proportion = need("statsmodels.stats.proportion", extra="verify")
    alpha, method = 1 - row["level"], row["method"]
    if row["k"] is not None and method in ("Wilson", "Clopper-Pearson"):
        kind = "wilson" if method == "Wilson" else "beta"
        low, high = proportion.proportion_confint(int(values.sum()), len(values), alpha=alpha, method=kind)
        return float(low), float(high), NEAR, f"{method} (statsmodels)"
    if method.endswith("percentile bootstrap") and len(values) > 1:
        low, high = _bootstrap(values, row["level"], row["resamples"])
        return low, high, _slack(values, row["resamples"]), "percentile bootstrap (scipy)"
    return 0.0, 0.0, 0.0, ""


def _bootstrap(values: NDArray[np.float64], level: float, resamples: int) -> tuple[float, float]:
    from scipy import stats

    found = stats.bootstrap(
        (values,),
        np.mean,
        n_resamples=resamples,
        confidence_level=level,
        method="percentile",
        batch=max(1, 4_000_000 // len(values)),
        rng=np.random.default_rng(SEED),
    ).confidence_interval
    return float(found.low), float(found.high)


def _slack(values: NDArray[np.float64], resamples: int) -> float:
    """How far two Monte Carlo quantiles may lie apart: by their own error, and by one step of a lattice.

    The standard error of a 2.5% quantile of B normal draws is sqrt(0.025 * 0.975 / B) / 0.0584 spreads.
    """
    spread = float(values.std()) / math.sqrt(len(values))
    step = float(values.max() - values.min()) / len(values)
    return SIGMAS * math.sqrt(2) * 2.7 * spread / math.sqrt(resamples) + step


def tests(report: Mapping[str, Any], measured: DataFrame) -> tuple[list[str], str]:
    """Faults of differences, their intervals, p-values and Holm's adjustment, and what was compared."""
    table = _table(measured)
    faults: list[str] = []
    counts: dict[str, int] = {}
    for row in report["contrasts"]:
        a, b = (table.get((row[side], row["metric"]), {}) for side in ("a", "b"))
        common = sorted(a.keys() & b.keys())
        name = f"{row['a']} minus {row['b']} on {row['metric']}"
        if len(common) != row["n"]:
            faults.append(
                f"{name} is over {row['n']} {noun(row['n'], 'question')}, and {len(common)} have both values"
            )
            continue
        one, two = (np.array([side[q] for q in common]) for side in (a, b))
        d = one - two
        d[np.abs(d) <= 1e-12] = 0.0
        if row["difference"] is None or not len(d):
            continue
        _same(faults, name, row["difference"], float(d.mean()))
        told = [row["wins"], row["ties"], row["losses"]]
        counted = [int((d > 0).sum()), int((d == 0).sum()), int((d < 0).sum())]
        if told != counted:
            faults.append(f"wins, ties and losses of {name} are {told}, and {counted} recomputed")
        if row["d_z"] is not None:
            _same(faults, f"d_z of {name}", row["d_z"], float(d.mean() / d.std(ddof=1)))
        if row["low"] is not None:
            low, high, slack, how = _paired(row, one, two, d)
            if how:
                counts[how] = counts.get(how, 0) + 1
                _same(faults, f"the lower end of {name}", row["low"], low, slack)
                _same(faults, f"the upper end of {name}", row["high"], high, slack)
        if row["p"] is not None:
            p, slack, how = _p(row, one, two, d)
            if how:
                counts[how] = counts.get(how, 0) + 1
                _same(faults, f"p of {name}", row["p"], p, slack)
    _holm(report, faults, counts)
    return faults, _counted(counts)


def _paired(
    row: Mapping[str, Any], one: NDArray[np.float64], two: NDArray[np.float64], d: NDArray[np.float64]
) -> tuple[float, float, float, str]:
    if row["method"].endswith("percentile bootstrap"):
        low, high = _bootstrap(d, row["level"], row["resamples"])
        return low, high, _slack(d, row["resamples"]), "paired bootstrap (scipy)"
    if row["method"] == "Newcombe method 10":
        low, high = _newcombe(one == 1, two == 1, row["level"])
        return low, high, NEAR, "Newcombe 10 (on Wilson of statsmodels)"
    return 0.0, 0.0, 0.0, ""


def _newcombe(a: NDArray[np.bool_], b: NDArray[np.bool_], level: float) -> tuple[float, float]:
    """Newcombe 1998 (Statistics in Medicine 17:2635), method 10, with its corrected phi."""
    confint = need("statsmodels.stats.proportion", extra="verify").proportion_confint
    n = len(a)
    p, q = a.mean(), b.mean()
    (l1, u1), (l2, u2) = (confint(int(x.sum()), n, alpha=1 - level, method="wilson") for x in (a, b))
    e, f, g, h = (int((x & y).sum()) for x, y in ((a, b), (a, ~b), (~a, b), (~a, ~b)))
    cross, below = e * h - f * g, (e + f) * (g + h) * (e + g) * (f + h)
    phi = 0.0 if not below else (max(cross - n / 2, 0) if cross > 0 else cross) / math.sqrt(below)
    # a hair below zero may be left when phi is 1
    low = math.sqrt(max(0.0, (p - l1) ** 2 - 2 * phi * (p - l1) * (u2 - q) + (u2 - q) ** 2))
    high = math.sqrt(max(0.0, (u1 - p) ** 2 - 2 * phi * (u1 - p) * (q - l2) + (q - l2) ** 2))
    return float(p - q - low), float(p - q + high)


def _p(
    row: Mapping[str, Any], one: NDArray[np.float64], two: NDArray[np.float64], d: NDArray[np.float64]
) -> tuple[float, float, str]:
    from scipy import stats

    if row["test"].startswith("McNemar"):
        cells = [[int(((one == x) & (two == y)).sum()) for y in (1, 0)] for x in (1, 0)]
        tables = need("statsmodels.stats.contingency_tables", extra="verify")
        return float(tables.mcnemar(cells, exact=True).pvalue), NEAR, "McNemar (statsmodels)"
    moved = d[d != 0]
    if not row["test"].startswith("sign-flip"):
        return 0.0, 0.0, ""
    if len(moved) < 2:
        return 1.0, NEAR, "sign flips (by hand)"
    drawn = "random" in row["test"]
    trials = 10_000 if drawn else np.inf
    found = stats.permutation_test(
        (moved,),
        lambda x, axis: x.sum(axis=axis),
        permutation_type="samples",
        n_resamples=trials,
        vectorized=True,
        batch=max(1, 4_000_000 // len(moved)),
        rng=np.random.default_rng(SEED),
    )
    p = float(found.pvalue)
    if not drawn:
        return p, NEAR, "sign flips, exact (scipy)"
    share = min(max(p, row["p"], 1e-4), 0.5)
    slack = SIGMAS * math.sqrt(2 * share * (1 - share) / 10_000) + 2e-3
    return p, slack, "sign flips, drawn (scipy)"


def _holm(report: Mapping[str, Any], faults: list[str], counts: dict[str, int]) -> None:
    rows = [one for one in report["contrasts"] if not one["exploratory"] and one["p_adjusted"] is not None]
    if not rows or any(one["family"] != len(rows) for one in rows):
        return
    adjusted = need("statsmodels.stats.multitest", extra="verify").multipletests(
        [one["p"] for one in rows], method="holm"
    )[1]
    for one, p in zip(rows, adjusted.tolist(), strict=True):
        _same(faults, f"adjusted p of {one['a']} minus {one['b']}", one["p_adjusted"], p)
    counts["Holm (statsmodels)"] = len(rows)


def _same(faults: list[str], name: str, told: float, found: float, slack: float = NEAR) -> None:
    if not abs(told - found) <= slack + NEAR * abs(told):
        faults.append(f"{name} is {told!r}, and {found!r} recomputed")


def _counted(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{n:,} by {how}" for how, n in counts.items())
