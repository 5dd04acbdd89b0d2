"""What every estimator asks of its arguments."""

from __future__ import annotations

import math
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
    """Student's quantile above one half for each of *df* >= 1: float64[n].

    Without scipy, whose import takes longer than a whole small evaluation. With t = sqrt(v) tan(u) the
    distribution is 1/2 + c int_0^u cos^(v-1), c = Gamma((v+1)/2) / (sqrt(pi) Gamma(v/2)): concave in u, so
    that Newton's steps from the normal quantile on never pass the root; Gauss-Legendre for the integral.
    Agrees with ``scipy.special.stdtrit`` to 1e-10 up to 10,000 df. Source: Student 1908.
    """
    v = np.asarray(df, dtype=np.float64)
    if share(probability, "probability") < 0.5 or (v < 1).any():
        raise InputError("no quantile here", mend="give a probability of 1/2 or more, and 1 df or more")
    half = v / 2
    # Gamma(x + 1/2) / Gamma(x): the difference of large logarithms would lose digits
    ratio = np.array(
        [
            0.5 * math.log(x) - 1 / (8 * x) + 1 / (192 * x**3) - 1 / (640 * x**5)
            if x > 100
            else math.lgamma(x + 0.5) - math.lgamma(x)
            for x in half.tolist()
        ]
    )
    c = np.exp(ratio) / math.sqrt(math.pi)
    node, weight = np.polynomial.legendre.leggauss(40)
    u = np.arctan(normal_quantile(probability) / np.sqrt(v))
    for _ in range(100):
        inside = (np.cos(u[:, None] * (node + 1) / 2) ** (v[:, None] - 1) * weight).sum(axis=1) * u / 2
        step = (probability - 0.5 - c * inside) / (c * np.cos(u) ** (v - 1))
        u = u + step
        if (np.abs(step) <= 1e-15 * (1 + u)).all():
            break
    return np.asarray(np.sqrt(v) * np.tan(u))
