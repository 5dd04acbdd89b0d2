"""A prediction-powered estimate, and the arithmetic that its designs share."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from evenhand.errors import InputError
from evenhand.model.result import Interval
from evenhand.stats.argument_checks import TIE, normal_quantile, share
from evenhand.stats.intervals.bootstrap import mean

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from evenhand.stats.intervals.proportion import Side

__all__ = ["Powered"]

Convention = Literal["ppi_py", "glide"]
APPROXIMATE = 100  # below this many labels the normal interval is only roughly right


@dataclass(frozen=True, slots=True, kw_only=True)
class Powered:
    """A mean from human labels and a judge, beside what the labels alone and the judge alone would say."""

    point: float | None
    se: float | None
    interval: Interval
    lam: float | tuple[float, ...] | None  # weight of the judge, by stratum or judge where there are several
    n: int  # human labels
    judged_only: int
    human: float | None  # the human labels alone, in the same design
    human_se: float | None
    judge: float | None  # the judge alone, on everything: biased, for contrast
    effective_n: float | None  # n (human_se / se)^2
    gain: float | None  # effective_n / n
    clusters: int | None = None  # labelled clusters, where they are the unit
    reason: str | None = None


def rules(convention: Convention) -> tuple[int, bool]:
    """Degrees of freedom of variances, and whether lambda is clipped to [0, 1]."""
    if convention not in ("ppi_py", "glide"):
        raise InputError(f"convention is {convention!r}", mend="use ppi_py or glide")
    return (0, True) if convention == "ppi_py" else (1, False)


def spread(values: NDArray[np.float64], ddof: int) -> float:
    """The variance; 0 for fewer values than it takes."""
    n, centre = len(values), mean(values)
    return (
        math.fsum(((values - centre) ** 2).tolist()) / (n - ddof) if centre is not None and n > ddof else 0.0
    )


def tuned(
    y: NDArray[np.float64], f: NDArray[np.float64], rest: NDArray[np.float64], *, ddof: int, clip: bool
) -> float:
    """Lambda of least variance: Cov_n(Y, f) / ((1 + n/N) Var_{n+N}(f)); 0 for a judge that never varies."""
    n, m = len(y), len(rest)
    pooled = spread(np.concatenate([f, rest]), 1)
    if n < 2 or m == 0 or pooled <= TIE**2:
        return 0.0
    together = math.fsum(((y - y.mean()) * (f - f.mean())).tolist()) / (n - ddof)
    lam = together / ((1 + n / m) * pooled)
    return min(1.0, max(0.0, lam)) if clip else lam


def error(
    y: NDArray[np.float64], f: NDArray[np.float64], rest: NDArray[np.float64], *, lam: float, ddof: int
) -> float:
    """SE^2 = l^2 Var_N(f)/N + Var_n(Y - l f)/n."""
    part = lam * lam * spread(rest, ddof) / len(rest) if len(rest) else 0.0
    return part + spread(y - lam * f, ddof) / len(y)


def powered(
    y: NDArray[np.float64],
    f: NDArray[np.float64],
    rest: NDArray[np.float64],
    *,
    lam: float,
    ddof: int,
    level: float,
    side: Side,
    bounds: tuple[float, float] | None,
    method: str,
    items: tuple[int, int] | None = None,
) -> Powered:
    """The estimate at *lam* from labels *y*, the judge *f* on the same units, and *rest* on the others.

    Units are items, or clusters that hold *items* (labelled, judged only) in all.
    """
    plain = mean(y)
    n, others = items or (len(y), len(rest))
    clusters = None if items is None else len(y)
    if plain is None:
        return packed(
            None,
            None,
            None,
            None,
            mean(rest),
            lam=None,
            n=0,
            rest=others,
            clusters=clusters,
            level=level,
            method=method,
        )
    adjusted = mean(y - lam * f) or 0.0
    point = (lam * (mean(rest) or 0.0) if lam else 0.0) + adjusted
    enough = len(y) > 1
    return packed(
        point,
        math.sqrt(error(y, f, rest, lam=lam, ddof=ddof)) if enough else None,
        plain,
        math.sqrt(spread(y, ddof) / len(y)) if enough else None,
        mean(np.concatenate([f, rest])),
        lam=lam,
        n=n,
        rest=others,
        clusters=clusters,
        level=level,
        side=side,
        bounds=bounds,
        method=method,
    )


def packed(
    point: float | None,
    se: float | None,
    human: float | None,
    human_se: float | None,
    judge: float | None,
    *,
    lam: float | tuple[float, ...] | None,
    n: int,
    rest: int,
    level: float,
    method: str,
    side: Side = "two",
    bounds: tuple[float, float] | None = None,
    flags: tuple[str, ...] = (),
    clusters: int | None = None,
) -> Powered:
    """An estimate with its normal interval, effective sample size and flags."""
    share(level, "level")
    one = "one human label" if clusters is None else "one labelled cluster"
    reason = "no human label" if point is None else one if se is None else None
    low = high = None
    if point is not None and se is not None:
        if side not in ("two", "lower", "upper"):
            raise InputError(f"side is {side!r}", mend="use two, lower or upper")
        reach = normal_quantile(1 - (1 - level) / 2 if side == "two" else level) * se
        low, high = (None if side == "upper" else point - reach), (None if side == "lower" else point + reach)
        flags += ("approximate",) if (n if clusters is None else clusters) < APPROXIMATE else ()
        flags += ("zero_width",) if se <= TIE else ()
        if bounds is not None:
            held = [None if x is None else min(bounds[1], max(bounds[0], x)) for x in (low, high)]
            flags += ("clipped",) if held != [low, high] else ()
            low, high = held
            point = min(bounds[1], max(bounds[0], point))
    effective = n * (human_se / se) ** 2 if se is not None and se > TIE and human_se is not None else None
    return Powered(
        point=point,
        se=se,
        interval=Interval(
            low=low,
            high=high,
            level=level,
            method=method if side == "two" else f"{method}, one-sided {side}",
            reason=reason,
            flags=flags,
        ),
        lam=lam,
        n=n,
        judged_only=rest,
        human=human,
        human_se=human_se,
        judge=judge,
        effective_n=effective,
        gain=effective / n if effective is not None else None,
        clusters=clusters,
        reason=reason,
    )
