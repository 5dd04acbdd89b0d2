"""Thresholds that come with a promise: Learn-then-Test and conformal risk control.

The split used to choose a threshold must not be the one used to report its risk.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from evenhand.errors import InputError
from evenhand.stats.argument_checks import TIE, column, p_value, share
from evenhand.stats.intervals.proportion import clopper_pearson

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = [
    "Certificate",
    "Conformal",
    "Tested",
    "binomial_pvalue",
    "certificate",
    "conformal_risk_control",
    "hoeffding_bentkus_pvalue",
    "learn_then_test",
    "learn_then_test_losses",
    "min_n_certified",
]

Method = Literal["bonferroni", "fixed_sequence"]


def binomial_pvalue(errors: int, n: int, alpha: float) -> float:
    """The p-value of "risk > alpha": P(Bin(n, alpha) <= errors); 1 when nothing was answered.

    Source: Clopper & Pearson 1934. Agrees with ``scipy.stats.binom.cdf``.
    """
    share(alpha, "alpha")
    if not 0 <= errors <= n:
        raise InputError(f"{errors} errors of {n}", mend="give 0 <= errors <= n")
    if n == 0:
        return 1.0
    from scipy.special import bdtr

    return p_value(bdtr(errors, n, alpha))


@dataclass(frozen=True, slots=True, kw_only=True)
class Tested:
    """Which thresholds are certified, and the one of most coverage among them."""

    p_values: tuple[float, ...]
    rejected: tuple[bool, ...]
    selected: float | None


def learn_then_test(
    thresholds: Sequence[float],
    answered: Sequence[int],
    errors: Sequence[int],
    *,
    alpha: float,
    delta: float,
    method: Method = "bonferroni",
) -> Tested:
    """Thresholds at which the selective risk is at most *alpha*, all at once with confidence 1 - *delta*.

    For each threshold p = P(Bin(answered, alpha) <= errors). Bonferroni: p <= delta/m. Fixed sequence:
    from the strictest (highest) threshold down, stopping at the first p > delta; the order must not come
    from the data; begin it where enough is answered, else it stops at once. None is selected when none is
    certified. Holds for independent questions, given the numbers answered: in simulated studies with delta
    0.1 the true risk was above *alpha* in 7% at most, but in 16% where questions came in clusters of five.
    Source: Angelopoulos, Bates, Candès, Jordan & Lei 2021/2025.
    """
    share(delta, "delta")
    if not len(thresholds) == len(answered) == len(errors):
        raise InputError("thresholds, answered and errors do not fit", mend="give one of each a threshold")
    p = [binomial_pvalue(e, n, alpha) for e, n in zip(errors, answered, strict=True)]
    return _certified(thresholds, answered, p, delta, method)


def learn_then_test_losses(
    thresholds: Sequence[float],
    answered: Sequence[int],
    risks: Sequence[float],
    *,
    alpha: float,
    delta: float,
    method: Method = "bonferroni",
) -> Tested:
    """`learn_then_test` for any losses in [0, 1]: *risks* are their means over the *answered* questions.

    The p-values are `hoeffding_bentkus_pvalue`; use `learn_then_test` for right or wrong, which is sharper.
    Source: Angelopoulos, Bates, Candès, Jordan & Lei 2021/2025.
    """
    share(delta, "delta")
    if not len(thresholds) == len(answered) == len(risks):
        raise InputError("thresholds, answered and risks do not fit", mend="give one of each a threshold")
    p = [hoeffding_bentkus_pvalue(risk, n, alpha) for risk, n in zip(risks, answered, strict=True)]
    return _certified(thresholds, answered, p, delta, method)


def _certified(
    thresholds: Sequence[float], answered: Sequence[int], p: list[float], delta: float, method: Method
) -> Tested:
    if method not in ("bonferroni", "fixed_sequence"):
        raise InputError(f"method is {method!r}", mend="use bonferroni or fixed_sequence")
    rejected = [False] * len(p)
    if method == "bonferroni":
        rejected = [value <= delta / len(p) for value in p]
    else:
        for i in sorted(range(len(p)), key=lambda i: -thresholds[i]):
            if p[i] > delta:
                break
            rejected[i] = True
    certified = [i for i, yes in enumerate(rejected) if yes]
    best = max(certified, key=lambda i: (answered[i], -thresholds[i])) if certified else None
    return Tested(
        p_values=tuple(p),
        rejected=tuple(rejected),
        selected=None if best is None else float(thresholds[best]),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificate:
    """One threshold's risk, certified or not: two views of one statement."""

    p_value: float
    upper: float | None  # one-sided Clopper-Pearson bound of the risk at 1 - delta
    certified: bool


