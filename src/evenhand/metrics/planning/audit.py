"""An audit of a published figure without its data: its numbers; the sentences are in `audit_words`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from evenhand.errors import InputError
from evenhand.metrics.planning.audit_text import tell
from evenhand.stats.argument_checks import share
from evenhand.stats.intervals.proportion import clopper_pearson, wilson
from evenhand.stats.paired.paired import newcombe
from evenhand.stats.power.audit import (
    correlation_needed,
    fewest_wins,
    largest_sd,
    least_p,
    mcnemar_detectable,
    means_apart,
    pairings,
    shares_apart,
    t_interval,
)
from evenhand.stats.power.paired import mdes_paired_t

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evenhand.metrics.planning.published_figures import Figure
    from evenhand.stats.power.audit import Possible

__all__ = ["SCHEMA", "Audit", "audit"]

SCHEMA = "evenhand.audit/1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """Numbers by name (plain JSON), and the same in sentences."""

    figures: list[dict[str, Any]]
    compared: dict[str, Any]
    difference: dict[str, Any] | None
    floor: dict[str, Any]
    detectable: dict[str, Any]
    supports: list[str] = field(default_factory=list)
    does_not_support: list[str] = field(default_factory=list)
    would_help: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def audit(
    figures: Sequence[Figure],
    *,
    systems: int | None = None,
    tests: int | None = None,
    paired: bool | None = None,
    at_least: float | None = None,
    clusters: int | None = None,
    level: float = 0.95,
    power: float = 0.8,
) -> Audit:
    """Audit one figure, or the claim that the better of two is better.

    *systems*: how many were compared, so that its pairs are the family of tests (or *tests* of them); the
    smallest p of a family is multiplied by its size (Holm). *paired*: on the same questions; None: not
    known, assumed when both have the same n. *at_least*: a value that the figure is said to reach.
    *clusters*: from how many independent sources the questions come.
    """
    one = figures[0]
    if len(figures) > 2 or len({f.kind for f in figures}) > 1:
        raise InputError("a share and a mean cannot be compared", mend="give two figures of one metric")
    counted = systems is not None
    systems = len(figures) if systems is None else systems
    if systems < len(figures):
        raise InputError(f"{systems} systems were compared, {len(figures)} are given", mend="count them all")
    tests = max(1, systems * (systems - 1) // 2) if tests is None else tests
    if tests < 1:
        raise InputError(f"{tests} tests", mend="give 1 or more")
    alpha = round(1 - share(level, "level"), 12)
    share(power, "power")
    n = min(f.n for f in figures)
    if paired and len({f.n for f in figures}) > 1:
        raise InputError("figures of different n are not of the same questions", mend="leave --paired out")
    same = len({f.n for f in figures}) == 1 if paired is None else paired
    one_sided = _numbers(one, level=level, systems=systems, clusters=clusters)
    told = [one_sided, *(_numbers(f, level=level, systems=systems, clusters=clusters) for f in figures[1:])]
    wins = fewest_wins(alpha / tests)
    found = Audit(
        figures=told,
        compared={"systems": systems, "tests": tests, "alpha": alpha, "alpha_each": alpha / tests},
        difference=_difference(figures, same=same, level=level, tests=tests)
        if len(figures) == 2 and not any(f.wrong for f in figures)
        else None,
        floor={
            "n": n,
            "least_p": least_p(n),
            "least_p_adjusted": min(1.0, least_p(n) * tests),
            "fewest_wins": wins,
            "least_difference": wins / n if one.kind == "share" and wins <= n else None,
        },
        detectable=_detectable(figures, n, alpha=alpha / tests, power=power),
    )
    tell(found, figures, at_least=at_least, same=same, paired=paired, counted=counted)
    return found


def _numbers(f: Figure, *, level: float, systems: int, clusters: int | None) -> dict[str, Any]:
    """Intervals of one figure: as it stands, one-sided, as the best of all compared, and by clusters."""
    if clusters is not None and not 1 <= clusters <= f.n:
        raise InputError(f"{clusters} clusters of {f.n} questions", mend="give at most one a question")
    simultaneous = 1 - (1 - level) / systems
    least, most = (f.k_low, f.k_high) if f.k_low is not None else (f.value * f.n, f.value * f.n)
    base: dict[str, Any] = {
        "printed": f.printed, "kind": f.kind, "value": f.value, "n": f.n, "k": f.k,
        "k_range": None if f.k_low is None else [f.k_low, f.k_high], "sd": f.sd,
        "sd_assumed": f.widest, "wrong": f.wrong or None, "cut": f.cut, "level": level, "step": 1 / f.n,
        "exact": None, "clustered": None,
    }  # fmt: skip
    if f.wrong or (f.kind == "mean" and f.n < 2):  # no interval of what cannot be, nor of one value
        nothing = dict.fromkeys(("low", "high", "lower", "upper"))
        return base | nothing | {"method": None, "best_of": [None, None]}
    if f.kind == "share" or f.widest:
        assert least is not None and most is not None  # noqa: S101, PT018 - both or neither
        if f.k_low is not None and f.k_high is not None:
            ends = clopper_pearson(f.k_low, f.n, level=level), clopper_pearson(f.k_high, f.n, level=level)
            base["exact"] = [ends[0].low, ends[1].high]
        if clusters is not None:
            # items of a cluster all alike: the effective number of questions is that of the clusters
            by = wilson(f.value * clusters, clusters, level=level)
            base["clustered"] = {"clusters": clusters, "low": by.low, "high": by.high}
        return base | {
            "method": "Wilson" + (", at the widest spread that the mean allows" if f.widest else ""),
            "low": wilson(least, f.n, level=level).low,
            "high": wilson(most, f.n, level=level).high,
            "lower": wilson(least, f.n, level=level, side="lower").low,
            "upper": wilson(most, f.n, level=level, side="upper").high,
            "best_of": [
                wilson(least, f.n, level=simultaneous).low,
                wilson(most, f.n, level=simultaneous).high,
            ],
        }
    sd = f.sd or 0.0
    within = largest_sd(f.value, f.n) is not None
    plain = t_interval(f.value, sd, f.n, level=level)
    sided = t_interval(f.value, sd, f.n, level=1 - 2 * (1 - level)) if level > 0.5 else plain
    wide = t_interval(f.value, sd, f.n, level=simultaneous)
    if clusters is not None and clusters >= 2:
        by = t_interval(f.value, sd, clusters, level=level)
        base["clustered"] = {"clusters": clusters, "low": _in(by.low, within), "high": _in(by.high, within)}
    return base | {
        "method": plain.method,
        "low": _in(plain.low, within),
        "high": _in(plain.high, within),
        "lower": _in(sided.low, within),
        "upper": _in(sided.high, within),
        "best_of": [_in(wide.low, within), _in(wide.high, within)],
    }


def _in(value: float | None, within: bool) -> float | None:
    """A bound kept on the scale 0..1 where the figure lies on it."""
    return value if value is None or not within else min(1.0, max(0.0, value))


def _difference(figures: Sequence[Figure], *, same: bool, level: float, tests: int) -> dict[str, Any]:
    a, b = figures
    alpha = (1 - level) / tests
    told: dict[str, Any] = {"value": a.value - b.value, "same_questions": same}
    if a.kind == "share" and a.k is not None and b.k is not None:
        apart = shares_apart(a.k, a.n, b.k, b.n, level=level)
        if same:
            # where rounding leaves several counts, the widest gap at best and the narrowest at worst
            wide, narrow = (
                pairings(*counts, a.n, alpha=alpha) for counts in (_counts(a, b, +1), _counts(a, b, -1))
            )
            told |= {
                "closest": _way(wide.closest, level, tests),
                "furthest": _way(narrow.furthest, level, tests),
                "possible": wide.most_losses is not None,
                "most_losses": narrow.most_losses,
            }
    else:
        apart = means_apart((a.value, a.sd or 0.0, a.n), (b.value, b.sd or 0.0, b.n), level=level)
        if same:
            gap, sds = a.value - b.value, (a.sd or 0.0, b.sd or 0.0)
            told["correlation_needed"] = correlation_needed(gap, *sds, a.n, alpha=alpha)
    p = apart.p
    return told | {
        "unpaired": {
            "low": apart.interval.low,
            "high": apart.interval.high,
            "method": apart.interval.method,
            "test": apart.test,
            "p": p,
            "p_adjusted": None if p is None else min(1.0, p * tests),
        }
    }


def _counts(a: Figure, b: Figure, way: int) -> tuple[int, int]:
    """The counts behind two printed shares that lie furthest apart (*way* 1) or nearest together (-1)."""
    low = (a.k_low or 0, b.k_low or 0)
    high = (a.k_high or 0, b.k_high or 0)
    first = 0 if a.value >= b.value else 1
    top, bottom = (high, low) if way > 0 else (low, high)
    found = [0, 0]
    found[first] = top[first]
    found[1 - first] = min(bottom[1 - first], found[first]) if way < 0 else bottom[1 - first]
    return found[0], found[1]


def _way(way: Possible, level: float, tests: int) -> dict[str, Any]:
    cells = (way.both, way.only_first, way.only_second, way.neither)
    bounds = newcombe(*cells, level=level).interval
    names = ("both", "only_first", "only_second", "neither")
    return dict(zip(names, cells, strict=True)) | {
        "p": way.p,
        "p_adjusted": min(1.0, way.p * tests),
        "low": bounds.low,
        "high": bounds.high,
    }


def _detectable(figures: Sequence[Figure], n: int, *, alpha: float, power: float) -> dict[str, Any]:
    one = max(figures, key=lambda f: f.value)
    told: dict[str, Any] = {"power": power, "alpha": alpha}
    if any(f.wrong for f in figures):
        nothing = dict.fromkeys(("nested", "independent", "d_z", "correlation_0", "correlation_half"))
        return told | {"method": None} | nothing
    if one.kind == "share":
        return told | {
            "method": "McNemar, exact",
            "nested": mcnemar_detectable(one.value, n, power=power, alpha=alpha, nested=True),
            "independent": mcnemar_detectable(one.value, n, power=power, alpha=alpha),
        }
    d_z = mdes_paired_t(n, power=power, alpha=alpha) if least_p(n) <= alpha else None
    sds = [f.sd for f in figures] * (3 - len(figures))
    first, second = (s or 0.0 for s in sds[:2])

    def at(r: float) -> float | None:
        spread = max(0.0, first * first + second * second - 2 * r * first * second) ** 0.5
        return None if d_z is None else d_z * spread

    return told | {"method": "paired t", "d_z": d_z, "correlation_0": at(0.0), "correlation_half": at(0.5)}
