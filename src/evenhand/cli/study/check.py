"""``evenhand check RESULTS --baseline B``: is what is new no worse than what was there?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from evenhand.text.plural import noun

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evenhand.model.plan.check import CheckPlan, Side

__all__ = ["check"]


def check(  # noqa: PLR0917 - typer makes options of them
    results: Annotated[
        Path, typer.Argument(help="The results folder that evenhand run wrote.", metavar="RESULTS")
    ],
    baseline: Annotated[
        Path | None,
        typer.Option("--baseline", "-b", help="Another results folder, or a baseline that was kept of one."),
    ] = None,
    margin: Annotated[
        list[str] | None,
        typer.Option(
            help='The largest loss that would not matter: "nDCG@10=0.02", or 0.02 for the primary metric '
            "(repeatable).",
            metavar="METRIC=LOSS",
        ),
    ] = None,
    system: Annotated[
        list[str] | None,
        typer.Option(help="Check this system alone (repeatable); default: all named alike in both."),
    ] = None,
    against: Annotated[
        str | None, typer.Option(help="The system of the baseline that --system is held against.")
    ] = None,
    config: Annotated[
        Path | None,
        typer.Option(help="Where margins and policy are declared; default: evenhand-check.toml, if there."),
    ] = None,
    inconclusive: Annotated[
        str | None,
        typer.Option(
            help="What cannot be told is a fail, a pass, or exit code 4 (the default).", metavar="POLICY"
        ),
    ] = None,
    alpha: Annotated[float | None, typer.Option(help="One-sided level of each test; default 0.05.")] = None,
    adjust: Annotated[
        str | None, typer.Option(help="holm: several comparisons are one family; default none.")
    ] = None,
    test: Annotated[
        str | None,
        typer.Option(help="auto (Newcombe for hit rates, else t), t, bootstrap, or clusters; default auto."),
    ] = None,
    common: Annotated[
        bool, typer.Option("--common", help="Compare the common questions of two gold sets that differ.")
    ] = False,
    criteria: Annotated[
        bool, typer.Option("--criteria", help="Fail also where a criterion of the report is not met.")
    ] = False,
    save_baseline: Annotated[
        Path | None, typer.Option(help="Keep RESULTS as a baseline in this file, and check nothing.")
    ] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="With --save-baseline: put it in the place of another one.")
    ] = False,
    junit: Annotated[Path | None, typer.Option(help="Write a JUnit XML file.")] = None,
    markdown: Annotated[Path | None, typer.Option(help="Write a summary for a pull request.")] = None,
    github: Annotated[
        bool,
        typer.Option("--github", help="Print annotations, and add the summary to $GITHUB_STEP_SUMMARY."),
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Hold results against a baseline by declared margins: passed, failed (1), or cannot be told (4)."""
    from evenhand.errors import InputError
    from evenhand.formats.results.baseline import read_side
    from evenhand.model.plan.check import CheckPlan

    declared, lines, file = _declared(config)
    place = declared.pop("baseline", None)
    given = {
        "margins": _margins(margin),
        "systems": tuple(system or ()),
        "against": against,
        "inconclusive": inconclusive,
        "alpha": alpha,
        "adjust": adjust,
        "test": test,
        "common": common,
        "criteria": criteria,
    }
    fields = {**declared, **{name: value for name, value in given.items() if _said(value)}}
    if save_baseline is not None:
        if baseline is not None:
            raise InputError("--save-baseline is given with --baseline", mend="check first, then keep")
        _keep(read_side(results), fields, save_baseline, replace=replace)
        return
    if replace:
        raise InputError("--replace belongs to --save-baseline", mend="leave it out")
    place = baseline or place
    if place is None:
        raise InputError(
            "no baseline is named",
            mend="give --baseline; `evenhand check RESULTS --save-baseline FILE` keeps one",
        )
    plan = CheckPlan(**{"margins": {}, **fields})
    made = _checked(read_side(results), read_side(place), plan)
    where = file or results / "report.json"
    lines = {} if margin else {name or made["rows"][0]["metric"]: line for name, line in lines.items()}
    _write(made, junit=junit, markdown=markdown)
    _say(made, json=json)
    if github:
        _github(made, file=where.as_posix(), lines=lines, json=json)
    if made["exit_code"]:
        raise typer.Exit(made["exit_code"])


