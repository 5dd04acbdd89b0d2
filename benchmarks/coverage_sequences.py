"""Intervals and bounds that must hold however often one looks."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from benchmarks.coverage_lines import SEED, Line, Size
from benchmarks.coverage_values import MEANS, ties, true_mean
from evenhand.stats.intervals.sequential import (
    alpha_spending,
    asymptotic_radius,
    beta_binomial,
    empirical_bernstein,
    normal_mixture_radius,
)

__all__ = ["looks", "sequences"]


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
        reach = np.array([normal_mixture_radius(t) or 0.0 for t in range(1, most + 1)])
        running = np.cumsum(x, axis=1) / np.arange(1, most + 1)
        out = np.abs(running - truth) > reach
        at = {n: float(1 - out[:, :n].any(axis=1).mean()) for n in ns}
        made.append(Line("looking after every question", "normal mixture", name, at))
    hits = np.cumsum(np.random.default_rng([SEED, 15]).random((min(size.slow, 300), most)) < 0.8, axis=1)
    known: dict[tuple[int, int], bool] = {}
    kept = []
    for row in hits.tolist():
        since = most + 1
        for t, k in enumerate(row, 1):
            if (k, t) not in known:
                one = beta_binomial(k, t - k)
                known[k, t] = one.low is not None and one.high is not None and one.low <= 0.8 <= one.high
            if not known[k, t]:
                since = t
                break
        kept.append(since)
    at = {n: float(np.mean([since > n for since in kept])) for n in ns}
    made.append(Line("looking after every question", "beta-binomial", "rate 0.8", at))
    for name, truth, d in (
        (
            "differences, six in ten tied",
            true_mean(ties),
            ties(np.random.default_rng([SEED, 17]), (size.studies, most)),
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


def looks(ns: Sequence[int], size: Size) -> list[Line]:
    """Four planned looks at two systems that are equal: how often is a difference claimed?"""
    most, made = max(ns), []
    bounds = np.array(alpha_spending((0.25, 0.5, 0.75, 1.0)).bounds)
    dice = np.random.default_rng([SEED, 35])
    d = ties(dice, (size.studies, most)) * dice.choice([-1.0, 1.0], size=(size.studies, most))
    at = {}
    for n in ns:
        crossed = np.zeros(len(d), dtype=bool)
        for share, bound in zip((0.25, 0.5, 0.75, 1.0), bounds, strict=True):
            x = d[:, : round(share * n)]
            error = x.std(axis=1, ddof=1) / math.sqrt(x.shape[1])
            crossed |= np.abs(x.mean(axis=1)) > bound * error
        at[n] = float(crossed.mean())
    name, setting = "O'Brien-Fleming spending, z: a difference claimed", "equal systems, four looks"
    made.append(Line("planned looks", name, setting, at, most=0.05))
    return made
