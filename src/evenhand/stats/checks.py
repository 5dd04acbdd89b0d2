"""What every estimator asks of its arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from evenhand.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["TIE", "column", "normal_quantile", "p_value", "share", "t_quantile"]

SMALLEST = float(np.finfo(np.float64).tiny)
TIE = 1e-12  # two floats no further apart than this are the same value


def share(value: float, name: str) -> float:
    """*value* when it lies strictly between 0 and 1 (a level, an alpha, a power)."""
    if not 0.0 < value < 1.0:
        raise InputError(f"{name} is {value!r}", mend=f"give {name} as a number between 0 and 1")
    return float(value)


def column(values: ArrayLike, name: str = "values") -> NDArray[np.float64]:
    """*values* as float64[n]; NaN and infinities are refused, since they would spread silently."""
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1:
        raise InputError(f"{name} has shape {array.shape}", mend="give one column of numbers")
    if not np.isfinite(array).all():
        at = int(np.flatnonzero(~np.isfinite(array))[0])
        raise InputError(
            f"{name}[{at}] is {array[at]}", mend="leave undefined values out before calling, and count them"
        )
    return array


def p_value(p: float) -> float:
    """*p* kept within (0, 1]: one too small for a float is the smallest float, never 0."""
    return min(1.0, max(float(p), SMALLEST))


def normal_quantile(probability: float) -> float:
    """The standard normal quantile (Wichura 1988, AS241; agrees with ``scipy.special.ndtri``)."""
    from statistics import NormalDist

    return NormalDist().inv_cdf(probability)


def t_quantile(probability: float, df: ArrayLike) -> NDArray[np.float64]:
    """Student's quantile for each of *df* >= 1: float64[n] (``scipy.special.stdtrit``)."""
    v = np.asarray(df, dtype=np.float64)
    if share(probability, "probability") < 0.5 or (v < 1).any():
        raise InputError("no quantile here", mend="give a probability of 1/2 or more, and 1 df or more")
    from scipy.special import stdtrit

    return np.asarray(stdtrit(v, probability), dtype=np.float64)
