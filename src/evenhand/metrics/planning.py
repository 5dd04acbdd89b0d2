"""How many questions, labels or items a study needs: one design a row, with the curve behind it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from evenhand.errors import InputError
from evenhand.stats.checks import normal_quantile, share
from evenhand.stats.kappa_planning import kappa_halfwidth, n_for_kappa_halfwidth
from evenhand.stats.mcnemar_power import discordant_shares, mcnemar_power, mcnemar_sample_size
from evenhand.stats.power import mdes_paired_t, power_paired_t, sample_size_paired
from evenhand.stats.ppi_planning import ppi_labels_needed
from evenhand.stats.proportion import n_for_wilson_halfwidth, wilson
from evenhand.stats.proportion_planning import (
    min_successes_for_wilson_lower,
    n_for_wilson_lower,
    times_design_effect,
)

__all__ = [
    "MORE",
    "Design",
    "Wish",
    "agreement",
    "bound",
    "hits",
    "hits_of",
    "kappa",
    "labels",
    "means",
    "sentence",
    "value_at",
    "with_curves",
]

POINTS = 40  # of a curve
WHAT = {
    "means": "questions",
    "hits": "questions",
    "agreement": "items labelled by both",
    "kappa": "items labelled by both",
    "bound": "items",
    "labels": "human labels",
}
REALISTIC = 100_000  # more questions than this are no answer
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
    power; ``n_clustered``: n times the design effect. None where no number is enough, with the reason.
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
    at: Mapping[str, Any] | None = None  # what the n at hand would do
    curve_n: Sequence[int] = ()
    curve: Sequence[float] = ()
    reason: str | None = None
    notes: Sequence[str] = ()


def _clustered(n: int | None, wish: Wish) -> int | None:
    if n is None or wish.per_cluster == 1 or wish.icc == 0:
        return None
    return times_design_effect(n, per_cluster=wish.per_cluster, icc=wish.icc)


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
        least = mdes_paired_t(wish.n, power=wish.power, alpha=wish.each)
        at = {
            "n": wish.n,
            "power": power_paired_t(d_z, wish.n, alpha=wish.each),
            "detectable": None if least is None else least * sd,
        }
    return Design(
        kind="means",
        says=f"difference of {effect:g}, spread {sd:.3g}",
        n=n,
        n_alone=sample_size_paired(d_z, power=wish.power, alpha=wish.alpha).n_t,
        n_more=sample_size_paired(d_z, power=max(MORE, wish.power), alpha=wish.each).n_t,
        n_clustered=_clustered(n, wish),
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
        at = {"n": wish.n, "power": mcnemar_power(*only, wish.n, alpha=wish.each), "detectable": None}
    more = mcnemar_sample_size(*only, power=max(MORE, wish.power), alpha=wish.each)
    return Design(
        kind="hits",
        says=says,
        n=size.n,
        n_alone=mcnemar_sample_size(*only, power=wish.power, alpha=wish.alpha).n,
        n_more=more.n,
        n_clustered=_clustered(size.n, wish),
        measure="power",
        target=wish.power,
        assumed={**assumed, "only_first": only[0], "only_second": only[1], "discordant": size.discordant},
        at=at,
        reason=size.reason,
    )


def _half(p: float, n: int, level: float) -> float | None:
    found = wilson(p * n, n, level=level)
    return None if found.low is None or found.high is None else (found.high - found.low) / 2


def value_at(one: Design, n: int, wish: Wish) -> float | None:
    """The power, half-width or lower bound of a design with *n*; None where it is undefined."""
    a = one.assumed
    if one.kind == "means":
        return power_paired_t(a["d_z"], n, alpha=wish.each)
    if one.kind == "hits":
        return mcnemar_power(a["only_first"], a["only_second"], n, alpha=wish.each)
    if one.kind == "agreement":
        return _half(a["agreement"], n, wish.level)
    if one.kind == "kappa":
        return kappa_halfwidth(a["kappa"], a["positives"], n, level=wish.level)
    if one.kind == "bound":
        return wilson(a["agreement"] * n, n, level=wish.level).low
    p, rho, items = a["share"], a["rho"], a["items"]
    if not rho:
        return _half(p, n, wish.level)
    if n < 1 or (items is not None and n > items):
        return None
    part = 1.0 if items is None else (items - n) / items
    z = normal_quantile(1 - (1 - wish.level) / 2)
    return z * math.sqrt(p * (1 - p) * (1 - rho * rho * part) / n)


def with_curves(designs: Sequence[Design], wish: Wish) -> list[Design]:
    """The same designs with their curves, all over the same n: to half as many again as the largest needs."""
    most = max(10, math.ceil(1.6 * max((d.n for d in designs if d.n is not None), default=1000)))
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
    n = n_for_kappa_halfwidth(value, positives, half_width, level=wish.level)
    return _width(
        "kappa",
        f"kappa {value:g} to ±{half_width:g}, {positives:.0%} yes",
        n,
        target=half_width,
        wish=wish,
        assumed={"kappa": value, "positives": positives},
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
        if found.approximate:
            notes.append("approximate below 100 labels; below 30 use the human labels alone")
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
        n_clustered=_clustered(n, wish),
        measure=measure,
        target=target,
        assumed=assumed,
        reason=reason,
    )
    if wish.n is None:
        return made
    name = measure.replace("-", "_").replace(" ", "_")
    return replace(made, at={"n": wish.n, name: value_at(made, wish.n, wish)})


def sentence(one: Design, wish: Wish) -> str:
    """What a design says, in words."""
    # names of systems keep their first letter
    start = one.says if "pilot_n" in one.assumed else one.says[:1].upper() + one.says[1:]
    if one.n is None:
        return f"{start}: no number of questions is enough ({one.reason})."
    what = WHAT[one.kind]
    told = f"{start}: about {one.n:,} {what}"
    if one.kind in ("means", "hits"):
        told += f" find it {wish.power:.0%} of the time"
        if wish.comparisons > 1:
            told += f" in a family of {wish.comparisons} comparisons by Holm"
            if one.n_alone is not None and one.n_alone != one.n:
                told += f" (a single one needs {one.n_alone:,})"
    if one.n_clustered is not None:
        told += (
            f"; in clusters of {wish.per_cluster:g} with an intraclass correlation of {wish.icc:g} that is "
            f"{one.n_clustered:,}"
        )
    if one.n > REALISTIC:
        told += ": no realistic number would do"
    if one.at is not None:
        told += f". {_at(one)}"
    if one.notes:
        told += f" ({'; '.join(one.notes)})"
    return f"{told}."


def _at(one: Design) -> str:
    assert one.at is not None  # noqa: S101 - asked by the caller
    at = dict(one.at)
    n = at.pop("n")
    if "power" in at:
        told = f"The {n:,} at hand find it {at['power']:.0%} of the time"
        return told + (f", and one of {at['detectable']:.3g} as often as wished" if at["detectable"] else "")
    (name, value) = next(iter(at.items()))
    shown = "–" if value is None else f"{value:.3f}"
    return f"The {n:,} at hand give a {name.replace('_', '-' if 'half' in name else ' ')} of {shown}"
