"""Looking repeatedly: intervals that hold at every n at once, and planned looks that share one alpha."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from evenhand.errors import InputError
from evenhand.model.result import Interval
from evenhand.stats.argument_checks import TIE, column, normal_quantile, share

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = [
    "Bounds",
    "alpha_spending",
    "asymptotic_radius",
    "beta_binomial",
    "empirical_bernstein",
    "normal_mixture_radius",
]


def normal_mixture_radius(
    t: int, *, alpha: float = 0.05, t_opt: int = 100, sigma: float = 0.5
) -> float | None:
    """Half-width of a confidence sequence for the mean of [0, 1] scores after *t* of them; None for t < 1.

    sqrt((v + rho)(ln((v + rho)/rho) + 2 ln(1/alpha))) / t, v = t sigma^2, with rho tuned to be tightest at
    *t_opt*: rho = v_opt / (2 ln(1/alpha) + ln(1 + 2 ln(1/alpha))). Valid at every t at once, for any
    sigma-sub-Gaussian scores (1/2 for [0, 1]). Source: Robbins 1970; Howard et al. 2021.
    """
    log = math.log(1 / share(alpha, "alpha"))
    if t < 1:
        return None
    v, v_opt = t * sigma**2, t_opt * sigma**2
    rho = v_opt / (2 * log + math.log(1 + 2 * log))
    return math.sqrt((v + rho) * (math.log((v + rho) / rho) + 2 * log)) / t


def asymptotic_radius(t: int, sd: float, *, rho: float = 0.3, alpha: float = 0.05) -> float | None:
    """Half-width of the asymptotic confidence sequence from the running *sd*; None for t < 1.

    sd sqrt(2 (t rho^2 + 1)/(t^2 rho^2) ln(sqrt(t rho^2 + 1)/alpha)). Only asymptotically valid.
    Source: Waudby-Smith, Arbour, Sinha, Kennedy & Ramdas 2024, theorem 2.2.
    """
    share(alpha, "alpha")
    if t < 1:
        return None
    spread = t * rho * rho + 1
    return sd * math.sqrt(2 * spread / (t * t * rho * rho) * math.log(math.sqrt(spread) / alpha))


def beta_binomial(
    successes: int, failures: int, *, alpha: float = 0.05, a: float = 0.5, b: float = 0.5
) -> Interval:
    """A confidence sequence for a hit rate: valid after every question, however often one looks.

    {p: B(a + s, b + f)/B(a, b) / (p^s (1-p)^f) < 1/alpha}. Before any question it is [0, 1].
    Source: Ville 1939; Robbins 1970.
    """
    share(alpha, "alpha")
    s, f, method = successes, failures, "beta-binomial confidence sequence"
    if s < 0 or f < 0:
        raise InputError(f"{s} successes, {f} failures", mend="give counts, 0 or more")
    from scipy.special import betaln

    mixture = float(betaln(a + s, b + f) - betaln(a, b)) - math.log(1 / alpha)

    def outside(p: float) -> bool:
        like = (s * math.log(p) if s else 0.0) + (f * math.log1p(-p) if f else 0.0)
        return mixture > like

    best = s / (s + f) if s + f else 0.5
    low = 0.0 if s == 0 else _edge(outside, 0.0, best)
    high = 1.0 if f == 0 else _edge(outside, 1.0, best)
    return Interval(low=low, high=high, level=1 - alpha, method=method)


def _edge(outside: Callable[[float], bool], out: float, inside: float) -> float:
    """Where *outside* turns false on the way from *out* to *inside*, by halving."""
    for _ in range(200):
        middle = (out + inside) / 2
        if middle in (out, inside):
            break
        out, inside = (middle, inside) if outside(middle) else (out, middle)
    return inside


def empirical_bernstein(
    values: ArrayLike, *, alpha: float = 0.05, running_intersection: bool = False
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The empirical-Bernstein confidence sequence of the mean of [0, 1] values: low and high after each.

    Predictable plug-in as coded in confseq: the variance term starts from mean 0, the bets are truncated
    at 1/2. float64[n] each; vacuous below about 20 values. Source: Waudby-Smith & Ramdas 2024.
    """
    x = column(values)
    share(alpha, "alpha")
    if (x < 0).any() or (x > 1).any():
        raise InputError("values leave 0..1", mend="scale them to 0..1 first")
    low, high = _bernstein_low(x, alpha / 2), 1 - _bernstein_low(1 - x, alpha / 2)
    if running_intersection:
        low, high = np.maximum.accumulate(low), np.minimum.accumulate(high)
    return low, high


