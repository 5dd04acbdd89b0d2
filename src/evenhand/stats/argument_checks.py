"""What every estimator asks of its arguments."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import TYPE_CHECKING

import numpy as np

from evenhand.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["TIE", "column", "normal_quantile", "p_value", "share", "t_quantile", "within", "yes_no"]

SMALLEST = float(np.finfo(np.float64).tiny)
TIE = 1e-12  # two floats no further apart than this are the same value


def share(value: float, name: str) -> float:
    """*value* when it lies strictly between 0 and 1 (a level, an alpha, a power)."""
    if not 0.0 < value < 1.0:
        raise InputError(f"{name} is {value!r}", mend=f"give {name} as a number between 0 and 1")
    return float(value)


def column(values: ArrayLike, name: str = "values") -> NDArray[np.float64]:
    """*values* as float64[n]; NaN, infinities and all that is no number (``"1"``, None) are refused."""
    raw = np.asarray(values)
    if raw.dtype.kind not in "biuf":
        given = values if isinstance(values, Sequence) else raw.ravel().tolist()
        for at, value in enumerate(given):
            if not isinstance(value, Real | np.bool_):
                raise InputError(
                    f"{name}[{at}] is {value!r}: no number",
                    mend="give numbers; leave undefined values out before calling, and count them",
                )
    array = np.asarray(raw, dtype=np.float64)
    if array.ndim != 1:
        raise InputError(f"{name} has shape {array.shape}", mend="give one column of numbers")
    if not np.isfinite(array).all():
        at = int(np.flatnonzero(~np.isfinite(array))[0])
        raise InputError(
            f"{name}[{at}] is {array[at]}", mend="leave undefined values out before calling, and count them"
        )
    return array


def yes_no(values: ArrayLike, name: str = "labels") -> NDArray[np.bool_]:
    """*values* as bool[n]: 1 (True) is yes, 0 (False) is no, and any other label is refused."""
    array = column(values, name)
    odd = np.flatnonzero(~np.isin(array, (0.0, 1.0)))
    if len(odd):
        raise InputError(
            f"{name}[{odd[0]}] is {array[odd[0]]:g}: neither yes (1) nor no (0)",
            mend="cut grades and scores into 0 and 1 before, by a rule that you can name",
        )
    return np.asarray(array == 1.0)


def within(values: NDArray[np.float64], bounds: tuple[float, float] | None, name: str) -> None:
    """Refuses labels that lie outside the *bounds* of their scale."""
    if bounds is None:
        return
    odd = np.flatnonzero((values < bounds[0]) | (values > bounds[1]))
    if len(odd):
        raise InputError(
            f"{name}[{odd[0]}] is {values[odd[0]]:g}, outside the scale {bounds[0]:g} to {bounds[1]:g} "
            f"({len(odd)} such)",
            mend="leave them out and count them, or clamp them and say so",
        )


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
