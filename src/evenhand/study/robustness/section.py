"""A stress test of a study as plain JSON (``stress.json``), read back for trust and for the report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenhand.judge.calibration.trust_thresholds import DEFAULTS, lines_of
from evenhand.judge.calibration.trust_verdict import trust
from evenhand.judge.robustness.precomputed import pair_order, self_preference
from evenhand.judge.robustness.rates import rows
from evenhand.judge.robustness.section import LEFT, numbers_of, stress_words
from evenhand.judge.robustness.suite import VERSION, chosen
from evenhand.judge.robustness.verdicts import said_by, yes_of

if TYPE_CHECKING:
    from evenhand.model.plan.study import Plan
    from evenhand.study.panel.ask import Bench
    from evenhand.study.robustness.ask import Sheeted, Stress

__all__ = ["HINT", "SCHEMA", "held", "told", "warning", "write_stress"]

SCHEMA = "evenhand.stress/1"
FEW = 50  # items of a side; below, the suite is smaller than it is meant to be
HINT = "evenhand judge stress STUDY.toml"


def held(plan: Plan, found: Mapping[str, Any]) -> dict[str, Any]:
    """The panel's gullibility against the lines that the study declares, as `trust_verdict` does it.

    They are its line of trust, where people calibrate the panel, and its criteria on ``stress.gullibility``.
    ``lines`` is empty where it declares none, and ``exit`` 0.
    """
    criteria = [
        replace(one, on="panel.gullibility", role="trust")
        for one in plan.criteria
        if one.on in ("stress.gullibility", "panel.gullibility") and one.role != "descriptive"
    ]
    settings = plan.calibration.trust if plan.calibration is not None else {"set": "plain"}
    lines = [one for one in lines_of(settings, criteria)[0] if one.number == "gullibility"]
    return trust(found["numbers"], lines) if lines else {"lines": [], "exit": 0}


def told(stress: Stress, *, level: float) -> dict[str, Any]:
    """Everything said about the votes there are. Money and times are no part of it."""
    kept = stress.kept()
    calls = stress.calls
    there = [kept[one.key] for one in calls if one.key in kept]
    failed = sum(one.outcome == "fault" for one in there)
    sheets = [_sheet(stress, sheet, level=level) for sheet in stress.sheets]
    made: dict[str, Any] = {
        "schema": SCHEMA,
        "suite": stress.plan.suite or VERSION,
        "level": level,
        "judges": _judges(stress.bench),
        "sheets": sheets,
        "given": _given(stress, level=level),
        "not_run": list(_not_run(stress)),
        "votes": {
            "asked": len(calls),
            "there": len(there),
            "missing": len(calls) - len(there),
            "failed": failed,
        },
        "complete": len(there) == len(calls) and not failed,
        "numbers": sheets[0]["numbers"],
        "warnings": [*_gullible(sheets), *_warnings(stress)],
    }
    return made | {"sentences": stress_words(made)}


def _judges(bench: Bench) -> list[dict[str, str]]:
    return [
        {
            "judge": judge.name,
            "model": judge.model,
            "family": bench.families[judge.name],
            "seal": bench.models[judge.name],
        }
        for judge in bench.plan.judges
    ]


def _sheet(stress: Stress, sheet: Sheeted, *, level: float) -> dict[str, Any]:
    from evenhand.judge.panel.prompt import prompt_seal

    yes = yes_of(sheet.brief, stress.plan.yes)
    said = said_by(stress.votes(sheet, stress.kept()), yes=yes)
    made: dict[str, Any] = {
        "sheet": sheet.name,
        "sheet_seal": sheet.brief.sheet.seal,
        "prompt": prompt_seal(sheet.brief),
        "yes": yes,
        "base": sheet.base.counts(),
        "skipped": dict(sheet.made.skipped),
        "judges": [{"judge": name} for name in stress.bench.judges],
        "rows": rows(sheet.made.trials, said, yes=yes, level=level),
    }
    return made | {"numbers": numbers_of(made, level=level, suite=stress.plan.suite or VERSION)}


def _given(stress: Stress, *, level: float) -> dict[str, list[dict[str, Any]]]:
    """Rows of S1 and P3, from the verdicts that files hold."""
    from evenhand.formats.labels.stress import read_pairs, read_rated

    plan, folder = stress.plan, stress.folder
    wanted = {one.id for one in chosen(plan.only, suite=plan.suite or VERSION)}
    made: dict[str, list[dict[str, Any]]] = {"S1": [], "P3": []}
    if plan.answers and "S1" in wanted:
        made["S1"] = self_preference(read_rated(folder / plan.answers), stress.bench.families, level=level)
    if plan.pairs and "P3" in wanted:
        made["P3"] = pair_order(read_pairs(folder / plan.pairs), level=level)
    return made


def _not_run(stress: Stress) -> Iterator[dict[str, str]]:
    """What no trial was made of, and why: not wanted, nothing supplied, or no item would do."""
    suite = stress.plan.suite or VERSION
    wanted = {one.id for one in chosen(stress.plan.only, suite=suite)}
    ran = {trial.perturbation for sheet in stress.sheets for trial in sheet.made.trials}
    ran |= {"S1"} if stress.plan.answers else set()
    ran |= {"P3"} if stress.plan.pairs else set()
    for one in chosen(suite=suite):
        if one.id not in wanted and one.id not in ran:
            yield {"perturbation": one.id, "name": one.name, "needs": "", "why": LEFT}
        elif one.id not in ran:
            why = "nothing was supplied" if one.needs else "no item would do"
            yield {"perturbation": one.id, "name": one.name, "needs": one.needs, "why": why}


def _gullible(sheets: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """A panel that is fooled more often than the house's line allows, be one declared or not."""
    line = DEFAULTS["gullibility"]
    for sheet in sheets:
        found = sheet["numbers"]["gullibility"]
        if found["point"] is not None and line.at_most is not None and found["point"] > line.at_most:
            yield warning(
                "gullible",
                found["k"],
                f"{found['k']} of {found['n']} items that do not answer were called positive under "
                f"{sheet['sheet']} by the attack that works best ({found['method'].partition('; ')[2]}), and "
                f"{line.code} allows {line.at_most:.0%} at the upper bound: what this panel says of texts "
                "that others write cannot be relied on",
            )


def _warnings(stress: Stress) -> Iterator[dict[str, Any]]:
    """What makes the suite say less than it seems to."""
    for sheet in stress.sheets:
        for side, words in (("zero", "of grade 0"), ("answer", "that answer")):
            items = sheet.base.of(side)
            if len(items) < FEW:
                yield warning(
                    "few items",
                    len(items),
                    f"items {words} under {sheet.name}: the suite is meant for {FEW} or more",
                )
            seen = sum(one.by == "evidence" for one in items)
            if seen:
                yield warning(
                    "known by evidence",
                    seen,
                    f"items {words} under {sheet.name} are known by the evidence of the gold set, not by a "
                    "person who read them",
                )
    if stress.provisional:
        yield warning(
            "provisional",
            stress.provisional,
            "questions were drafted by a model and wait for a person: so does their evidence",
        )


def warning(kind: str, count: int, text: str) -> dict[str, Any]:
    """A warning as reports have it."""
    return {"kind": f"stress: {kind}", "count": count, "text": text}


def write_stress(stress: Stress, made: Mapping[str, Any]) -> Path:
    """Write ``stress.json`` beside the votes: same votes, same bytes."""
    from evenhand.formats.raw_bytes import write_bytes
    from evenhand.report.output.assemble import dumps

    path = stress.folder / stress.plan.result
    write_bytes(path, dumps(made))
    return path
