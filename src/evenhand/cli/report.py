"""``evenhand report RESULTS``: tables and page anew from a report.json, without the study."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

__all__ = ["report"]


def report(  # noqa: PLR0917
    results: Annotated[Path, typer.Argument(help="A results folder, or the report.json in it.")],
    out: Annotated[
        Path | None, typer.Option(help="Where the page goes; default: report.html beside report.json.")
    ] = None,
    plots: Annotated[bool, typer.Option(help="Draw pictures on the page.")] = True,
    json: Annotated[bool, typer.Option("--json", help="Print the report as one JSON object.")] = False,
    format: Annotated[  # noqa: A002 - the word of the option
        str, typer.Option(help="md or latex: print the tables so, and leave the page as it is.")
    ] = "",
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print only the path of the page.")] = False,
) -> None:
    """Check a report.json, print its tables, and write its page anew."""
    from evenhand.cli.study.run import tell
    from evenhand.formats.results.folder import read_report, renew_page
    from evenhand.report.output.html import render
    from evenhand.report.schema.whole_report import check

    source, told, text = read_report(results)
    check(told, name=str(source))
    if format:
        sys.stdout.buffer.write(_as_text(told, format).encode("utf-8", "replace"))
        return
    page = renew_page(source, render(told, plots=plots).encode("utf-8", "replace"), out=out)
    if json:
        sys.stdout.buffer.write(text)
        return
    if not quiet:
        from evenhand.report.output.terminal import console

        tell(told, console())
    print(page)


def _as_text(told: Mapping[str, Any], word: str) -> str:
    from evenhand.errors import InputError, nearest
    from evenhand.report.output.latex import latex
    from evenhand.report.output.markdown import markdown

    makers = {"md": markdown, "latex": latex}
    if word not in makers:
        raise InputError(f"--format {word!r} is not known", mend=nearest(word, makers))
    return makers[word](told)
