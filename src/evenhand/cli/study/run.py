"""``evenhand run STUDY.toml``: conduct a study, print what it says, write its results."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from evenhand.cli.answers.import_export import answer_gaps
from evenhand.cli.shared.rerun_hint import again
from evenhand.text.plural import many, noun, verb

if TYPE_CHECKING:
    from rich.console import Console

    from evenhand.study.comparison.run import Outcome

__all__ = ["decide", "incomplete", "latency", "run", "show", "show_study", "tell"]

NOT_MET, INCOMPLETE = 1, 4
Where = Annotated[
    str | None,
    typer.Option(
        "--engine",
        help="Where work runs, the same bytes everywhere: local, dask://HOST:PORT, ray://HOST:PORT; dask:// "
        "or ray:// alone start workers of their own. Default: the study's engine.",
        metavar="ENGINE",
    ),
]


def run(
    study: Annotated[Path, typer.Argument(help="The study file.", metavar="STUDY.toml")],
    out: Annotated[
        Path | None, typer.Option(help="Where the results go; default: results/ beside the study file.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the report as one JSON object.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print only the path of the report.")] = False,
    engine: Where = None,
) -> None:
    """Conduct a study (what is done already is not done again), print the table, write results/."""
    file = study / "study.toml" if study.is_dir() else study
    show_study(
        file,
        out=out or file.parent / "results",
        json=json,
        quiet=quiet,
        command=again("run", study, out=out, engine=engine),
        engine=engine,
    )


def show_study(
    study: Path,
    *,
    out: Path,
    json: bool,
    quiet: bool,
    command: str,
    cache: Path | None = None,
    engine: str | None = None,
) -> None:
    """Conduct a study with progress on standard error, print its outcome; *command* does it again."""
    from evenhand.cli.shared.live_progress import watched
    from evenhand.formats.study_file.error_location import placing
    from evenhand.formats.study_file.read import read_study
    from evenhand.study.comparison.run import conduct

    plan = read_study(study)
    told = watched(plan, study.parent, command=command, out=out, cache=cache, silent=quiet or json)
    with placing(study), told as lines:
        outcome = conduct(
            plan, study.parent, progress=lines, out=out, cache=cache, engine=engine, file=study.name
        )
    show(outcome, json=json, quiet=quiet)
    incomplete(outcome.report, study, command=command, engine=engine)
    decide(outcome.report)


def incomplete(report: Mapping[str, Any], study: Path, *, command: str, engine: str | None = None) -> None:
    """Leave with 4 where questions could not be asked, or votes of a panel are missing.

    *command* is the one that was given, and *engine* its engine.
    """
    gaps = report["incomplete"]
    if lacking := gaps.get("votes_missing", 0):
        told = f"{many(lacking, 'vote')} of the panel {verb(lacking, 'is', 'are')}"
        panel = again("judge", "panel", study, engine=engine)
        print(f"evenhand: incomplete: {told} missing\n  mend: {panel}", file=sys.stderr)
    for told, mend in answer_gaps(report["answers"], study) if gaps.get("answers_missing", 0) else ():
        print(f"evenhand: incomplete: {told}\n  mend: {mend}", file=sys.stderr)
    if waiting := len({q for one in gaps["not_run"] for q in one["questions"]}):
        told = f"{many(waiting, 'question')} {verb(waiting, 'was', 'were')}"
        print(
            f"evenhand: incomplete: {told} not run; only these are asked again\n  mend: {command}",
            file=sys.stderr,
        )
    if gaps["state"]:
        raise typer.Exit(INCOMPLETE)


def decide(report: Mapping[str, Any]) -> None:
    """Leave with 1 where a criterion is not met, with 4 where one cannot be decided."""
    made = report.get("criteria")
    if not made or not (made["not_met"] or made["undecided"]):
        return
    from evenhand.report.output.terminal import clean

    word = "not met" if made["not_met"] else "cannot be decided"
    rows = [row for row in made["rows"] if row["verdict"] == word and not _gone(row)]
    names = ", ".join(row["name"] for row in rows)
    print(f"evenhand: {len(rows)} of {made['of']} criteria {word}: {clean(names)}", file=sys.stderr)
    raise typer.Exit(NOT_MET if made["not_met"] else INCOMPLETE)


def _gone(row: Mapping[str, Any]) -> bool:
    return bool((row["planned"] or {}).get("withdrawn")) or row["role"] == "descriptive"


def show(outcome: Outcome, *, json: bool, quiet: bool) -> None:
    """Print an outcome: one JSON object, or tables, the verdict and, last, the path of the page."""
    if json:
        sys.stdout.buffer.write(outcome.text)
        return
    if not quiet:
        from evenhand.report.output.terminal import console

        on = console()
        tell(outcome.report, on)
        if outcome.report.get("gate"):
            on.print(latency(outcome.report["gate"]["of"], outcome.costs))
            on.print()
    print(outcome.page)


def latency(of: Sequence[str], costs: Mapping[str, Any]) -> str:
    """What a gate waits for, beside how good it is: of each system, as measured when it was asked."""
    told = [f"{name} {_waited(costs['systems'][name])}" for name in of]
    return f"latency of a question: {', '.join(told)}; in costs.json"


def _waited(one: Mapping[str, Any]) -> str:
    if one["p50_ms"] is not None:
        return f"{one['p50_ms']:.1f} ms (95%: {one['p95_ms']:.1f} ms)"
    return "not measured" if one["mean_ms"] is None else f"{one['mean_ms']:.1f} ms (batch mean)"


def tell(report: Mapping[str, Any], on: Console) -> None:
    """The tables of a report, the verdict under them, the warnings counted."""
    from evenhand.model.result import Contrast, Estimate, Standing
    from evenhand.report.sections.comparison.approximate_search import marks
    from evenhand.report.sections.comparison.tables import (
        contrasts_table,
        estimates_table,
        incomplete_block,
        sentences,
        warnings_block,
    )
    from evenhand.report.sections.criteria.tables import registration_block
    from evenhand.report.sections.registry import tables_of

    standing = Standing(**report["standing"]) if report["standing"] else None
    family = [Contrast(**row) for row in report["contrasts"] if not row["exploratory"]]
    table = estimates_table(
        [Estimate(**row) for row in report["estimates"]],
        primary=report["study"]["primary"],
        contrasts=family,
        standing=standing,
        marks=(told := marks(report["systems"])),
    )
    on.print(table)
    on.print()
    if family:
        on.print(contrasts_table(family, marks=told))
        on.print()
    on.print(sentences([report["headline"], *report["sentences"]]))
    if report.get("registration"):
        on.print(registration_block(report["registration"]))
    for table in tables_of(report):
        on.print()
        on.print(table)
    if report["incomplete"]["state"]:
        on.print(incomplete_block(report["incomplete"]))
    if report["provisional"]["state"]:
        waiting = report["provisional"]["waiting"]
        on.print(
            f"PROVISIONAL: {waiting} {noun(waiting, 'question')} drafted by a model "
            f"{verb(waiting, 'waits', 'wait')} for a person",
            style="bold",
        )
    if report["warnings"]:
        on.print()
        on.print(warnings_block(report["warnings"]))
    on.print()
