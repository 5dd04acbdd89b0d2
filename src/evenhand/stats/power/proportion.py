"""How many items a gate on a bound needs, and how many of them must pass."""

from __future__ import annotations

import math

from evenhand.errors import InputError
from evenhand.stats.argument_checks import share
from evenhand.stats.intervals.proportion import wilson

__all__ = ["min_successes_for_wilson_lower", "n_for_wilson_lower", "times_design_effect"]


def _lower(k: float, n: int, level: float) -> float:
    return float(wilson(k, n, level=level).low or 0.0)


def n_for_wilson_lower(observed: float, threshold: float, *, level: float = 0.95) -> int | None:
    """The smallest n at which an *observed* share has its lower Wilson bound at *threshold* or above.

    Two-sided *level*. The bound rises with n towards the share, so the search is by halving. None when
    the share is not above the threshold: no number is enough. .80 against .75 needs 289, .90 needs 33.
    Source: Wilson 1927.
    """
    share(level, "level")
    for name, value in (("observed", observed), ("threshold", threshold)):
        if not 0 <= value <= 1:
            raise InputError(f"{name} is {value!r}", mend="give a share between 0 and 1")
    if threshold == 0:
        return 1
    if observed <= threshold:
        return None
    high = 1
    while _lower(min(high, observed * high), high, level) < threshold:
        high *= 2
        if high > 2**50:
            return None  # too near to the threshold for any real study
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        enough = _lower(min(middle, observed * middle), middle, level) >= threshold
        low, high = (low, middle) if enough else (middle, high)
    return high


def min_successes_for_wilson_lower(n: int, threshold: float, *, level: float = 0.95) -> int | None:
    """The fewest of *n* with the lower Wilson bound at *threshold* or above; None when all are too few.

    Two-sided *level*. Against .75: 44 of 50, 84 of 100, 163 of 200. Source: Wilson 1927.
    """
    if n < 1:
        raise InputError(f"n is {n}", mend="give 1 item or more")
    if not 0 <= threshold <= 1:
        raise InputError(f"threshold is {threshold!r}", mend="give a share between 0 and 1")
    if _lower(n, n, level) < threshold:
        return None
    low, high = -1, n
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _lower(middle, n, level) >= threshold else (middle, high)
    return high


def times_design_effect(n: int, *, per_cluster: float, icc: float) -> int:
    """*n* independent items as items in clusters: n (1 + (b - 1) ICC), rounded up. *per_cluster* is b.

    Source: Kish 1965.
    """
    if not 0 <= icc <= 1 or per_cluster < 1:
        raise InputError(
            f"icc {icc!r}, {per_cluster!r} a cluster", mend="give 0 <= icc <= 1 and 1 item or more"
        )
    return math.ceil(n * (1 + (per_cluster - 1) * icc) - 1e-9)
