"""How many questions, labels or items a study needs: one design a row, with the curve behind it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from evenhand.errors import InputError
from evenhand.stats.argument_checks import normal_quantile, share
from evenhand.stats.intervals.proportion import n_for_wilson_halfwidth, wilson
from evenhand.stats.power.kappa import kappa_variance, n_for_kappa_variance
from evenhand.stats.power.mcnemar import discordant_shares, mcnemar_power, mcnemar_sample_size
from evenhand.stats.power.paired import mdes_paired_t, power_paired_t, sample_size_paired
from evenhand.stats.power.prediction_powered import ppi_labels_needed
from evenhand.stats.power.proportion import (
    min_successes_for_wilson_lower,
    n_for_wilson_lower,
    times_design_effect,
)
from evenhand.stats.prediction_powered.mean import USABLE
from evenhand.text.plural import noun

__all__ = [
    "MORE",
    "Design",
    "Wish",
    "agreement",
    "bound",
    "hits",
    "hits_of",
    "kappa",
    "kappa_of",
    "labels",
    "means",
    "value_at",
    "with_curves",
]

POINTS = 40  # of a curve
MORE = 0.9  # the second power that is always shown


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What all designs of one plan share."""

    power: float = 0.8
    alpha: float = 0.05
    comparisons: int = 1
    level: float = 0.95
    per_cluster: float = 1.0
    icc: float = 0.0
    n: int | None = None  # questions at hand: what would they find?

    def __post_init__(self) -> None:
        share(self.power, "power")
        share(self.alpha, "alpha")
        share(self.level, "level")
        if self.comparisons < 1:
            raise InputError(f"{self.comparisons} comparisons", mend="give 1 or more")
        if self.n is not None and self.n < 2:
            raise InputError(f"-n is {self.n}", mend="give 2 questions or more")
        times_design_effect(1, per_cluster=self.per_cluster, icc=self.icc)

    @property
    def each(self) -> float:
        """Alpha of one comparison: the strictest step of Holm."""
        return self.alpha / self.comparisons


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """One row: what is wanted, how many it takes, and the curve of power (or half-width) over n.

    ``n``: at the wished power for the family; ``n_alone``: for a single comparison; ``n_more``: at 90%
    power; ``n_clustered``: n times the design effect of ``per_cluster`` items with ``icc``. None where no
    number is enough, with the reason.
    """

    kind: str  # means | hits | agreement | kappa | bound | labels
    says: str
    n: int | None
    measure: str  # power | half-width
    target: float
    assumed: Mapping[str, Any]
    n_alone: int | None = None
    n_more: int | None = None
    n_clustered: int | None = None
    per_cluster: float = 1.0
    icc: float = 0.0
    at: Mapping[str, Any] | None = None  # what the n at hand would do
    curve_n: Sequence[int] = ()
    curve: Sequence[float] = ()
    reason: str | None = None
    notes: Sequence[str] = ()

    @property
    def needed(self) -> int | None:
        """The n to be planned with: in clusters where they count."""
        return self.n if self.n_clustered is None else self.n_clustered


def _clustered(n: int | None, wish: Wish) -> dict[str, Any]:
    """Fields of a design: n in clusters, and what makes them."""
    if wish.per_cluster == 1 or wish.icc == 0:
        return {}
    more = None if n is None else times_design_effect(n, per_cluster=wish.per_cluster, icc=wish.icc)
    return {"n_clustered": more, "per_cluster": wish.per_cluster, "icc": wish.icc}


def _alone(n: int, per_cluster: float, icc: float) -> float:
    """How many independent ones *n* in clusters are worth."""
    return n / (1 + (per_cluster - 1) * icc)


def means(effect: float, sd: float, wish: Wish) -> Design:
    """Questions to find a paired difference of *effect* in a mean, the differences spreading by *sd*.

    The paired t-test by the noncentral t, two-sided, at alpha over the comparisons. The sign-flip test of
    the reports needs about as many.
    """
    for name, value in (("effect", effect), ("sd", sd)):
        if not 0 < abs(value) < math.inf or (name == "sd" and value < 0):
            raise InputError(f"--{name} is {value:g}", mend=f"give the {name} as a number above 0")
    d_z = abs(effect) / sd
    size = sample_size_paired(d_z, power=wish.power, alpha=wish.each)
    n = size.n_t
    at = None
    if wish.n is not None:
        worth = int(_alone(wish.n, wish.per_cluster, wish.icc))
        least = mdes_paired_t(worth, power=wish.power, alpha=wish.each)
        at = {
            "n": wish.n,
            "power": power_paired_t(d_z, worth, alpha=wish.each),
            "detectable": None if least is None else least * sd,
        }
    return Design(
        kind="means",
        says=f"difference of {effect:g}, spread {sd:.3g}",
        n=n,
        n_alone=sample_size_paired(d_z, power=wish.power, alpha=wish.alpha).n_t,
        n_more=sample_size_paired(d_z, power=max(MORE, wish.power), alpha=wish.each).n_t,
        **_clustered(n, wish),
        measure="power",
        target=wish.power,
        assumed={"effect": effect, "sd": sd, "d_z": d_z},
        at=at,
        reason=None if n is not None else "more than any study could ask",
        notes=("below 20 questions the t-test is a rough guide",) if n is not None and n < 20 else (),
    )


