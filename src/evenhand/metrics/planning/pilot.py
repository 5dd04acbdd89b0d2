"""Planning from a pilot: its spreads, and how much larger they may well be; never its gaps."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from evenhand.metrics.comparison.resamples import how
from evenhand.metrics.planning.designs import Design, Wish, hits_of, means
from evenhand.stats.argument_checks import share
from evenhand.stats.intervals.proportion import wilson

if TYPE_CHECKING:
    from evenhand.model.result import Contrast

__all__ = ["of_pilot", "upper_spread"]

SURE = 0.8


def upper_spread(sd: float, n: int, *, sure: float = SURE) -> float | None:
    """The one-sided upper limit of a standard deviation seen in *n* values: sd sqrt((n-1) / chi2_{1-sure}).

    A study planned with it has the power it wishes for with a chance of about *sure*. None for n < 2.
    Source: Browne 1995 (Statistics in Medicine 14:1933).
    """
    share(sure, "sure")
    if n < 2:
        return None
    from scipy.special import chdtri

    # chdtri takes the upper tail: the value that chi2 stays below with chance 1 - sure
    return sd * math.sqrt((n - 1) / float(chdtri(n - 1, sure)))


def of_pilot(contrasts: Sequence[Contrast], effects: Sequence[float], wish: Wish) -> list[Design]:
    """One design for each pair and each difference to be found, by the upper limit of the pilot's spread.

    ``n`` is planned with the upper limit, ``assumed["n_by_spread_seen"]`` with the spread itself. Hit rates
    are planned by the share of questions on which the pair differs. Pairs that never differ, or with one
    question, have no design.
    """
    made = []
    for c in contrasts:
        if not c.sd or c.n < 2:
            continue
        top = upper_spread(c.sd, c.n)
        for effect in effects:
            if how(c.metric) == "share":
                differ = c.counts.get("only_a", 0) + c.counts.get("only_b", 0)
                most = float(wilson(differ, c.n, level=SURE, side="upper").high or 1.0)
                plain, safe = hits_of(effect, differ / c.n, wish), hits_of(effect, most, wish)
                told = f"differ on {differ / c.n:.2g}, up to {most:.2g}"
            else:
                plain, safe = means(effect, c.sd, wish), means(effect, top or c.sd, wish)
                told = f"spread {c.sd:.3g}, up to {top:.3g}"
            made.append(
                replace(
                    safe,
                    says=f"{c.a} − {c.b}: {effect:g} ({told})",
                    assumed={
                        **safe.assumed,
                        "a": c.a,
                        "b": c.b,
                        "metric": c.metric,
                        "pilot_n": c.n,
                        "pilot_sd": c.sd,
                        "pilot_difference": c.difference,
                        "n_by_spread_seen": plain.n,
                    },
                )
            )
    return made
