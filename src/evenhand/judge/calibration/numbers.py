"""The numbers of a calibration by name: what criteria of a study may speak of as ``panel.NAME``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from evenhand.judge.calibration.raters import CONTESTED
from evenhand.labelling.desk.agreement_text import rounded
from evenhand.stats.intervals.proportion import clopper_pearson

if TYPE_CHECKING:
    from evenhand.model.plan.sections import CriterionPlan

__all__ = ["TOLERANCE", "bias_of", "bound_of", "numbers_of", "sized"]

BY_QUESTION = ("census", "none")  # nobody drew items one by one: questions are what was sampled
TOLERANCE = 1e-9  # sums of floats: the mean of three 0.7 is 0.6999999999999998
SIZED = ("rate_bias",)  # numbers whose size has a limit, to either side: a panel may be off both ways
NO_SAMPLE = "no human sample was drawn"


def numbers_of(made: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """point, low, high, level, n, k, method and reason of each number of `calibration.calibrate`.

    Items that were drawn one by one have intervals by item: they are about these judged items. Where nothing
    was drawn the wider of that and the one that resamples questions is taken.
    """
    level, sample, rate, inner = made["level"], made["sample"], made["rate"], made["panel"]
    n = sample["labelled"]
    gain = (rate or {}).get("gain")

    by_item = sample["design"] not in BY_QUESTION

    def held(name: str) -> dict[str, Any]:
        return _number(made[name] if by_item else _wider(made[name]), level)

    found = {
        "human_agreement": held("agreement"),
        "no_skill": held("no_skill"),
        "disputed": _number(made["disputed"], level),
        "kappa": held("kappa"),
        "ac1": held("ac1"),
        "sensitivity": held("sensitivity"),
        "specificity": held("specificity"),
        "precision": held("precision"),
        "rate": _number(rate, level, value="point", reason=NO_SAMPLE),
        "human_rate": _number(made["human_rate"], level, value="point"),
        "panel_rate": _number(made["panel_rate"], level),
        "rate_bias": _bare(bias_of(made), level, n, "panel's rate less the corrected one"),
        "unanimity": _number(inner["unanimity"], level, reason="a panel of one judge"),
        "pairwise": _number(inner["pairwise"], level, reason="a panel of one judge"),
        "completeness": _number(inner["completeness"], level),
        "undecided": _number(inner["undecided"], level),
        "human_share": _bare(sample["share"], level, n, "share of judged items with a human label"),
        "gain": _bare(gain, level, n, "effective labels over labels"),
        "human_human": _number(made["ceiling"]["agreement"], level, reason=made["ceiling"].get("reason", "")),
    }
    if made.get("grade"):
        found["grade"] = _number(made["grade"]["corrected"], level, value="point", reason=NO_SAMPLE)
    return found


def bound_of(number: Mapping[str, Any], side: str, level: float) -> tuple[float | None, float | None, str]:
    """The lower or upper bound of a number, the one-sided level it has, and how it was made.

    Where k of n are known that is Clopper and Pearson's one-sided bound at *level*; else the end of the
    interval that was reported, whose one-sided level is (1 + L) / 2.
    """
    k, n = number.get("k"), number.get("n")
    if k is not None and n and k == int(k) and 0 <= k <= n:
        made = clopper_pearson(int(k), int(n), level=level, side="lower" if side == "lower" else "upper")
        return (made.low if side == "lower" else made.high), level, made.method
    end, whole = number.get("low" if side == "lower" else "high"), number.get("level")
    if end is None or whole is None:
        return None, None, ""
    return end, (1 + whole) / 2, f"end of the two-sided {whole:.12g} interval ({number['method']})"


def sized(criterion: CriterionPlan) -> bool:
    """Whether it is the size of its number that a criterion on the panel limits, and not the signed value."""
    section, _, name = criterion.on.partition(".")
    return section == "panel" and name in SIZED and criterion.at_most is not None


def bias_of(made: Mapping[str, Any]) -> float | None:
    """The panel's rate less the corrected one; None where one of them is missing."""
    rate, panel = made["rate"], made["panel_rate"]["value"]
    if rate is None or panel is None:
        return None
    found = rate["point"]
    if CONTESTED in rate.get("flags", ()):  # by whichever of the people it is farther from
        ends = [row["point"] for row in made["rates"] if row["name"].startswith(rate["name"])]
        found = None if None in ends else max(ends, key=lambda end: abs(panel - end))
    return None if found is None else rounded(panel - found)


def _wider(found: Mapping[str, Any]) -> dict[str, Any]:
    """The wider of the two intervals, end by end: that of items, and that which resamples questions."""
    other = found.get("by_question") or {}
    made = dict(found)
    for end, pick in (("low", min), ("high", max)):
        both = [x for x in (found.get(end), other.get(end)) if x is not None]
        made[end] = pick(both) if both else None
    if other.get("low") is not None and made["low"] != found.get("low"):
        made["method"] = other["method"]
    return made


def _number(
    found: Mapping[str, Any] | None, level: float, *, value: str = "value", reason: str = ""
) -> dict[str, Any]:
    if found is None:
        return {**_bare(None, level, 0, ""), "reason": reason or "no items"}
    return {
        "point": None if found.get("degenerate") else found.get(value),
        "low": found.get("low"),
        "high": found.get("high"),
        "level": level,
        "n": found.get("n", 0),
        "k": found.get("k"),
        "method": found.get("method", ""),
        "reason": found.get("reason") or found.get("note") or found.get("no_interval") or None,
    }


def _bare(point: float | None, level: float, n: int, method: str) -> dict[str, Any]:
    return {
        "point": point,
        "low": None,
        "high": None,
        "level": level,
        "n": n,
        "k": None,
        "method": method,
        "reason": None if point is not None else "no items",
    }
