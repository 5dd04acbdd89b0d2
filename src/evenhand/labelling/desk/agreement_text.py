"""Coefficients of agreement as plain JSON and in words; a degenerate one is never shown as agreement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from evenhand.stats.agreement.judge_accuracy_weighted import over_chance
from evenhand.stats.intervals.clusters import icc_anova
from evenhand.stats.intervals.coverage import AGREEMENT_TOPICS
from evenhand.stats.intervals.proportion import wilson
from evenhand.text.plural import many, noun

if TYPE_CHECKING:
    from evenhand.model.result import Interval
    from evenhand.stats.agreement.kappa import Kappa
    from evenhand.stats.agreement.raters import Coefficient

__all__ = [
    "FLAT",
    "asked_words",
    "coefficient_json",
    "few_words",
    "figure",
    "icc_json",
    "interval_json",
    "kappa_json",
    "number_words",
    "numbers_words",
    "rounded",
    "share_json",
    "through_agreement",
]

DIGITS = 10
FLAT = "no variation seen"
THROUGH = "through the bound of agreement"
CONSTANT = "a judge gave one answer throughout: kappa says nothing, read the raw agreement"


def rounded(x: float | None) -> float | None:
    """Ten significant digits: the last bits may differ between machines, these do not."""
    return None if x is None else float(f"{x:.{DIGITS}g}") + 0.0


def interval_json(interval: Interval) -> dict[str, Any]:
    """Bounds, method and flags; ``no_interval`` says why there are no bounds.

    An interval of no width is no certainty: no variation was seen, and none is printed.
    """
    alike = "zero_width" in interval.flags
    why = FLAT if alike else interval.reason
    return {
        "low": None if alike else rounded(interval.low),
        "high": None if alike else rounded(interval.high),
        "method": interval.method,
        "flags": list(interval.flags),
        **({"no_interval": why} if why else {}),
    }


def share_json(one: Coefficient) -> dict[str, Any]:
    """`coefficient_json` of a share of items. Where no resample differs, Wilson's over clusters stands.

    Six questions without a disagreement do not show that there is none: the bootstrap's interval has no
    width then. A cluster is taken as one observation (an item, where items are independent), which is as
    wide as can be defended. No coefficient but a share of 0 or 1 has that interval.
    """
    made = coefficient_json(one)
    units = one.n if one.clusters is None else one.clusters
    if one.value in (0.0, 1.0) and units and "zero_width" in one.interval.flags:
        stand_in = wilson(round(one.value * units), units, level=one.interval.level)
        flags = [flag for flag in one.interval.flags if flag != "zero_width"]
        over = "items" if one.clusters is None else "clusters"
        del made["no_interval"]
        made |= {**interval_json(stand_in), "method": f"Wilson over {over}", "flags": flags}
    return made


def through_agreement(
    made: Mapping[str, Any], agreement: Mapping[str, Any], chance: float | None
) -> dict[str, Any]:
    """*made*, a coefficient over *chance*, with the agreement's bound where it has no spread of its own.

    Without any disagreement a resample shows none either; how much there may be is what the bound of the raw
    agreement says, and over chance it is the coefficient's.
    """
    if made["value"] != 1.0 or made.get("degenerate") or "zero_width" not in made["flags"]:
        return dict(made)
    low = agreement["low"]
    bound = None if low is None or chance is None else over_chance(low, chance)
    if bound is None:
        return dict(made)
    rest = {key: value for key, value in made.items() if key != "no_interval"}
    flags = [flag for flag in made["flags"] if flag != "zero_width"]
    return rest | {"low": rounded(bound), "high": 1.0, "method": THROUGH, "flags": flags}


def icc_json(values: Sequence[float], of: Sequence[str]) -> dict[str, Any]:
    """How alike *values* of one cluster are: the raw ICC, or ``reason``. Planning multiplies n by it."""
    found = icc_anova(values, of)
    return {"value": rounded(found.icc), **({"reason": found.reason} if found.reason else {})}


def coefficient_json(one: Coefficient) -> dict[str, Any]:
    """Value, interval, n, clusters; ``degenerate`` where the value must not be read as agreement."""
    made = {
        "value": rounded(one.value),
        **interval_json(one.interval),
        "n": one.n,
        "clusters": one.clusters,
        "undefined": one.undefined,
    }
    if one.degenerate:
        made["degenerate"] = True
    if one.reason:
        made["reason"] = one.reason
    return made


def kappa_json(one: Kappa) -> dict[str, Any]:
    """The same of a kappa; a degenerate one has a ``note``, an undefined one a ``reason``."""
    made = {
        "value": rounded(one.kappa),
        **interval_json(one.interval),
        "n": one.n,
        "clusters": one.clusters,
        "undefined": one.undefined,
        "observed": rounded(one.observed),
        "expected": rounded(one.expected),
        "degenerate": one.degenerate,
    }
    if one.degenerate:
        made["note"] = CONSTANT
    if one.reason:
        made["reason"] = one.reason
    return made


def asked_words(found: Mapping[str, Any]) -> str:
    """``73 questions in 33 clusters``; the clusters only where questions share one."""
    questions, clusters = found["questions"], found.get("clusters")
    words = many(questions, "question")
    return words if clusters in (None, questions) else f"{words} in {many(clusters, 'cluster')}"


def number_words(one: Mapping[str, Any], *, share: bool = False) -> str:
    """``0.41 [0.22, 0.58]``, or why there is none."""
    value, spec = one.get("value"), ".0%" if share else ".2f"
    if value is None:
        return f"not defined ({one.get('reason', 'no reason given')})"
    if one.get("degenerate"):
        return "not told (one answer throughout)"
    if one.get("low") is None:
        why = one.get("no_interval") or "too few"
        around = f" (no interval: {why.replace('only one of the clusters', 'one cluster of questions')})"
    elif "zero_width" in one.get("flags", ()):  # no resample differs: that shows no certainty
        around = f" (no interval: {FLAT})"
    else:
        low, high = one["low"], one["high"]
        around = f" [{figure(low, spec)}, {figure(high, spec)}]"
    return figure(value, spec) + around


def figure(value: float, spec: str) -> str:
    """*value* as *spec* writes it, with the minus sign of the tables, and none before nothing."""
    text = f"{value:{spec}}"
    return text.replace("-", "\u2212") if text.strip("+-0.%") else text.lstrip("-")


def few_words(*numbers: Mapping[str, Any] | None) -> str:
    """``with 4 clusters of questions the truth is wider than these intervals: …``; empty with enough of them.

    *numbers*: all that are told together; the one of the fewest clusters speaks.
    """
    few = [one["clusters"] for one in numbers if one is not None and "few_clusters" in one.get("flags", ())]
    if not few:
        return ""
    low, high = AGREEMENT_TOPICS
    return (
        f"with {many(min(few), 'cluster')} of questions the truth is wider than these intervals: in "
        f"simulated studies of 8 clusters those called 95% held it in {low:.0%} to {high:.0%}"
    )


def _few(pair: Mapping[str, Any]) -> str:
    words = few_words(pair["raw"])
    return f"; {words}" if words else ""


def numbers_words(made: Mapping[str, Any]) -> list[str]:
    """Sentences on an agreement: one for each pair, one for all, one for each judge with repeats."""
    said = [
        f"{' and '.join(pair['judges'])} agree on {number_words(pair['raw'], share=True)} of {pair['n']} "
        f"items of {asked_words(pair)}; one who always gives the commonest answer would on "
        f"{number_words(pair['no_skill'], share=True)}; kappa {number_words(pair['kappa'])}, "
        f"AC1 {number_words(pair['ac1'])}{_few(pair)}"
        for pair in made["pairs"]
    ]
    whole = made["all"]
    if len(made["judges"]) > 2 and whole["n"]:
        said.append(
            f"all {len(made['judges'])} {noun(len(made['judges']), 'judge')}: pairwise "
            f"{number_words(whole['pairwise'], share=True)}, "
            f"alpha {number_words(whole['alpha'])} on {whole['n']} {noun(whole['n'], 'item')}"
        )
    said += [
        f"{one['judge']} gave the same answer again on {number_words(one['raw'], share=True)} "
        f"of {one['n']} hidden {noun(one['n'], 'repeat')}"
        for one in made["within"]
    ]
    if not made["pairs"]:
        said.insert(0, "no item was labelled by two people: agreement between people is unknown")
    return said
