"""A stress test of a study as plain JSON (``stress.json``), read back for trust and for the report."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenhand.errors import InputError
from evenhand.judge.stress_count import rows, said_by, yes_of
from evenhand.judge.stress_given import pair_order, self_preference
from evenhand.judge.stress_suite import SUITE, VERSION, chosen
from evenhand.judge.stress_told import LEFT, numbers_of, stress_words
from evenhand.model.analysis import StressPlan
from evenhand.study.code import code_seal
from evenhand.study.packing import json_form
from evenhand.study.steps import Larder, Step

if TYPE_CHECKING:
    from evenhand.model.study import Plan
    from evenhand.study.panelled import Bench
    from evenhand.study.stressed import Sheeted, Stress
    from evenhand.study.table import Table

__all__ = ["SCHEMA", "gullibility_of", "read_stress", "steps", "told", "write_stress"]

SCHEMA = "evenhand.stress/1"
FEW = 50  # items of a side; below, the suite is smaller than it is meant to be
HINT = "evenhand judge stress STUDY.toml"


def told(stress: Stress, *, level: float) -> dict[str, Any]:
    """Everything said about the votes there are. Money and times are no part of it."""
    kept = stress.kept()
    calls = stress.calls
    there = [kept[one.key] for one in calls if one.key in kept]
    failed = sum(one.outcome == "fault" for one in there)
    sheets = [_sheet(stress, sheet, level=level) for sheet in stress.sheets]
    made: dict[str, Any] = {
        "schema": SCHEMA,
        "suite": VERSION,
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
        "warnings": list(_warnings(stress)),
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
    from evenhand.judge.ask import prompt_seal

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
    return made | {"numbers": numbers_of(made, level=level)}


def _given(stress: Stress, *, level: float) -> dict[str, list[dict[str, Any]]]:
    """Rows of S1 and P3, from the verdicts that files hold."""
    from evenhand.formats.stress import read_pairs, read_rated

    plan, folder = stress.plan, stress.folder
    wanted = {one.id for one in chosen(plan.only)}
    made: dict[str, list[dict[str, Any]]] = {"S1": [], "P3": []}
    if plan.answers and "S1" in wanted:
        made["S1"] = self_preference(read_rated(folder / plan.answers), stress.bench.families, level=level)
    if plan.pairs and "P3" in wanted:
        made["P3"] = pair_order(read_pairs(folder / plan.pairs), level=level)
    return made


def _not_run(stress: Stress) -> Iterator[dict[str, str]]:
    """What no trial was made of, and why: not wanted, nothing supplied, or no item would do."""
    wanted = {one.id for one in chosen(stress.plan.only)}
    ran = {trial.perturbation for sheet in stress.sheets for trial in sheet.made.trials}
    ran |= {"S1"} if stress.plan.answers else set()
    ran |= {"P3"} if stress.plan.pairs else set()
    for one in SUITE.values():
        if one.id not in wanted and one.id not in ran:
            yield {"perturbation": one.id, "name": one.name, "needs": "", "why": LEFT}
        elif one.id not in ran:
            why = "nothing was supplied" if one.needs else "no item would do"
            yield {"perturbation": one.id, "name": one.name, "needs": one.needs, "why": why}


def _warnings(stress: Stress) -> Iterator[dict[str, Any]]:
    """What makes the suite say less than it seems to."""
    for sheet in stress.sheets:
        for side, words in (("zero", "of grade 0"), ("answer", "that answer")):
            items = sheet.base.of(side)
            if len(items) < FEW:
                yield _warning(
                    "few items",
                    len(items),
                    f"items {words} under {sheet.name}: the suite is meant for {FEW} or more",
                )
            seen = sum(one.by == "evidence" for one in items)
            if seen:
                yield _warning(
                    "known by evidence",
                    seen,
                    f"items {words} under {sheet.name} are known by the evidence of the gold set, not by a "
                    "person who read them",
                )
    if stress.provisional:
        yield _warning(
            "provisional",
            stress.provisional,
            "questions were drafted by a model and wait for a person: so does their evidence",
        )


def _warning(kind: str, count: int, text: str) -> dict[str, Any]:
    return {"kind": f"stress: {kind}", "count": count, "text": text}


def write_stress(stress: Stress, made: Mapping[str, Any]) -> Path:
    """Write ``stress.json`` beside the votes: same votes, same bytes."""
    from evenhand.formats.raw_bytes import write_bytes
    from evenhand.report.build import dumps

    path = stress.folder / stress.plan.result
    write_bytes(path, dumps(made))
    return path


def read_stress(plan: Plan, folder: Path) -> dict[str, Any] | None:
    """The last stress test of a study; None where none was made."""
    path = folder / (plan.stress or StressPlan()).result
    if not path.is_file():
        return None
    try:
        made = json.loads(path.read_bytes())
    except ValueError as error:
        raise InputError(f"{path.name} is not JSON: {error}", mend=f"make it anew: {HINT}") from error
    if not isinstance(made, dict) or made.get("schema") != SCHEMA:
        raise InputError(f"{path.name} is no stress test of this version", mend=f"make it anew: {HINT}")
    return made


def stale(made: Mapping[str, Any], bench: Bench) -> str:
    """Why a stress test says nothing of this panel; empty when it does."""
    if {one["judge"]: one["seal"] for one in made["judges"]} != bench.models:
        return "the stress test was of other judges or models"
    if made["suite"] != VERSION:
        return "the stress test was of another version of the suite"
    if bench.prompt not in {sheet["prompt"] for sheet in made["sheets"]}:
        return "the stress test was under another sheet or wording"
    return ""


def gullibility_of(plan: Plan, folder: Path, bench: Bench) -> dict[str, Any] | None:
    """How gullible the panel of a study is, as a number for the lines of trust; None: not measured.

    A test of other models, or under another wording, gives a number without a value and the reason.
    """
    made = read_stress(plan, folder)
    if made is None:
        return None
    if why := stale(made, bench):
        return {
            "point": None,
            "low": None,
            "high": None,
            "level": made["level"],
            "n": 0,
            "k": None,
            "method": "",
            "reason": f"{why}: {HINT}",
        }
    sheet = next(one for one in made["sheets"] if one["prompt"] == bench.prompt)
    found: dict[str, Any] = sheet["numbers"]["gullibility"]
    return found


def steps(table: Table) -> Iterator[Step]:
    """The step that makes ``part/stress``: what ``stress.json`` says, if it is of this panel."""
    from evenhand.model.seal import seal

    plan, folder = table.plan, table.folder
    made = read_stress(plan, folder)

    def work(larder: Larder) -> dict[str, Any]:  # noqa: ARG001
        from evenhand.study.panelled import bench_of

        why = f"no stress test was made: {HINT}"
        if made is not None:
            why = stale(made, bench_of(plan, folder)) if plan.panel is not None else ""
        if made is not None and not why:
            return made
        told: dict[str, Any] = {
            "schema": SCHEMA,
            "suite": VERSION,
            "level": plan.compare.level,
            "judges": [],
            "sheets": [],
            "given": {"S1": [], "P3": []},
            "not_run": [
                {"perturbation": one.id, "name": one.name, "needs": one.needs, "why": why} for one in chosen()
            ],
            "votes": {"asked": 0, "there": 0, "missing": 0, "failed": 0},
            "complete": False,
            "numbers": {},
            "warnings": [_warning("not run", 1, why)],
            "sentences": [why],
        }
        return told

    yield Step(
        makes="part/stress",
        needs=("gold",),
        work=work,
        settings={"plan": plan.seal, "result": seal(made)},
        code=code_seal("judge", "stats", "study"),
        form=json_form(),
    )