def _said(value: Any) -> bool:
    """Was it given on the line? A level of 0 was, and is refused later."""
    return not (value is None or value is False or value in ((), {}))


def _checked(new: Side, old: Side, plan: CheckPlan) -> dict[str, Any]:
    from evenhand.study.regression.compare import check as hold

    return hold(new, old, plan)


def _margins(given: list[str] | None) -> dict[str, float]:
    from evenhand.formats.study_file.check import read_margins

    return read_margins(given or ())


def _declared(config: Path | None) -> tuple[dict[str, Any], dict[str, int], Path | None]:
    """What a file declares, the lines of its margins, and the file: by default the one in this folder."""
    from evenhand.formats.study_file.check import FILE, read_check

    file = config or Path(FILE)
    if config is None and not file.is_file():
        return {}, {}, None
    fields, lines = read_check(file)
    return fields, lines, file


def _keep(side: Side, fields: Mapping[str, Any], file: Path, *, replace: bool) -> None:
    """Write the baseline; another one in its place only when that is asked for."""
    from evenhand.errors import InputError
    from evenhand.formats.results.baseline import baseline_bytes
    from evenhand.formats.results.report_file import write_text
    from evenhand.report.output.terminal import clean

    if side.kind != "results":
        raise InputError("a baseline is kept of results", mend="name the folder that `evenhand run` wrote")
    if side.not_run:
        raise InputError(
            f"the results are incomplete: {', '.join(sorted(side.not_run))} could not be asked everything",
            mend="run the study again (only what is missing is asked), then keep the baseline",
        )
    metrics = [side.primary, *(name for name in fields.get("margins", {}) if name)]
    text, mark = baseline_bytes(side, metrics, fields.get("systems", ()))
    if file.exists() and file.read_bytes() != text and not replace:
        raise InputError(
            f"{file} holds another baseline",
            mend="margins add up when a baseline is renewed after each change; if it is meant: --replace",
        )
    write_text(file, text.decode("utf-8"))
    what = ", ".join(dict.fromkeys(metrics))
    print(
        f"{clean(str(file))}: {len(side.questions)} {noun(len(side.questions), 'question')}, "
        f"{clean(what)}, seal {mark[:12]}"
    )


def _write(made: Mapping[str, Any], *, junit: Path | None, markdown: Path | None) -> None:
    from evenhand.formats.results.report_file import write_text
    from evenhand.report.sections.regression.ci_formats import junit as as_junit
    from evenhand.report.sections.regression.ci_formats import summary

    if junit is not None:
        write_text(junit, as_junit(made).decode("utf-8"))
    if markdown is not None:
        write_text(markdown, summary(made))


def _say(made: Mapping[str, Any], *, json: bool) -> None:
    import sys

    if json:
        from evenhand.report.output.assemble import dumps

        sys.stdout.buffer.write(dumps(made))
        return
    from evenhand.report.output.terminal import console
    from evenhand.report.sections.regression.tables import tables

    on = console()
    for one in tables(made):
        on.print(one)


def _github(made: Mapping[str, Any], *, file: str, lines: Mapping[str, int], json: bool) -> None:
    """Annotations (on standard error where standard output is one JSON object), and the summary."""
    import os
    import sys

    from evenhand.report.sections.regression.ci_formats import github_lines, summary

    to = sys.stderr if json else sys.stdout
    for line in github_lines(made, file=file, lines=lines):
        print(line, file=to)
    place = os.environ.get("GITHUB_STEP_SUMMARY", "")
    if not place:
        print("evenhand: GITHUB_STEP_SUMMARY is not set, so that no summary was added", file=sys.stderr)
        return
    from evenhand.errors import InputError

    try:
        with Path(place).open("a", encoding="utf-8") as sheet:
            sheet.write(summary(made) + "\n")
    except OSError as error:
        raise InputError(
            f"$GITHUB_STEP_SUMMARY cannot be written: {error.strerror or error}",
            mend="name a file that can be",
        ) from error
