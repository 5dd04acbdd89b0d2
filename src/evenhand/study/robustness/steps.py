"""A stress test that was made, read back: for the lines of trust, and for the report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenhand.errors import InputError
from evenhand.judge.robustness.suite import SUITES, VERSION, chosen
from evenhand.model.json_text import loads
from evenhand.model.plan.sections import StressPlan
from evenhand.study.robustness.section import HINT, SCHEMA, warning
from evenhand.study.steps.code_fingerprint import code_seal
from evenhand.study.steps.loop import Artifacts, Step
from evenhand.study.steps.serialize import json_form

if TYPE_CHECKING:
    from evenhand.model.plan.study import Plan
    from evenhand.study.comparison.steps import Table
    from evenhand.study.panel.ask import Bench

__all__ = ["gullibility_of", "noise_of", "read_stress", "stale", "steps"]


def read_stress(plan: Plan, folder: Path) -> dict[str, Any] | None:
    """The last stress test of a study; None where none was made."""
    path = folder / (plan.stress or StressPlan()).result
    if not path.is_file():
        return None
    try:
        made = loads(path.read_bytes())
    except ValueError as error:
        raise InputError(f"{path.name} is not JSON: {error}", mend=f"make it anew: {HINT}") from error
    if not isinstance(made, dict) or made.get("schema") != SCHEMA:
        raise InputError(f"{path.name} is no stress test of this version", mend=f"make it anew: {HINT}")
    return made


def suite_of(plan: Plan) -> str:
    """The version of the suite that a study names; empty where it names none."""
    return (plan.stress or StressPlan()).suite


def stale(made: Mapping[str, Any], bench: Bench, suite: str = "") -> str:
    """Why a stress test says nothing of this panel; empty when it does.

    *suite*: the version that the study names; where it names none, a test by any known version counts.
    """
    if {one["judge"]: one["seal"] for one in made["judges"]} != bench.models:
        return "the stress test was of other judges or models"
    if made["suite"] not in ((suite,) if suite else SUITES):
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
    if why := stale(made, bench, suite_of(plan)):
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


def noise_of(plan: Plan, folder: Path, bench: Bench) -> dict[str, Any] | None:
    """How often the least steady judge of this panel says the same again; None: not measured."""
    made = read_stress(plan, folder)
    if made is None or stale(made, bench, suite_of(plan)):
        return None
    sheet = next(one for one in made["sheets"] if one["prompt"] == bench.prompt)
    found: dict[str, Any] = sheet["numbers"]["self_consistency"]
    return found if found["point"] is not None else None


def steps(table: Table) -> Iterator[Step]:
    """The step that makes ``part/stress``: what ``stress.json`` says, if it is of this panel."""
    from evenhand.model.seal import seal

    plan, folder = table.plan, table.folder
    made = read_stress(plan, folder)

    def work(larder: Artifacts) -> dict[str, Any]:  # noqa: ARG001
        from evenhand.study.panel.ask import bench_of

        why = f"no stress test was made: {HINT}"
        if made is not None:
            why = stale(made, bench_of(plan, folder), suite_of(plan)) if plan.panel is not None else ""
        if made is not None and not why:
            return made
        told: dict[str, Any] = {
            "schema": SCHEMA,
            "suite": suite_of(plan) or VERSION,
            "level": plan.compare.level,
            "judges": [],
            "sheets": [],
            "given": {"S1": [], "P3": []},
            "not_run": [
                {"perturbation": one.id, "name": one.name, "needs": one.needs, "why": why}
                for one in chosen(suite=suite_of(plan) or VERSION)
            ],
            "votes": {"asked": 0, "there": 0, "missing": 0, "failed": 0},
            "complete": False,
            "numbers": {},
            "warnings": [warning("not run", 1, why)],
            "sentences": [why],
        }
        return told

    yield Step(
        makes="part/stress",
        needs=("gold",),
        work=work,
        settings={"plan": plan.seal, "result": seal(made)},
        code=code_seal("judge", "labelling", "stats", "study"),
        form=json_form(),
    )