def hits(
    first: float,
    second: float,
    wish: Wish,
    *,
    phi: float | None = None,
    discordant: float | None = None,
) -> Design:
    """Questions to tell two hit rates apart with the exact McNemar test, its power summed exactly.

    How often the two differ decides: *discordant*, the share of questions that only one of them hits, or
    *phi*, the correlation of the two outcomes (0, independent, asks for the most).
    """
    for p in (first, second):
        if not 0 <= p <= 1:
            raise InputError(f"--rate is {p:g}", mend="give two hit rates between 0 and 1")
    gap = first - second
    if discordant is None:
        only = discordant_shares(first, second, phi=phi or 0.0)
    else:
        # what both hit and what neither hits must not be below nothing
        most = min(first + second, 2 - first - second)
        if not abs(gap) - 1e-9 <= discordant <= most + 1e-9:
            raise InputError(
                f"rates {first:g} and {second:g} cannot differ on {discordant:g} of the questions",
                mend=f"give --discordant between {abs(gap):.3f} and {most:.3f}",
            )
        only = max(0.0, (discordant + gap) / 2), max(0.0, (discordant - gap) / 2)
    return _mcnemar(only, f"hit rates {first:g} and {second:g}", wish, {"first": first, "second": second})


def hits_of(effect: float, discordant: float, wish: Wish) -> Design:
    """`hits` from the difference wanted and the share of questions on which the two differ (a pilot)."""
    differ = min(1.0, max(abs(effect), discordant))
    only = (differ + abs(effect)) / 2, (differ - abs(effect)) / 2
    says = f"difference of {effect:g}, differ on {differ:.2g}"
    return _mcnemar(only, says, wish, {"effect": effect})


def _mcnemar(only: tuple[float, float], says: str, wish: Wish, assumed: dict[str, Any]) -> Design:
    size = mcnemar_sample_size(*only, power=wish.power, alpha=wish.each)
    at = None
    if wish.n is not None:
        worth = int(_alone(wish.n, wish.per_cluster, wish.icc))
        at = {"n": wish.n, "power": mcnemar_power(*only, worth, alpha=wish.each), "detectable": None}
    more = mcnemar_sample_size(*only, power=max(MORE, wish.power), alpha=wish.each)
    return Design(
        kind="hits",
        says=says,
        n=size.n,
        n_alone=mcnemar_sample_size(*only, power=wish.power, alpha=wish.alpha).n,
        n_more=more.n,
        **_clustered(size.n, wish),
        measure="power",
        target=wish.power,
        assumed={**assumed, "only_first": only[0], "only_second": only[1], "discordant": size.discordant},
        at=at,
        reason=size.reason,
    )


def _half(p: float, n: float, level: float) -> float | None:
    found = wilson(p * n, n, level=level)
    return None if found.low is None or found.high is None else (found.high - found.low) / 2


def value_at(one: Design, n: int, wish: Wish) -> float | None:
    """The power, half-width or lower bound of a design with *n* (in clusters, where it has them); or None."""
    a, worth = one.assumed, _alone(n, one.per_cluster, one.icc)
    if one.kind == "means":
        return power_paired_t(a["d_z"], int(worth), alpha=wish.each)
    if one.kind == "hits":
        return mcnemar_power(a["only_first"], a["only_second"], int(worth), alpha=wish.each)
    if n < 1:
        return None
    if one.kind == "agreement":
        return _half(a["agreement"], worth, wish.level)
    z = normal_quantile(1 - (1 - wish.level) / 2)
    if one.kind == "kappa":
        return z * math.sqrt(a["variance"] / worth)
    if one.kind == "bound":
        return wilson(a["agreement"] * worth, worth, level=wish.level).low
    p, rho, items = a["share"], a["rho"], a["items"]
    if not rho:
        return _half(p, worth, wish.level)
    if items is not None and n > items:
        return None
    part = 1.0 if items is None else (items - n) / items
    return z * math.sqrt(p * (1 - p) * (1 - rho * rho * part) / worth)


