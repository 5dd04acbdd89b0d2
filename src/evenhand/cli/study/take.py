"""``evenhand take RESULTS SYSTEM``: the chosen system, to run elsewhere, with what was measured for it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = ["take"]


def take(
    results: Annotated[Path, typer.Argument(help="A results folder, or the report.json in it.")],
    system: Annotated[str, typer.Argument(help="The system, by its name in the report.")],
    *,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="A folder that does not exist yet; default: the system's name."),
    ] = None,
    study: Annotated[
        Path | None,
        typer.Option(help="The study file; default: the one beside the results that has their seal."),
    ] = None,
) -> None:
    """Write a system as a snippet that runs, a study file, and what was measured for it."""
    from evenhand.formats.results.folder import write_new
    from evenhand.report.output.terminal import clean
    from evenhand.study.export.export import take as taken

    folder = out if out is not None else Path(system.replace("/", "-"))
    made = taken(results, system, out=folder, study=study)
    write_new(folder, made.files)
    for name in made.files:
        print(folder / name)
    if made.needs:
        print(f"needs: pip install 'evenhand[{','.join(made.needs)}]'")
    for one in made.brings:
        print(f"to be brought: {clean(one)}")
