"""A study's gate: when to answer and when to defer, by the rule that was planned and by others beside it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenhand.errors import InputError, nearest
from evenhand.model.json_text import loads
from evenhand.study.gate.runs import gaps, gate_field, ranked, rest_runs, rest_steps
from evenhand.study.steps.code_fingerprint import code_seal
from evenhand.study.steps.loop import Artifacts, Step
from evenhand.study.steps.serialize import json_form

if TYPE_CHECKING:
    from evenhand.gate.gold_labels import Truth
    from evenhand.gate.production.exported import Gate
    from evenhand.model.plan.sections import GatePlan
    from evenhand.model.plan.study import Plan
    from evenhand.study.comparison.steps import Table
    from evenhand.study.gate.labelled_questions import Ground
    from evenhand.study.steps.participants import Participant

__all__ = ["check", "files", "frozen_gate", "gaps", "registered_gate", "sealed", "steps"]

GATE, QUEUE, DECISIONS = "gate.json", "queue.jsonl", "decisions.jsonl"


def check(plan: Plan, field: Sequence[Participant]) -> None:
    """Refuse a gate on systems that are not there, or that stand for several."""
    gate_field(plan, field)
    _numbers_there(plan)


def _numbers_there(plan: Plan) -> None:
    from evenhand.gate.table import SAYS

    known = [f"gate.{name}" for name in (*SAYS, "aurc")]
    for one in plan.criteria:
        if one.on.startswith("gate.") and one.on not in known:
            raise InputError(
                f"[criteria] {one.name!r} is on {one.on}, which no gate reports", mend=nearest(one.on, known)
            )


def sealed(plan: Plan, folder: Path) -> dict[str, str]:
    """What was chosen on dev: the file of the rule; a rule that is still to be chosen is not registered."""
    gate = _gate(plan)
    _numbers_there(plan)
    if gate.rule.endswith(".json"):
        from evenhand.study.ledger.input_fingerprints import file_seal

        return {gate.rule: file_seal(folder / gate.rule)}
    if gate.rule != "consensus" and gate.threshold is None:
        raise InputError(
            f"[gate] rule: {gate.rule!r} is chosen on the questions it is asked, so it cannot be registered",
            mend=f"copy results/{GATE} of the run on dev beside the study and write "
            f'rule = "{GATE}"; or give its threshold',
        )
    return {}


def steps(table: Table) -> Iterator[Step]:
    """Asking what the comparison leaves out, all analyses, and the section of the report."""
    yield from rest_steps(table)
    plan, gate = table.plan, _gate(table.plan)
    names = [one.name for one in gate_field(plan, table.field)]
    file = table.folder / gate.rule
    frozen = loads(file.read_text("utf-8")) if gate.rule.endswith(".json") and file.is_file() else None
    planned = registered_gate(table)

    def work(larder: Artifacts) -> dict[str, Any]:
        from evenhand.study.gate.section import told

        return told(table, larder, _ground(table, larder))

    cut = f"qrels/{table.cut_of(next(one for one in table.field if one.name == gate.of[-1]))}"
    yield Step(
        makes="gate",
        needs=(
            "corpus",
            "gold",
            "questions",
            "others",
            *((cut,) if gate.sufficient == "units" else ()),
            *(f"run/{name}" for name in names),
            *rest_runs(table),
        ),
        work=work,
        settings={
            "plan": plan.seal,
            "split": table.split,
            "frozen": frozen,
            "registered": None if planned is None else asdict(planned),
        },
        code=code_seal("gate", "stats", "corpus", "gold", "study"),
        form=json_form(),
    )
    yield Step(makes="part/gate", needs=("gate",), work=lambda larder: dict(larder["gate"]["part"]))


def files(table: Table, larder: Artifacts) -> dict[str, bytes]:
    """``gate.json``, the queue of deferred questions, every decision, and the runs the report has not."""
    from evenhand.formats.results.gate import gate_bytes
    from evenhand.formats.results.parquet import run_parquet
    from evenhand.gate.production.exported import gate_of
    from evenhand.store.blobs import safe_name

    del table
    made = larder["gate"]
    found = {name: _lines(made[key]) for name, key in ((QUEUE, "queue"), (DECISIONS, "decisions"))}
    if made["gate"] is not None:
        found[GATE] = gate_bytes(gate_of(made["gate"]))
    for name in sorted(name for name in larder.seals if name.startswith("rest/")):
        found[f"rest/{safe_name(name.removeprefix('rest/'))}.parquet"] = run_parquet(larder[name])
    return found


def _lines(rows: Sequence[Mapping[str, Any]]) -> bytes:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode("utf-8", "replace")


def _gate(plan: Plan) -> GatePlan:
    assert plan.gate is not None  # noqa: S101 - there is a part only then
    return plan.gate


def _ground(table: Table, larder: Artifacts) -> Ground:
    from evenhand.study.gate.labelled_questions import Ground

    gate = _gate(table.plan)
    frozen = frozen_gate(gate, table.folder)
    return Ground(
        plan=gate,
        gold=larder["gold"],
        ranked=ranked(table, larder),
        truth=_truth(table, larder),
        seed=table.plan.seed,
        frozen=None if frozen is None else frozen.rule,
        frozen_on="" if frozen is None else str(frozen.study.get("gold", "")),
        registered=registered_gate(table),
        progress=table.progress,
    )


def _truth(table: Table, larder: Artifacts) -> Truth:
    from evenhand.gate.acceptable import documents_by_evidence, documents_by_units
    from evenhand.gate.gold_labels import truth_of

    gate, gold = _gate(table.plan), larder["gold"]
    if gate.sufficient == "evidence":
        return truth_of(gold, documents_by_evidence(gold), larder["corpus"])
    answering = next(one for one in table.field if one.name == gate.of[-1])
    return truth_of(gold, documents_by_units(larder[f"qrels/{table.cut_of(answering)}"]), larder["corpus"])


def registered_gate(table: Table) -> GatePlan | None:
    """The gate that was registered, where the plan has another one by now."""
    planned = (table.record.get("planned") or {}).get("gate")
    if not planned:
        return None
    from evenhand.model.plan.sections import GatePlan

    known = {one.name for one in fields(GatePlan)}
    made: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value
        for key, value in planned.items()
        if key in known
    }
    found = GatePlan(**made)
    return found if found != table.plan.gate else None


def frozen_gate(gate: GatePlan, folder: Path) -> Gate | None:
    """The gate.json that a plan names; None where it names a rule itself."""
    if not gate.rule.endswith(".json"):
        return None
    from evenhand.formats.results.gate import load_gate

    made = load_gate(folder / gate.rule)
    rule = made.rule
    if tuple(rule.of) != tuple(gate.of):
        raise InputError(
            f"[gate] of: {list(gate.of)!r}, and {gate.rule} is a rule over {list(rule.of)!r}",
            mend=f"of = {json.dumps(list(rule.of))}",
        )
    return made