def with_curves(designs: Sequence[Design], wish: Wish) -> list[Design]:
    """The same designs with their curves, all over the same n: to half as many again as the largest needs."""
    most = max(10, math.ceil(1.6 * max((d.needed for d in designs if d.needed is not None), default=1000)))
    sizes = sorted({round(2 + (most - 2) * i / (POINTS - 1)) for i in range(POINTS)})
    done = []
    for one in designs:
        pairs = [(k, found) for k in sizes if (found := value_at(one, k, wish)) is not None]
        done.append(replace(one, curve_n=[k for k, _ in pairs], curve=[x for _, x in pairs]))
    return done


def agreement(p: float, half_width: float, wish: Wish) -> Design:
    """Items for a raw agreement expected at *p* to be known to ± *half_width* (Wilson)."""
    n = n_for_wilson_halfwidth(p, half_width, level=wish.level)
    return _width(
        "agreement",
        f"agreement {p:g} to ±{half_width:g}",
        n,
        target=half_width,
        wish=wish,
        assumed={"agreement": p},
    )


def kappa(value: float, positives: float, half_width: float, wish: Wish) -> Design:
    """Items for Cohen's kappa expected at *value*, both raters saying yes to *positives*."""
    variance = kappa_variance(value, positives)
    made = kappa_of(value, variance, half_width, wish)
    return replace(
        made,
        says=f"kappa {value:g} to ±{half_width:g}, {positives:.0%} yes",
        assumed={**made.assumed, "positives": positives},
    )


def kappa_of(value: float, variance: float, half_width: float, wish: Wish) -> Design:
    """`kappa` from n times its variance, as a cross table of a pilot has it."""
    return _width(
        "kappa",
        f"kappa {value:.2g} to ±{half_width:g}",
        n_for_kappa_variance(variance, half_width, level=wish.level) if variance > 0 else None,
        target=half_width,
        wish=wish,
        reason=None if variance > 0 else "at that kappa nothing varies: plan with a smaller one",
        assumed={"kappa": value, "variance": variance},
    )


def bound(p: float, threshold: float, wish: Wish) -> Design:
    """Items for a share expected at *p* to have its lower Wilson bound at *threshold*."""
    n = n_for_wilson_lower(p, threshold, level=wish.level)
    found = _width(
        "bound",
        f"{p:g} shown to be {threshold:g} or more",
        n,
        target=threshold,
        wish=wish,
        assumed={"agreement": p, "threshold": threshold},
        measure="lower bound",
        reason=None if n else f"{p:g} is not above {threshold:g}: no number is enough",
    )
    if n is None:
        return found
    k = min_successes_for_wilson_lower(n, threshold, level=wish.level)
    return replace(found, notes=() if k is None else (f"at least {k} of {n} must then pass",))


def labels(p: float, half_width: float, wish: Wish, *, rho: float = 0.0, items: int | None = None) -> Design:
    """Human labels beside a judge, for a share of yes expected at *p* to be known to ± *half_width*.

    *rho*: correlation of judge and human (0: no judge, Wilson); *items*: all that the judge labels.
    Prediction-powered (PPI++): the judge's labels are corrected by a random sample of human ones.
    """
    found = ppi_labels_needed(p, rho, half_width, level=wish.level, items=items)
    alone = n_for_wilson_halfwidth(p, half_width, level=wish.level)
    n = found.n if rho else alone
    notes = []
    if rho and n is not None:
        notes.append(f"without the judge {alone}")
        if n < min(USABLE, alone):
            n = min(USABLE, alone)
            notes.append(f"{found.n} by the formula, but below {USABLE} the judge is not used")
        elif found.approximate:
            notes.append("approximate below 100 labels")
    told = f", judge at rho {rho:g}" if rho else ""
    made = _width(
        "labels",
        f"share {p:g} to ±{half_width:g}{told}",
        n,
        target=half_width,
        wish=wish,
        assumed={"share": p, "rho": rho, "items": items, "gain": found.gain if rho else 1.0},
        reason=found.reason if rho else None,
    )
    if items is not None and rho and (made.needed or 0) > items:
        why = f"all {items} {noun(items, 'item')} labelled would not be enough, in clusters"
        made, notes = replace(made, n=None, n_clustered=None, reason=why), []
    return replace(made, n_alone=alone, notes=tuple(notes))


def _width(
    kind: str,
    says: str,
    n: int | None,
    *,
    target: float,
    wish: Wish,
    assumed: dict[str, Any],
    measure: str = "half-width",
    reason: str | None = None,
) -> Design:
    made = Design(
        kind=kind,
        says=says,
        n=n,
        **_clustered(n, wish),
        measure=measure,
        target=target,
        assumed=assumed,
        reason=reason,
    )
    if wish.n is None:
        return made
    name = measure.replace("-", "_").replace(" ", "_")
    return replace(made, at={"n": wish.n, name: value_at(made, wish.n, wish)})
