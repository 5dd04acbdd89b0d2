"""Several people on one sample: the rate of each, and which items they read in different ways."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from evenhand.labelling.desk.agreement_text import interval_json, number_words, rounded
from evenhand.stats.agreement.judge_accuracy_weighted import effective_share
from evenhand.stats.intervals.proportion import wilson
from evenhand.text.plural import many, verb

if TYPE_CHECKING:
    from evenhand.model.label import Label
    from evenhand.model.plan.calibration_sample import Case

__all__ = ["CONTESTED", "RULE", "between", "contested", "raters", "raters_words", "unsettled"]

RULE = (
    "of one person the newest label counts; of several people a ruling does, and without one the lower of "
    "two grades (of more, the lower median)"
)
CONTESTED = "contested"
Ends = Mapping[int, tuple[float, float]]


def contested(labels: Iterable[Label], cases: Sequence[Case], drawn: Sequence[bool]) -> dict[int, Any]:
    """By place of a drawn item on which people differ and nobody has ruled: its lowest and highest grade."""
    place = {case.item: i for i, case in enumerate(cases) if drawn[i] and case.human is not None}
    grades: dict[str, list[float]] = {}
    ruled = set()
    for label in _newest(labels):
        if label.item in place and label.grade is not None:
            if label.by == "adjudicated":
                ruled.add(label.item)
            elif label.by == "human":
                grades.setdefault(label.item, []).append(label.grade)
    return {
        place[item]: (min(of), max(of))
        for item, of in sorted(grades.items())
        if item not in ruled and min(of) < max(of)
    }


def raters(
    labels: Iterable[Label],
    cases: Sequence[Case],
    drawn: Sequence[bool],
    *,
    value: Callable[[float], float],
    chances: Sequence[float] | None,
    apart: Ends,
    level: float,
) -> dict[str, Any]:
    """The rate of yes of each person, on the drawn items that this one graded; *apart*: see `contested`.

    *chances*: of a label, of each case, where not all had the same.
    """
    place = {case.item: i for i, case in enumerate(cases) if drawn[i]}
    by: dict[str, dict[int, float]] = {}
    for label in _newest(labels):
        if label.by == "human" and label.grade is not None and label.item in place:
            by.setdefault(label.judge, {})[place[label.item]] = value(label.grade)
    rows = []
    for judge, given in sorted(by.items()):
        hits = list(given.values())
        near = wilson(sum(hits), len(hits), level=level)
        rate: float | None = sum(hits) / len(hits)
        if chances is not None:
            found = effective_share(hits, [chances[i] for i in given], level=level)
            rate, near = found.value, found.interval
        rows.append({"judge": judge, "yes": int(sum(hits)), "value": rounded(rate), **interval_json(near)})
        rows[-1]["n"] = len(hits)
    return {"rule": RULE, "raters": rows, "contested": len(apart)}


def between(least: Mapping[str, Any], most: Mapping[str, Any], n: int) -> dict[str, Any]:
    """One row in place of two readings that people's disagreement allows: no point, and the outer ends."""
    both = None not in (least["point"], most["point"])
    reason = (
        f"people differ on {many(n, 'drawn item')} and nobody has ruled: between {least['point']:.0%} and "
        f"{most['point']:.0%}"
        if both
        else least["reason"]
    )
    return {
        **least,
        "point": None,
        "low": least["low"],
        "high": most["high"],
        "flags": list(dict.fromkeys([*least["flags"], *most["flags"], CONTESTED])),
        "reason": reason,
    }


def unsettled(row: Mapping[str, Any]) -> dict[str, Any]:
    """A people's rate without a value: they differ on items of it."""
    return {**row, "value": None, "low": None, "high": None, "reason": "people differ"}


def raters_words(made: Mapping[str, Any], ceiling: Mapping[str, Any]) -> list[str]:
    """The rates of several people and the kappa between them, and by which rule one label came of theirs."""
    rows = made["raters"]
    if len(rows) < 2:
        return []
    each = "; ".join(
        f"{row['judge']} {number_words(row, share=True)} of {many(row['n'], 'item')}" for row in rows
    )
    kappa = ""
    if ceiling["n"]:
        name, one = (
            ("kappa", ceiling["kappa"]) if ceiling["kappa"] is not None else ("alpha", ceiling["alpha"])
        )
        kappa = f"; {name} between them {number_words(one)} on {many(ceiling['n'], 'item')}"
    told = [f"By each person yes is: {each}{kappa}."]
    n = made["contested"]
    if n:
        told.append(
            f"On {many(n, 'drawn item')} they differ and nobody has ruled: the rate is bracketed between "
            "them. "
            f"Agreement, sensitivity and specificity {verb(n, 'take that item', 'take these items')} by the "
            f"rule: {made['rule']}."
        )
    else:
        told.append(f"Where people differ the rule decides: {made['rule']}.")
    return told


def _newest(labels: Iterable[Label]) -> list[Label]:
    from evenhand.labelling.desk.agreement import latest

    return latest(label for label in labels if label.by != "panel")[0]
