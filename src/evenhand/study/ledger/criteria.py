"""Criteria: what was promised of a reported number, held against it; by point and by bound side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from evenhand.errors import InputError, nearest
from evenhand.judge.calibration.numbers import TOLERANCE, bound_of, sized

if TYPE_CHECKING:
    from evenhand.model.plan.sections import CriterionPlan
    from evenhand.model.plan.study import Plan

__all__ = [
    "MET",
    "NOT_MET",
    "TOLERANCE",
    "UNDECIDED",
    "check_criteria",
    "criteria_section",
    "evaluate",
    "number_of",
]

MET, NOT_MET, UNDECIDED = "met", "not met", "cannot be decided"


def number_of(report: Mapping[str, Any], on: str) -> dict[str, Any]:
    """The number that *on* names in a report, in the shape of the ``numbers`` of its sections.

    That is point, low, high, level, n, k, method and reason. A number that is not there has no point, and
    the reason says so.
    """
    section, _, name = on.partition(".")
    held = report.get(section)
    if isinstance(held, Mapping) and isinstance(held.get("numbers"), Mapping):
        if name in held["numbers"]:
            return _shape(held["numbers"][name])
        return _shape({"reason": f"[{section}] reports no {name!r}: {nearest(name, held['numbers'])}"})
    for one in report["estimates"]:
        if on == f"{one['system']}.{one['metric']}":
            return _shape(one)
    for one in report["contrasts"]:
        for a, b, sign in ((one["a"], one["b"], 1), (one["b"], one["a"], -1)):
            if on == f"{a}-minus-{b}.{one['metric']}":
                return _shape(_turned(one, sign))
    return _shape({"reason": f"{on} was not reported"})


def _shape(found: Mapping[str, Any]) -> dict[str, Any]:
    names = ("point", "low", "high", "level", "n", "k", "method", "reason")
    return {**{name: found.get(name) for name in names}, "reasons": list(found.get("reasons") or ())}


def _turned(one: Mapping[str, Any], sign: int) -> dict[str, Any]:
    """A contrast as a number; the other way round the bounds change places."""
    point, low, high = (one[key] for key in ("difference", "low", "high"))
    if sign < 0:
        point, low, high = (None if x is None else -x for x in (point, high, low))
    return {**one, "point": point, "low": low, "high": high, "k": None}


def evaluate(plan: CriterionPlan, report: Mapping[str, Any]) -> dict[str, Any]:
    """One criterion held against a report: its verdict as registered, and by point and bound side by side.

    A value within `TOLERANCE` of the limit fulfils it. Where there is no value the verdict is "cannot be
    decided", with the reasons. One of role trust asks the same of a number as the line of trust it makes.
    """
    number = number_of(report, plan.on)
    if plan.role == "trust" and sized(plan):
        number = {**number, "point": None if number["point"] is None else abs(number["point"])}
    least = plan.at_least is not None
    limit = plan.at_least if plan.at_least is not None else plan.at_most
    side = "lower" if least else "upper"
    bound, level, method = bound_of(number, side, plan.level)
    by_point = _verdict(number["point"], limit, least=least)
    # an end of an interval at a lower one-sided level than was asked for does not show it
    enough = level is not None and level >= plan.level - TOLERANCE
    by_bound = _verdict(bound if enough else None, limit, least=least)
    reasons = _reasons(number, bound=bound, level=level, asked=plan)
    verdict = by_point if plan.by == "point" else by_bound
    return {
        "name": plan.name,
        "on": plan.on,
        "role": plan.role,
        "at_least": plan.at_least,
        "at_most": plan.at_most,
        "by": plan.by,
        "level": plan.level,
        "point": number["point"],
        "n": number["n"],
        "k": number["k"],
        "bound": bound,
        "bound_side": side,
        "bound_level": level,
        "bound_method": method,
        "verdict": verdict,
        "by_point": by_point,
        "by_bound": by_bound,
        "reasons": reasons if verdict == UNDECIDED else [],
        "planned": None,
    }


def _verdict(value: float | None, limit: float | None, *, least: bool) -> str:
    if value is None or limit is None:
        return UNDECIDED
    good = value >= limit - TOLERANCE if least else value <= limit + TOLERANCE
    return MET if good else NOT_MET


def _reasons(
    number: Mapping[str, Any], *, bound: float | None, level: float | None, asked: CriterionPlan
) -> list[str]:
    told = [*number["reasons"], *([number["reason"]] if number["reason"] else [])]
    if number["point"] is None:
        return list(dict.fromkeys(told)) or ["there is no value, and no reason was given"]
    if asked.by != "point" and bound is None:
        return list(dict.fromkeys(told)) or ["the number has no interval"]
    if asked.by != "point" and level is not None and level < asked.level - TOLERANCE:
        return [f"its interval is one-sided at {level:.12g}, and {asked.level:.12g} was asked for"]
    return told


def criteria_section(
    plans: Sequence[CriterionPlan], report: Mapping[str, Any], planned: Mapping[str, CriterionPlan | None]
) -> dict[str, Any] | None:
    """The section ``criteria`` of a report; None where nothing was promised.

    *planned*: by name, what was registered of the criteria that were amended (None: it was not there).
    Those that an amendment took away stand at the end.
    """
    rows = []
    for one in plans:
        row = evaluate(one, report)
        if one.name in planned:
            first = planned[one.name]
            row["planned"] = _first(evaluate(first, report)) if first is not None else {"absent": True}
        rows.append(row)
    kept = {one.name for one in plans}
    for name, first in planned.items():
        if name not in kept and first is not None:
            row = evaluate(first, report)
            rows.append({**row, "planned": {**_first(row), "withdrawn": True}})
    if not rows:
        return None
    counted = [
        row for row in rows if not (row["planned"] or {}).get("withdrawn") and row["role"] != "descriptive"
    ]
    before = _registered(rows)
    return {
        "rows": rows,
        "sentences": _sentences(counted, before),
        "tolerance": TOLERANCE,
        **_tally(counted),
        **({"as_registered": before} if before is not None else {}),
    }


def _registered(rows: Sequence[Mapping[str, Any]]) -> dict[str, int] | None:
    """How many of the registered criteria are met by what was registered; None where none was amended."""
    if not any(row["planned"] for row in rows):
        return None
    # what was added later was not registered; what was withdrawn, or made descriptive, was
    first = [row["planned"] or row for row in rows if not (row["planned"] or {}).get("absent")]
    counted = [row["verdict"] for row in first if row["role"] != "descriptive"]
    return {"of": len(counted), "met": counted.count(MET)}


def _first(row: Mapping[str, Any]) -> dict[str, Any]:
    return {key: row[key] for key in ("on", "at_least", "at_most", "by", "level", "role", "verdict")}


def _tally(rows: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    return {
        "of": len(rows),
        "met": sum(row["verdict"] == MET for row in rows),
        "not_met": sum(row["verdict"] == NOT_MET for row in rows),
        "undecided": sum(row["verdict"] == UNDECIDED for row in rows),
        "met_by_point": sum(row["by_point"] == MET for row in rows),
        "met_by_bound": sum(row["by_bound"] == MET for row in rows),
    }


def _sentences(rows: Sequence[Mapping[str, Any]], first: Mapping[str, int] | None) -> list[str]:
    """The verdict in words: as registered, as amended, and what points and bounds say each."""
    before = [] if first is None else [f"Criteria met as they were registered: {first['met']}/{first['of']}."]
    if not rows:
        return before
    n = _tally(rows)
    how = "as they were written" if first is None else "as they were amended"
    told = [f"Criteria met: {n['met']}/{n['of']}, {how}.", *before]
    if n["undecided"]:
        lost = ", ".join(row["name"] for row in rows if row["verdict"] == UNDECIDED)
        told.append(f"Cannot be decided: {lost}. That counts as not passed.")
    told.append(
        f"By point {n['met_by_point']}/{n['of']} are met; shown by the one-sided bound "
        f"{n['met_by_bound']}/{n['of']}."
    )
    if n["met_by_bound"] < n["met_by_point"]:
        told.append("A criterion met by its point alone may be luck: the bound says what the data show.")
    return told


def check_criteria(plan: Plan, systems: Sequence[str], metrics: Sequence[str]) -> None:
    """Raise `InputError` for a criterion on a system or metric that is not there to be measured."""
    for one in plan.criteria:
        section, _, _ = one.on.partition(".")
        if getattr(plan, section, None) and section not in systems:
            continue
        if any(one.on == f"{system}.{metric}" for system in systems for metric in metrics):
            continue
        heads = [f"{a}-minus-{b}" for a in systems for b in systems if a != b] + list(systems)
        head = next((h for h in sorted(heads, key=len, reverse=True) if one.on.startswith(f"{h}.")), "")
        metric = one.on[len(head) + 1 :] if head else ""
        if metric in metrics:
            continue
        known = metrics if head else [*systems, "SYSTEM-minus-OTHER"]
        what = f"{metric!r} is not measured" if head else f"{one.on!r} names no system and no section of it"
        raise InputError(
            f"[criteria] {one.name!r} is on a number that will not be there: {what}",
            mend=nearest(metric or one.on, known)
            + ("; or name it under [measure] secondary" if head else ""),
        )
