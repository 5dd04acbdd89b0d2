"""Logistic regression with a ridge penalty, for a few columns and hundreds of rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from evenhand.errors import InputError, Undecidable
from evenhand.stats.argument_checks import yes_no

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["Logistic", "logistic_fit"]

DIGITS = 9  # coefficients are rounded to this: processors differ beyond


@dataclass(frozen=True, slots=True, kw_only=True)
class Logistic:
    """P(1) = 1 / (1 + exp(-(intercept + sum coefficient_j (x_j - centre_j) / spread_j)))."""

    intercept: float
    coefficients: tuple[float, ...]
    centre: tuple[float, ...]
    spread: tuple[float, ...]
    penalty: float
    n: int

    def of(self, x: ArrayLike) -> NDArray[np.float64]:
        """P(1) of each row of *x* (float64[n, columns])."""
        from scipy.special import expit

        table = (np.asarray(x, dtype=np.float64) - self.centre) / self.spread
        return np.asarray(expit(self.intercept + table @ np.array(self.coefficients)), dtype=np.float64)


def logistic_fit(x: ArrayLike, y: ArrayLike, *, penalty: float) -> Logistic:
    """The coefficients that minimise mean(log(1 + exp(z)) - y z) + penalty/2 sum b^2, columns standardised.

    *x*: float64[n, columns], *y*: 0 or 1. The intercept is not penalised. A column that does not vary gets
    coefficient 0 (spread 1). Any *penalty* above 0 has one minimum, also where the classes can be told apart
    wholly. Raises InputError where all labels are the same.

    Source: Hoerl & Kennard 1970; le Cessie & van Houwelingen 1992. Agrees with sklearn
    ``LogisticRegression(C=1/(n penalty))`` on standardised columns; scipy minimises.
    """
    table, labels = np.asarray(x, dtype=np.float64), yes_no(y).astype(np.float64)
    if table.ndim != 2 or labels.shape != (len(table),) or not np.isfinite(table).all():
        raise InputError("columns and labels do not fit", mend="give one row of finite numbers a label")
    if len(set(labels.tolist())) < 2:
        raise InputError(
            "the labels are not of two kinds", mend="a rule is learned from right and wrong, both"
        )
    if not 0 < penalty < float("inf"):
        raise InputError(f"penalty is {penalty!r}", mend="give a finite number above 0")
    n, columns = table.shape
    centre = table.mean(axis=0)
    spread = table.std(axis=0)
    flat = spread <= 1e-12 * np.maximum(1.0, np.abs(centre))
    spread = np.where(flat, 1.0, spread)
    z = np.where(flat, 0.0, (table - centre) / spread)
    design = np.column_stack([np.ones(n), z])
    ridge = np.concatenate([[0.0], np.full(columns, float(penalty))])
    from scipy.optimize import minimize
    from scipy.special import expit

    def loss(b: NDArray[np.float64]) -> float:
        linear = design @ b
        return float((np.logaddexp(0.0, linear) - labels * linear).mean() + (ridge * b * b).sum() / 2)

    def slope(b: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(design.T @ (expit(design @ b) - labels) / n + ridge * b, dtype=np.float64)

    def bend(b: NDArray[np.float64]) -> NDArray[np.float64]:
        p = expit(design @ b)
        return np.asarray((design * (p * (1 - p))[:, None]).T @ design / n + np.diag(ridge), dtype=np.float64)

    found = minimize(
        loss, np.zeros(columns + 1), jac=slope, hess=bend, method="trust-exact", options={"gtol": 1e-9}
    )
    steepest = float(np.abs(slope(found.x)).max())
    if steepest > 1e-6:
        raise Undecidable(
            f"the logistic rule did not settle (slope {steepest:.1e})",
            mend="use fewer signals or a larger penalty",
        )
    b = np.round(found.x, DIGITS) + 0.0
    return Logistic(
        intercept=float(b[0]),
        coefficients=tuple(np.where(flat, 0.0, b[1:]).tolist()),
        centre=tuple(np.round(centre, DIGITS).tolist()),
        spread=tuple(np.maximum(np.round(spread, DIGITS), 10.0**-DIGITS).tolist()),
        penalty=float(penalty),
        n=n,
    )
