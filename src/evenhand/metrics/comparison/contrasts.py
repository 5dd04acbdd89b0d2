"""Paired differences of many pairs of systems, vectorised over pairs and metrics."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from evenhand.metrics.comparison.resamples import Draws, how
from evenhand.model.result import Contrast
from evenhand.stats.argument_checks import TIE
from evenhand.stats.intervals.resample import resampled_means
from evenhand.stats.many_systems.multiple import holm
from evenhand.stats.paired.paired import mcnemar, newcombe, of_differences
from evenhand.stats.paired.signflip import SignFlip, signflips
from evenhand.stats.power.paired import sample_sizes_paired

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from evenhand.model.result import Measurements

__all__ = ["MOST", "Pair", "contrasts", "whole"]

MOST = 100_000  # more questions than this are not a realistic answer
SPREADS = 2_000  # resamples behind the range of the spread: the first of the common ones
CELLS = 1_500_000  # differences held at once, of which there are a few copies


@dataclass(frozen=True, slots=True)
class Pair:
    """Positions of two systems and of the metric they are compared on."""

    a: int
    b: int
    metric: int


def contrasts(
    draws: Draws, pairs: Sequence[Pair], *, adjust: str = "holm", exploratory: bool = False
) -> list[Contrast]:
    """The contrast a − b of each pair, on the questions both define, with its verdict.

    Means: percentile interval from the common resamples and the sign-flip test. Shares: Newcombe's
    method 10 and the exact McNemar test. The pairs are one family for *adjust* (``holm`` or ``none``)
    unless they are exploratory.
    """
    m = draws.measurements
    masks = [draws.defined(p.a, p.metric) & draws.defined(p.b, p.metric) for p in pairs]
    draws.draw(
        (system, p.metric, mask)
        for p, mask in zip(pairs, masks, strict=True)
        if how(m.metrics[p.metric]) == "mean"
        for system in (p.a, p.b)
    )
    found: list[Contrast | None] = [None] * len(pairs)
    for members, mask in _groups(masks):
        for block in _blocks(members, int(mask.sum())):
            for at, contrast in zip(block, _block(draws, [pairs[i] for i in block], mask), strict=True):
                found[at] = contrast
    done = [c for c in found if c is not None]
    family = len(done) if adjust == "holm" and not exploratory else None
    adjusted: Sequence[float | None] = (
        holm([c.p for c in done], family=family) if family else [None] * len(done)
    )
    done = [
        replace(
            c,
            p_adjusted=p,
            family=family,
            exploratory=exploratory,
            verdict=_verdict(c, p, draws.settings.alpha),
        )
        for c, p in zip(done, adjusted, strict=True)
    ]
    alpha = draws.settings.alpha / (family or 1)
    for members, mask in _groups(masks):
        open_ = [i for i in members if done[i].verdict == "cannot tell"]
        for block in _blocks(open_, int(mask.sum())):
            for i, needed in zip(block, _needed(draws, [pairs[i] for i in block], mask, alpha), strict=True):
                done[i] = replace(done[i], needed=needed)
    return done


def _groups(masks: Sequence[NDArray[np.bool_]]) -> Iterator[tuple[list[int], NDArray[np.bool_]]]:
    """Positions that share a mask, in order of first appearance."""
    groups: dict[bytes, list[int]] = {}
    for i, mask in enumerate(masks):
        groups.setdefault(mask.tobytes(), []).append(i)
    for members in groups.values():
        yield members, masks[members[0]]


def _blocks(members: Sequence[int], n: int) -> Iterator[list[int]]:
    size = max(1, CELLS // max(n, 1))
    for first in range(0, len(members), size):
        yield list(members[first : first + size])


def _differences(draws: Draws, pairs: Sequence[Pair], mask: NDArray[np.bool_]) -> NDArray[np.float64]:
    """float64[n, pairs]; what is within 1e-12 of 0 is 0."""
    value = draws.measurements.value
    table = np.column_stack([value[p.a, p.metric][mask] - value[p.b, p.metric][mask] for p in pairs])
    table[np.abs(table) <= TIE] = 0.0
    return table


def _block(draws: Draws, pairs: Sequence[Pair], mask: NDArray[np.bool_]) -> list[Contrast]:
    m, settings = draws.measurements, draws.settings
    d = _differences(draws, pairs, mask)
    n = d.shape[0]
    kinds = [how(m.metrics[p.metric]) for p in pairs]
    means = [j for j, one in enumerate(kinds) if one == "mean"]
    flips = dict(zip(means, _flips(draws, d[:, means]), strict=True)) if n and means else {}
    bounds = _bounds(draws, [pairs[j] for j in means], mask) if n >= 2 and means else []
    bound = dict(zip(means, bounds, strict=False))
    out = []
    for j, p in enumerate(pairs):
        about = of_differences(d[:, j])
        base: dict[str, Any] = {
            "a": m.systems[p.a],
            "b": m.systems[p.b],
            "metric": m.metrics[p.metric],
            "difference": about.difference,
            "n": n,
            "level": settings.level,
            "d_z": about.d_z,
            "sd": about.sd,
            "wins": about.wins,
            "ties": about.ties,
            "losses": about.losses,
            "undefined": len(m.questions) - n,
        }
        if kinds[j] == "share":
            out.append(_shares(draws, p, mask, base))
            continue
        low, high, reason = None, None, _why_none(n, about.sd, about.difference)
        if reason is None:
            low, high = bound[j]
        flip = flips.get(j)
        out.append(
            Contrast(
                **base,
                low=low,
                high=high,
                method="paired percentile bootstrap",
                test=flip.method if flip else "sign-flip",
                p=flip.p if flip and n >= 2 else None,
                seed=settings.seed,
                resamples=settings.resamples,
                reason=reason,
            )
        )
    return out


def _flips(draws: Draws, d: NDArray[np.float64]) -> list[SignFlip]:
    return signflips(d, signs=draws.settings.signs, seed=draws.settings.seed, engine=draws.engine)


def _why_none(n: int, sd: float | None, difference: float | None) -> str | None:
    if n == 0:
        return "no question is defined for both"
    if n == 1:
        return "one question: no interval and no test"
    if sd == 0:
        return (
            "identical on every question" if not difference else "no variation seen: the same gap everywhere"
        )
    return None


def _bounds(draws: Draws, pairs: Sequence[Pair], mask: NDArray[np.bool_]) -> list[tuple[float, float]]:
    tail = (1 - draws.settings.level) / 2
    found: list[tuple[float, float]] = []
    for first in range(0, len(pairs), 64):  # 64 x 10,000 resamples: 5 MB
        some = pairs[first : first + 64]
        gaps = np.column_stack(
            [draws.means(p.a, p.metric, mask) - draws.means(p.b, p.metric, mask) for p in some]
        )
        low, high = np.quantile(gaps, [tail, 1 - tail], axis=0, overwrite_input=True)
        found += zip(low.tolist(), high.tolist(), strict=True)
    return found


def _shares(draws: Draws, p: Pair, mask: NDArray[np.bool_], base: dict[str, Any]) -> Contrast:
    a = whole(draws.measurements, p.a, p.metric, mask)
    b = whole(draws.measurements, p.b, p.metric, mask)
    counts = {
        "both": int((a & b).sum()),
        "only_a": int((a & ~b).sum()),
        "only_b": int((~a & b).sum()),
        "neither": int((~a & ~b).sum()),
    }
    n, method = base["n"], "Newcombe method 10"
    if n < 2:
        reason = _why_none(n, None, None)
        return Contrast(
            **base,
            low=None,
            high=None,
            method=method,
            test="McNemar, exact",
            p=None,
            counts=counts,
            reason=reason,
        )
    found = newcombe(*counts.values(), level=draws.settings.level)
    return Contrast(
        **base,
        low=found.interval.low,
        high=found.interval.high,
        method=method,
        test="McNemar, exact",
        p=mcnemar(counts["only_a"], counts["only_b"]).p_exact,
        counts=counts,
    )


def whole(m: Measurements, system: int, metric: int, mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """bool[n]: the yes/no values of a share; anything between is an error of the measuring."""
    from evenhand.errors import InputError

    values = m.value[system, metric][mask]
    if not np.isin(values, (0.0, 1.0)).all():
        odd = float(values[~np.isin(values, (0.0, 1.0))][0])
        raise InputError(
            f"{m.metrics[metric]} of {m.systems[system]} is {odd:g} on a question; a share is 0 or 1",
            mend="measure it again, or give the metric another name",
        )
    return np.asarray(values == 1.0)


def _verdict(c: Contrast, p_adjusted: float | None, alpha: float) -> str:
    p = c.p if p_adjusted is None else p_adjusted
    if c.n and c.wins + c.losses == 0:
        return "identical"
    if p is None or c.difference is None or p > alpha + TIE or c.difference == 0:
        return "cannot tell"
    return "better" if c.difference > 0 else "worse"


def _needed(
    draws: Draws, pairs: Sequence[Pair], mask: NDArray[np.bool_], alpha: float, power: float = 0.8
) -> list[dict[str, Any]]:
    """Questions that would settle the gap seen, from the paired spread and its own uncertainty."""
    settings = draws.settings
    d = _differences(draws, pairs, mask)
    n = d.shape[0]
    empty: list[dict[str, Any]] = [{} for _ in pairs]
    if n < 2:
        return empty
    gap, sd = d.mean(axis=0), d.std(axis=0, ddof=1)
    usable = np.flatnonzero((np.abs(gap) > TIE) & (sd > TIE))
    if not len(usable):
        return empty
    d, gap, sd = d[:, usable], np.abs(gap[usable]), sd[usable]
    rows = min(SPREADS, settings.resamples)
    moments = resampled_means(
        np.concatenate([d, d * d], axis=1), resamples=rows, seed=settings.seed, engine=draws.engine
    )
    first, second = moments[:, : len(usable)], moments[:, len(usable) :]
    spread = np.sqrt(np.maximum(second - first * first, 0.0) * (n / (n - 1)))
    tail = (1 - settings.level) / 2
    low, high = np.quantile(spread, [tail, 1 - tail], axis=0)
    sizes, enough = sample_sizes_paired(
        gap / np.maximum(np.stack([sd, low, high]), TIE), power=power, alpha=alpha
    )
    for at, j in enumerate(usable.tolist()):
        n_seen, n_low, n_high = (
            None if not found or x > MOST else int(x)
            for x, found in zip(sizes[:, at].tolist(), enough[:, at].tolist(), strict=True)
        )
        empty[j] = {"n": n_seen, "low": n_low, "high": n_high, "power": power, "alpha": round(alpha, 12)}
    return empty
