"""A study in one folder, for a reader who trusts nobody: inputs, registration, ledger, results, manifest."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from evenhand.errors import InputError
from evenhand.formats.results.folder import MANIFEST, write_new
from evenhand.llm import shown
from evenhand.model.plan.sections import StressPlan
from evenhand.study.comparison.report import LIBRARIES
from evenhand.study.ledger.state import NOT_STAMPED, Standing, gold_of, standing_of
from evenhand.study.panel.ask import local_files
from evenhand.study.registration.precheck import holdout_of
from evenhand.study.steps.code_fingerprint import texts_in, versions

if TYPE_CHECKING:
    from evenhand.model.plan.study import Plan

__all__ = ["VECTORS", "Packed", "copied", "package"]

VECTORS = "vectors"  # where a package keeps what embedders have answered


@dataclass(frozen=True, slots=True, kw_only=True)
class Packed:
    """What was made: the folder, how many files and bytes, and what was left out."""

    folder: Path
    files: int
    size: int
    notes: tuple[str, ...]


def package(plan: Plan, file: Path, out: Path, *, results: Path | None = None) -> Packed:
    """Make *out* of the study in *file*: a folder in which ``evenhand study verify`` finds everything.

    Paths stay as they are in the study file, so that its seal is the same; what lies outside the study's
    folder cannot be packed. A holdout that was not looked at is left out.
    """
    home = file.parent
    standing = standing_of(plan, home)
    source = results if results is not None else home / "results"
    if not (source / "report.json").is_file():
        raise InputError(f"{source} holds no results", mend=f"evenhand run {file.name}")
    _no_secrets(plan, file)
    notes: list[str] = []
    files: dict[str, Path] = {file.name: file}
    for path in _inputs(plan, home, standing, notes):
        files[_name(path, home)] = path
    for path in _below(source):
        files[f"results/{path.relative_to(source).as_posix()}"] = path
    vectors = home / ".evenhand" / "embeddings"
    for path in _below(vectors) if vectors.is_dir() else ():
        files[f"{VECTORS}/embeddings/{path.name}"] = path
    content = {name: path.read_bytes() for name, path in sorted(files.items())}
    content["README.md"] = _readme(plan, file, standing, sorted(content), notes).encode()
    listing = (f"{hashlib.sha256(data).hexdigest()}  {name}\n" for name, data in sorted(content.items()))
    content[MANIFEST] = "".join(listing).encode()
    write_new(out, content)
    size = sum(len(data) for data in content.values())
    return Packed(folder=out, files=len(content), size=size, notes=tuple(notes))


def _no_secrets(plan: Plan, file: Path) -> None:
    """Refuse a study whose file holds a password or the values of a query: a package goes to others."""
    for one in plan.systems:
        for text in (one.what, *texts_in(one.settings)):
            if "://" in text and shown(text) != text:
                raise InputError(
                    f"{file.name} [system.{one.name}] has an address with a secret in it: {shown(text)}",
                    mend='leave it out of the address and name the variable that holds it: key_env = "…"',
                )


def copied(source: Path, target: Path) -> None:
    """Copy a folder of results to where there is none."""
    try:
        shutil.copytree(source, target, dirs_exist_ok=True)
    except OSError as error:
        raise InputError(
            f"{target} cannot be written: {error.strerror or error}", mend="make room there"
        ) from error


def _inputs(plan: Plan, home: Path, standing: Standing, notes: list[str]) -> Iterator[Path]:
    """Everything that the study file names, and what stands beside it for the record."""
    corpus = home / str(plan.corpus["path"])
    results, cache = home / "results", home / ".evenhand"
    for path in _below(corpus) if corpus.is_dir() else [corpus]:
        inside = path.is_relative_to(results) or path.is_relative_to(cache)
        if not inside and not _hidden(path, plan, home, standing):
            yield path
    gold = gold_of(plan, home)
    yield from _below(gold) if gold.is_dir() else [gold]
    named = [str(plan.gold[key]) for key in ("qrels", "judgements", "topics") if plan.gold.get(key)]
    named += [one.what for one in plan.systems if one.kind == "run"]
    if plan.panel is not None:
        named += [plan.panel.sheet, plan.panel.votes, *local_files(plan.panel)]
        named += (plan.stress or StressPlan()).files
    if plan.calibration is not None:
        named += [plan.calibration.sample, plan.calibration.labels]
    if plan.threshold is not None:
        named.append(plan.threshold.typed)
        local = plan.threshold.typist.model.partition(":") if plan.threshold.typist is not None else ("",) * 3
        named += [local[2]] if local[0] == "recorded" else []
    if plan.gate is not None:
        named.append(plan.gate.rule)  # a gate.json, where the rule is frozen in one
    yield from (home / name for name in dict.fromkeys(named) if (home / name).is_file())
    yield from _guests(plan, home)
    if standing.registration is not None:
        yield home / standing.file
        yield standing.at
        for anchor in standing.anchors:
            if anchor["kind"] == "file" and (home / anchor["file"]).is_file():
                yield home / anchor["file"]
    else:
        notes.append("the study is not registered: the package holds no registration and no ledger")
    hidden = holdout_of(plan, home)
    if hidden is not None and standing.look is not None:
        yield hidden
    elif hidden is not None:
        where = "; its seal is in the registration" if standing.registration is not None else ""
        notes.append(f"the holdout was not looked at, and is left out{where}")


def _guests(plan: Plan, home: Path) -> Iterator[Path]:
    """The sources beside the study that ``python:module:Thing`` names; what is installed is not packed."""
    texts = [text for one in plan.systems for text in (one.what, *texts_in(one.settings))]
    texts += [text for cut in plan.chunkings for text in (cut.rule, *texts_in(cut.settings))]
    for text in dict.fromkeys(one for one in texts if one.startswith("python:")):
        first = text.removeprefix("python:").partition(":")[0].partition(".")[0]
        for path in (home / f"{first}.py", *sorted((home / first).rglob("*.py"))):
            if path.is_file():
                yield path


def _hidden(path: Path, plan: Plan, home: Path, standing: Standing) -> bool:
    """Whether a file among the documents is a holdout: its own before the look, that of another always."""
    from evenhand.formats.gold.gold_set import is_holdout

    own = holdout_of(plan, home)
    if own is not None and path.resolve() == own.resolve():
        return standing.look is None
    return is_holdout(path) and ".jsonl" in path.suffixes


def _below(folder: Path) -> list[Path]:
    """Files in a folder and below it, but for hidden ones."""
    return [
        path
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not any(part.startswith(".") for part in path.relative_to(folder).parts)
    ]


def _name(path: Path, home: Path) -> str:
    here, there = path.resolve(), home.resolve()
    if not here.is_relative_to(there):
        raise InputError(
            f"{path} lies outside the folder of the study, so it cannot be packed with it",
            mend="put what the study reads below the folder of its study file",
        )
    return here.relative_to(there).as_posix()


def _readme(plan: Plan, file: Path, standing: Standing, names: list[str], notes: list[str]) -> str:
    state = {
        "unregistered": "Not registered: the results are provisional.",
        "registered": "Registered; the holdout has not been looked at.",
        "seen": "Registered; the holdout was looked at once.",
    }[standing.state]
    stamp = "Anchored; see the ledger." if standing.anchors else f"{NOT_STAMPED[0].upper()}{NOT_STAMPED[1:]}."
    hidden = holdout_of(plan, file.parent)
    rows = [
        (file.name, "the plan"),
        (standing.file if standing.registration else "", "what was sealed before the look"),
        (standing.at.name if standing.registration else "", "what was done, line by line, hash-chained"),
        (str(plan.corpus["path"]), "the documents"),
        (gold_of(plan, file.parent).name, "the dev questions with their evidence"),
        (hidden.name if hidden is not None and standing.look is not None else "", "the holdout, seen"),
        ("results/report.html", "the report on dev, to be read; report.json holds the same"),
        ("results/holdout/report.html", "the report of the one look at the holdout"),
        ("results/runs/", "the rankings"),
        ("results/measurements.parquet", "each metric of each system on each question"),
        ("results/qrels.parquet", "the grades that they were made with"),
        ("results/decisions.jsonl", "each decision of each rule of the gate"),
        ("results/queue.jsonl", "the questions on dev that the gate deferred, for people"),
        ("results/pairs.jsonl", "each pair of the threshold study with every verdict and its unit"),
        (f"{VECTORS}/", "the embeddings, as the embedders gave them"),
        (MANIFEST, "SHA-256 of every file here: sha256sum -c MANIFEST.sha256"),
    ]
    there = [
        f"| `{name}` | {what} |"
        for name, what in rows
        if name
        and (name == MANIFEST or any(n == name or n.startswith(name.rstrip("/") + "/") for n in names))
    ]
    held = "".join(f"- {note}\n" for note in notes)
    libraries = ", ".join(f"{name} {number}" for name, number in versions("evenhand", *LIBRARIES).items())
    return (
        f"# {plan.name}\n\n{state} {stamp}\n\n| file | what it is |\n|---|---|\n"
        + "\n".join(there)
        + "\n\n"
        + (f"Left out:\n\n{held}\n" if held else "")
        + "To check it, in this folder:\n\n```\n"
        f"sha256sum -c {MANIFEST}\nevenhand study verify {file.name}\n"
        f"evenhand study verify {file.name} --independent\n```\n\n"
        f"Packed with {libraries}.\n"
    )
