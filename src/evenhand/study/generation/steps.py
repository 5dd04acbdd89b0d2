"""A study's generated answers and items: read or asked, checked, accounted for, diagnosed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenhand.errors import InputError
from evenhand.study.generation.ask import is_file
from evenhand.study.generation.entailment import ENTAILED, entailed_steps
from evenhand.study.generation.generations import GENERATIONS, generations_step
from evenhand.study.generation.requests import answers_field, asked_steps, plan_of, runs_of, topics_of
from evenhand.study.steps.code_fingerprint import code_seal
from evenhand.study.steps.loop import Artifacts, Step
from evenhand.study.steps.serialize import json_form

if TYPE_CHECKING:
    from evenhand.model.plan.study import Plan
    from evenhand.study.comparison.steps import Table
    from evenhand.study.steps.participants import Participant

__all__ = ["answers_missing", "check", "files", "gaps", "sealed", "steps"]


def check(plan: Plan, field: Sequence[Participant]) -> None:
    """Refuse a retriever that is not there, that gives no text, or whose runs are too short."""
    answers = plan_of(plan)
    found = answers_field(plan, field)
    if not found:
        return
    if plan.measure.depth < answers.k:
        raise InputError(
            f"[answers] k is {answers.k}, and runs end at {plan.measure.depth}",
            mend=f"set depth = {answers.k} under [measure]",
        )
    last = found[-1]
    if last.system.kind == "run" and last.chunking == "own":
        raise InputError(
            f"[answers] system: {last.name} is a run of bare ids, which have no text",
            mend='say which units it ranks: chunking = "…"',
        )
    if last.system.kind == "run" and answers.kind == "study-items":
        raise InputError(
            f"[answers] system: {last.name} is a run file, and cannot be asked about topics",
            mend="name a retriever",
        )


def sealed(plan: Plan, folder: Path) -> dict[str, str]:
    """The files that decide what is asked: topics, own instructions, and outputs that were brought."""
    from evenhand.study.ledger.input_fingerprints import file_seal

    answers = plan_of(plan)
    named = [answers.topics, answers.prompt, *([answers.source] if is_file(answers) else [])]
    return {name: file_seal(folder / name) for name in named if name and (folder / name).is_file()}


def steps(table: Table) -> Iterator[Step]:
    """Passages for what the comparison does not ask, the generations, and the section of the report."""
    yield from asked_steps(table)
    yield generations_step(table)
    yield from entailed_steps(table)
    topics = topics_of(table)

    def work(larder: Artifacts) -> dict[str, Any]:
        from evenhand.study.generation.section import section

        return section(table, larder, larder[GENERATIONS])

    yield Step(
        makes="part/answers",
        needs=(
            "corpus",
            "gold",
            "questions",
            GENERATIONS,
            *([ENTAILED] if plan_of(table.plan).entailment else []),
            *runs_of(table),
            *(f"qrels/{name}" for name in table.cuts),
        ),
        work=work,
        settings={
            "plan": table.plan.seal,
            "split": table.split,
            "topics": topics.seal if topics is not None else "",
        },
        code=code_seal("answer", "stats", "metrics", "gold", "judge", "labelling", "corpus", "study"),
        form=json_form(),
    )


def files(table: Table, larder: Artifacts) -> dict[str, bytes]:
    """``items.csv``: every item with what checks found; ``findings.jsonl``: each finding with its places."""
    import json

    from evenhand.formats.answers.jsonl import finding_json
    from evenhand.formats.answers.table import answers_csv
    from evenhand.study.generation.cases import ground_of

    ground = ground_of(table, larder, larder[GENERATIONS], progress=lambda *_: None)
    every = [*ground.open, *ground.closed]
    found = [one for item in ground.findings.values() for one in item]
    lines = "".join(json.dumps(finding_json(one), ensure_ascii=False) + "\n" for one in found)
    return {
        "items.csv": answers_csv(every, found, ground.ratings).encode("utf-8", "replace"),
        "findings.jsonl": lines.encode("utf-8", "replace"),
    }


def answers_missing(table: Table, larder: Artifacts) -> int:
    """How many generations, and votes on their claims, the study still lacks."""
    if table.plan.answers is None:
        return 0
    told = larder[GENERATIONS]
    claims = told["claims"] or {"missing": 0, "failed": 0}
    return int(told["missing"]) + int(told["failed"]) + int(claims["missing"]) + int(claims["failed"])


def gaps(table: Table, larder: Artifacts) -> list[dict[str, Any]]:
    """Rows of ``incomplete.not_run`` on topics and questions that only the generator needs."""
    from evenhand.report.output.assemble import not_run_rows

    return not_run_rows([larder[name] for name in runs_of(table) if not name.startswith("run/")])