def _bernstein_low(x: NDArray[np.float64], alpha: float) -> NDArray[np.float64]:
    t = np.arange(1, len(x) + 1)
    centre = (0.5 + np.cumsum(x)) / (t + 1)
    variance = (0.25 + np.cumsum((x - centre) ** 2)) / (t + 1)
    before = np.concatenate([[0.25], variance[:-1]])[: len(x)]
    bets = np.minimum(0.5, np.sqrt(2 * math.log(1 / alpha) / (t * np.log1p(t) * before)))
    mean_before = np.concatenate([[0.0], (np.cumsum(x) / t)[:-1]])[: len(x)]
    cost = (x - mean_before) ** 2 * (-np.log1p(-bets) - bets)
    staked = np.cumsum(bets)
    margin = (math.log(1 / alpha) + np.cumsum(cost)) / staked
    return np.asarray(np.maximum(np.cumsum(bets * x) / staked - margin, 0.0))


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """At each planned look: the z to exceed, alpha spent so far, and the p-value that z stands for."""

    bounds: tuple[float, ...]
    cumulative_alpha: tuple[float, ...]
    nominal_p: tuple[float, ...]


def alpha_spending(
    information: Sequence[float],
    *,
    alpha: float = 0.05,
    spending: Literal["obf", "pocock", "linear"] = "obf",
) -> Bounds:
    """Two-sided symmetric boundaries for planned looks at these shares of the final *information*.

    Spent up to t: ``obf`` 4 - 4 Phi(z_{1-alpha/4}/sqrt t); ``pocock`` alpha ln(1 + (e-1) t); ``linear``
    alpha t. The boundary of a look is solved from the density of what has not yet crossed, carried from
    look to look by Gauss-Legendre quadrature. Source: Lan & DeMets 1983; Armitage, McPherson & Rowe 1969.
    """
    share(alpha, "alpha")
    t = column(information, "information")
    if not len(t) or (np.diff(t, prepend=0.0) <= 0).any() or t[-1] > 1 + TIE:
        raise InputError("the looks are not in order", mend="give rising shares of the information, up to 1")
    spent = _spent(t, alpha, spending)
    from scipy.special import ndtr

    at, mass = np.zeros(1), np.ones(1)  # S = Z sqrt(t) of what has not crossed: places and their mass
    bounds: list[float] = []
    for k, now in enumerate(t.tolist()):
        step = math.sqrt(now - (float(t[k - 1]) if k else 0.0))
        target = spent[k] - (spent[k - 1] if k else 0.0)

        def exits(z: float, step: float = step, now: float = now) -> float:
            edge = z * math.sqrt(now)
            return float((mass * (ndtr((-edge - at) / step) + ndtr((at - edge) / step))).sum())  # noqa: B023

        low, high = 0.0, 40.0
        for _ in range(120):
            middle = (low + high) / 2
            low, high = (middle, high) if exits(middle) > target else (low, middle)
        bounds.append(high)
        # beyond ten standard deviations nothing is left to integrate
        place, weight = _quadrature(min(high, 10.0) * math.sqrt(now), step)
        density = (mass[None, :] * np.exp(-0.5 * ((place[:, None] - at[None, :]) / step) ** 2)).sum(
            axis=1
        ) / (step * math.sqrt(2 * math.pi))
        at, mass = place, density * weight
    nominal = tuple(float(2 * ndtr(-z)) for z in bounds)
    return Bounds(bounds=tuple(bounds), cumulative_alpha=tuple(spent), nominal_p=nominal)


def _quadrature(edge: float, step: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Places and weights of an integral over [-edge, edge]: Gauss-Legendre on panels of at most 2 steps."""
    nodes, weights = np.polynomial.legendre.leggauss(24)
    panels = max(2, math.ceil(edge / step))
    half = edge / panels
    centres = -edge + half * (2 * np.arange(panels) + 1)
    return (centres[:, None] + half * nodes).ravel(), np.tile(half * weights, panels)


def _spent(t: NDArray[np.float64], alpha: float, spending: str) -> list[float]:
    if spending == "obf":
        from scipy.special import ndtr

        z = normal_quantile(1 - alpha / 4)
        return [float(4 * ndtr(-z / math.sqrt(x))) for x in t.tolist()]
    if spending == "pocock":
        return [alpha * math.log1p((math.e - 1) * x) for x in t.tolist()]
    if spending == "linear":
        return [alpha * x for x in t.tolist()]
    raise InputError(f"spending is {spending!r}", mend="use obf, pocock or linear")
