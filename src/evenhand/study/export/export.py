"""`take`: a system out of a study's results, as a snippet that runs, a study file, and what was measured."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenhand.errors import EvenhandError, InputError, nearest
from evenhand.model.exported_system import Taken
from evenhand.study.export.code import chunking_code, relative, systems_code
from evenhand.study.export.snippet import snippet
from evenhand.study.export.study_file import form_of
from evenhand.study.export.text import measured_of, measured_words
from evenhand.study.steps.participants import OWN, Participant, entrants

if TYPE_CHECKING:
    from evenhand.model.plan.study import Plan, SystemPlan

__all__ = ["CONFIGURATION", "GATE", "MEASURED", "SNIPPET", "take"]

SNIPPET, CONFIGURATION, MEASURED, GATE = "search.py", "system.toml", "measured.json", "gate.json"
ABOVE = 3  # a study file lies beside results/, and results/holdout/ is a folder deeper


def take(results: Path, system: str, *, out: Path | None = None, study: Path | None = None) -> Taken:
    """The files of *system*; nothing is written.

    *out* is the folder for which their paths are written, by default one beside the study file.

    The study file is *study*, or the one beside the results whose plan has the seal that the report names:
    a file that was changed since does not say what was measured. No code that it names is imported. Raises
    InputError for a system that is not
    there or cannot be asked anything new, and where no such study file is found.
    """
    from evenhand.formats.results.folder import read_report
    from evenhand.report.schema.whole_report import check

    path, report, content = read_report(results)
    check(report, name=str(path))
    there = [row["name"] for row in report["systems"] if not row["provenance"].get("null")]
    if system not in there:
        raise InputError(f"these results have no system {system!r}", mend=nearest(system, there))
    file, plan = _plan(path, report, study)
    home = file.resolve().parent
    digest = hashlib.sha256(content).hexdigest()
    return _taken(path, report, digest, plan, home, system, home / "taken" if out is None else out)


def _taken(  # noqa: PLR0917 - all that was found
    path: Path, report: Mapping[str, Any], digest: str, plan: Plan, home: Path, system: str, out: Path
) -> Taken:
    own = [
        row["name"].partition("/")[0]
        for row in report["systems"]
        if row["chunking"] is None or str(row["chunking"]).startswith(OWN)
    ]
    field = {one.name: one for one in entrants(plan, own=[name for name in own if name in _names(plan)])}
    told = measured_of(report, system, digest=digest)
    gate = _gate(path.parent / GATE, plan) if told["gate"] else None
    wanted = [system, *(gate[1] if gate else ())]
    systems = _closure(field, wanted)

    def place(word: str) -> Any:
        return relative(home / word, out)

    code = systems_code([replace(one.system, name=one.name, of=one.of) for one in systems], place=place)
    cut = next((cut for cut in plan.chunkings if cut.name == field[system].chunking), None)
    rule = chunking_code(cut, code)
    counts = cut is not None and cut.settings.get("count") == "tokens"
    counter = _counter(plan) if counts else None
    if counts and (counter is None or counter.settings.get("embedder", "minilm") == "minilm"):
        code.needs.append("dense")
        counter = None
    words = measured_words(told)
    code.needs, code.brings = list(dict.fromkeys(code.needs)), list(dict.fromkeys(code.brings))
    files = {
        SNIPPET: snippet(
            plan,
            system,
            code=code,
            rule=rule,
            cut=cut,
            counter=counter,
            place=place,
            told=told,
            words=words,
            gated=gate[1] if gate else (),
        ).encode(),
        CONFIGURATION: form_of(plan, systems, cut, counter, place=place, words=words).encode(),
        MEASURED: (json.dumps(told, ensure_ascii=False, indent=1, sort_keys=True) + "\n").encode(),
        **({GATE: gate[0]} if gate else {}),
    }
    return Taken(system=system, files=files, needs=tuple(code.needs), brings=tuple(code.brings))


def _names(plan: Plan) -> set[str]:
    return {one.name for one in plan.systems}


def _closure(field: Mapping[str, Participant], wanted: list[str]) -> list[Participant]:
    """The wanted entrants and what they are made from, members first."""
    made: dict[str, Participant] = {}

    def enter(name: str) -> None:
        for member in field[name].of:
            enter(member)
        made.setdefault(name, field[name])

    for name in wanted:
        enter(name)
    return list(made.values())


def _counter(plan: Plan) -> SystemPlan | None:
    """The dense system by whose tokenizer the study counts."""
    return next((one for one in plan.systems if one.kind == "retriever" and one.what == "dense"), None)


def _gate(path: Path, plan: Plan) -> tuple[bytes, tuple[str, ...]]:
    """The gate beside the results, and the systems that it asks."""
    from evenhand.formats.results.gate import load_gate

    gate = load_gate(path)
    if gate.study.get("plan") != plan.seal:
        raise InputError(f"{path} is of another study", mend="make the results again with `evenhand run`")
    return path.read_bytes(), tuple(gate.rule.of)


def _plan(report: Path, told: Mapping[str, Any], study: Path | None) -> tuple[Path, Plan]:
    """The study file of a report: the one whose plan has the seal that the report names."""
    from evenhand.formats.study_file.read import read_study

    seal = told["repeat"]["seals"]["plan"]
    if study is not None:
        plan = read_study(study)
        if plan.seal != seal:
            raise InputError(
                f"{study} is not the study of these results, or has changed since",
                mend="run it again, or name the file as it was with --study",
            )
        return study, plan
    for file in _beside(report):
        try:
            plan = read_study(file)
        except EvenhandError:
            continue  # another file, which need not be whole
        if plan.seal == seal:
            return file, plan
    raise InputError(
        f"no study file beside {report.parent} is the one of these results (plan {seal[:12]}…)",
        mend="name it with --study; one that has changed since says something else: run it again",
    )


def _beside(report: Path) -> Iterator[Path]:
    for folder in report.resolve().parents[:ABOVE]:
        yield from sorted(folder.glob("*.toml"))
