"""``evenhand study verify``, ``package`` and ``pilot``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from evenhand.cli.shared.runs_code import RunCode, asked
from evenhand.text.plural import many

if TYPE_CHECKING:
    from evenhand.study.verification.verify import Verified

__all__ = ["package", "pilot", "verify"]

MARKS = {"ok": "ok", "fault": "FAULT", "unchecked": "??", "note": "note"}
Study = Annotated[Path, typer.Argument(help="The study file.", metavar="STUDY.toml")]


def verify(
    study: Study,
    *,
    results: Annotated[
        Path | None, typer.Option(help="The results to verify; default: results/ beside the study file.")
    ] = None,
    cache: Annotated[
        Path | None,
        typer.Option(help="Take what is kept here instead of making everything anew from nothing."),
    ] = None,
    independent: Annotated[
        bool,
        typer.Option(
            "--independent",
            help="Recompute metrics, intervals, tests and rankings by other libraries (extra: verify).",
        ),
    ] = False,
    record: Annotated[
        bool, typer.Option("--record", help="Write into the ledger that it was verified, and how.")
    ] = False,
    run_code: RunCode = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Derive every artefact anew, compare seals, walk the ledger; name the first byte that differs.

    Exit code 0 when all is as it was, 3 when anything is not, 4 when all that could be checked is but
    something could not be. Nothing is changed. A study that names code (python:, command:) or another engine
    is derived anew only with --run-code.
    """
    from evenhand.cli.study.commands import opened, told
    from evenhand.protocols import quiet
    from evenhand.report.output.terminal import clean, progress
    from evenhand.store.clock import now
    from evenhand.study.verification.verify import verify as check

    plan, folder = opened(study)
    options: dict[str, Any] = {
        "results": results,
        "cache": cache,
        "independent": independent,
        "now": now if record else None,
    }
    if json:
        with asked(plan, study, run=run_code):
            made = told(lambda: check(plan, folder, progress=quiet, **options), study)
        import json as encoder

        print(encoder.dumps(made.as_json(), ensure_ascii=True, indent=1))
    else:
        with asked(plan, study, run=run_code), progress() as lines:
            made = told(lambda: check(plan, folder, progress=lines, **options), study)
        for one in made.checks:
            print(f"{MARKS[one.state]:<6} {clean(one.what)}: {clean(one.text)}")
        print(_end(made))
    if made.exit_code:
        raise typer.Exit(made.exit_code)


def _end(made: Verified) -> str:
    """The outcome in one line, by the same counts as the exit code."""
    faults, left = made.count("fault"), made.count("unchecked")
    if faults:
        return f"{many(faults, 'fault')}: this is not the study that was made"
    good = "as it was made" + (" and registered" if made.registered else "")
    if left:
        return f"not verified whole: {many(left, 'check')} could not be made; everything else is {good}"
    return f"verified: everything is {good}"


def package(
    study: Study,
    *,
    out: Annotated[Path, typer.Option(help="The folder to make; it must not be there yet.", metavar="DIR")],
    results: Annotated[
        Path | None, typer.Option(help="The results to pack; default: results/ beside the study file.")
    ] = None,
    run_code: RunCode = False,
) -> None:
    """Put a study into one folder for a reader who trusts nobody: inputs, registration, ledger, results.

    `evenhand study verify` works inside it too. A study that names code (python:, command:) is packed only
    with --run-code: its seals are made by asking that code.
    """
    from evenhand.cli.study.commands import opened, told
    from evenhand.report.output.terminal import clean
    from evenhand.study.registration.package import package as pack

    plan, _ = opened(study)
    file = study / "study.toml" if study.is_dir() else study
    with asked(plan, file, run=run_code):
        made = told(lambda: pack(plan, file, out, results=results), study)
    for line in made.notes:
        print(f"note: {clean(line)}")
    print(f"{many(made.files, 'file')}, {made.size / 1e6:.1f} MB, listed in MANIFEST.sha256")
    print(made.folder)


def pilot(
    study: Study,
    *,
    system: Annotated[
        list[str] | None, typer.Option(help="Only this system (repeatable); default: all but null systems.")
    ] = None,
    k: Annotated[
        int | None,
        typer.Option(help="How many units of each question are looked at; default: [threshold] k, else 5."),
    ] = None,
    grid: Annotated[
        list[float] | None,
        typer.Option(help="A threshold (repeatable); default: that of [threshold], else the deciles."),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Show the distribution of scores on dev before registration: what a threshold would let through.

    A study with a [threshold] is shown arm by arm, as that section retrieves, with its corpus criterion.

    No label is used and no metric is computed, so it spoils nothing. The holdout is not read.
    """
    from evenhand.cli.study.commands import opened, told
    from evenhand.protocols import quiet
    from evenhand.report.output.terminal import console, progress
    from evenhand.study.threshold.similarity_pilot import pilot as measure
    from evenhand.study.threshold.similarity_pilot import tables

    plan, folder = opened(study)
    options: dict[str, Any] = {"systems": tuple(system or ()), "k": k, "grid": tuple(grid or ())}
    if json:
        import json as encoder

        made = told(lambda: measure(plan, folder, progress=quiet, **options), study)
        print(encoder.dumps(made, ensure_ascii=True, indent=1))
        return
    with progress() as lines:
        made = told(lambda: measure(plan, folder, progress=lines, **options), study)
    on = console()
    for table in tables(made):
        on.print(table)