def certificate(errors: int, n: int, *, alpha: float, delta: float) -> Certificate:
    """Is the risk at most *alpha* at confidence 1 - *delta*? It is just when p <= delta or upper <= alpha.

    Source: the duality of the binomial test and the interval of Clopper & Pearson 1934.
    """
    p = binomial_pvalue(errors, n, alpha)
    upper = clopper_pearson(errors, n, level=1 - delta, side="upper").high
    return Certificate(p_value=p, upper=upper, certified=p <= delta)


def min_n_certified(rate: float, *, alpha: float, delta: float, most: int = 100_000) -> int | None:
    """The fewest answered items, wrong at *rate*, that show a risk of *alpha* at most at 1 - *delta*.

    The smallest n with P(Bin(n, alpha) <= e) <= delta and e wrong of n being *rate* or more: rate 0 is
    `min_n_zero_errors`. None when *rate* is not below *alpha* (no number is enough), or beyond *most*.
    Source: Clopper & Pearson 1934.
    """
    share(alpha, "alpha")
    share(delta, "delta")
    if not 0 <= rate <= 1:
        raise InputError(f"rate is {rate!r}", mend="give a share between 0 and 1")
    if rate >= alpha:
        return None
    from scipy.special import bdtr

    errors = 0
    while True:
        # the p-value falls with n: the fewest items that certify this many errors, by halving
        low, high = errors, errors + 1
        while bdtr(errors, high, alpha) > delta:
            low, high = high, 2 * high
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if bdtr(errors, middle, alpha) > delta else (low, middle)
        if high > most:
            return None
        short = math.ceil(rate * high - 1e-9)
        if short <= errors:
            return high
        errors = short  # fewer errors were too few at this n, and so at every larger one


def hoeffding_bentkus_pvalue(risk: float, n: int, alpha: float) -> float:
    """The p-value of "mean loss > alpha" for losses in [0, 1] with mean *risk* over *n* items.

    min(exp(-n h1(min(risk, alpha), alpha)), e P(Bin(n, alpha) <= ceil(n risk))), at most 1, with
    h1(a, b) = a ln(a/b) + (1-a) ln((1-a)/(1-b)). Source: Bates et al. 2021. Agrees with MAPIE.
    """
    share(alpha, "alpha")
    if not 0 <= risk <= 1:
        raise InputError(f"the mean loss is {risk!r}", mend="scale losses to 0..1")
    if n < 1:
        return 1.0
    a = min(risk, alpha)
    h = (a * math.log(a / alpha) if a > 0 else 0.0) + (
        (1 - a) * math.log((1 - a) / (1 - alpha)) if a < 1 else 0.0
    )
    count = min(n, math.ceil(n * risk - 1e-9))
    return p_value(min(math.exp(-n * h), math.e * binomial_pvalue(count, n, alpha)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Conformal:
    """The smallest certified lambda (None: none qualifies) and the adjusted risk at each."""

    selected: float | None
    adjusted: tuple[float, ...]


def conformal_risk_control(
    losses: ArrayLike, lambdas: Sequence[float], *, alpha: float, bound: float = 1.0
) -> Conformal:
    """The smallest lambda with (n R(lambda) + B)/(n + 1) <= alpha, for losses that never rise with lambda.

    *losses*: float64[n, len(lambdas)] in 0..*bound* (B), lambdas rising. Controls the expected loss of a
    new exchangeable question, not with probability 1 - delta and not the selective risk: use the joint
    loss 1{answered and wrong}. n < B/alpha - 1 can never qualify. Of simulated calibrations on 8 clusters of
    five, which are not exchangeable, the mean risk was 10.8% for an *alpha* of 10%.
    Source: Angelopoulos, Bates, Fisch, Lei & Schuster 2024.
    """
    table, steps = np.asarray(losses, dtype=np.float64), column(lambdas, "lambdas")
    if table.ndim != 2 or table.shape[1] != len(steps) or not np.isfinite(table).all():
        raise InputError("losses are not a table", mend="give one row a question, one column a lambda")
    if (np.diff(steps) <= 0).any() or (np.diff(table, axis=1) > TIE).any():
        raise InputError("losses rise with lambda, or the lambdas do not", mend="use a loss that never rises")
    if (table < 0).any() or (table > bound).any():
        raise InputError(f"losses leave 0..{bound:g}", mend="scale losses, or give their bound")
    n = len(table)
    adjusted = (table.sum(axis=0) + bound) / (n + 1)
    fits = np.flatnonzero(adjusted <= alpha + TIE)
    return Conformal(selected=float(steps[fits[0]]) if len(fits) else None, adjusted=tuple(adjusted.tolist()))
