"""``evenhand answers diagnose``: whether retrieval or generation is to blame, question by question."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from evenhand.cli.answers.import_export import answer_gaps
from evenhand.cli.shared.error_location import places_errors

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import Console

__all__ = ["diagnose"]

INCOMPLETE = 4


@places_errors
def diagnose(
    study: Annotated[Path, typer.Argument(help="The study file, with [answers].", metavar="STUDY.toml")],
    *,
    cell: Annotated[
        str, typer.Option(help="List every question of one cell: working, generation, fragile, retrieval …")
    ] = "",
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Retrieval good or bad × answer good or bad, with the likely cause and the questions in each cell.

    Fragile is the cell of answers that are right though the passages did not hold the evidence. With
    closed_book = true the questions are also asked without passages, and it says what the model knew anyway.
    Nothing is asked that costs money. Exit code 4: answers are missing.
    """
    from evenhand.answer.diagnosis.diagnose import CELLS
    from evenhand.errors import InputError, nearest
    from evenhand.formats.study_file.read import read_study
    from evenhand.report.output.terminal import console, progress
    from evenhand.study.generation.context import laid_answers

    if cell and cell not in CELLS:
        raise InputError(f"--cell: there is no cell {cell!r}", mend=nearest(cell, CELLS))
    file = study / "study.toml" if study.is_dir() else study
    with progress() as lines, laid_answers(read_study(file), file.parent, progress=lines) as laid:
        part = laid.part()
        texts = {ask.topic: ask.ask for ask in laid.asks}
    if json:
        from evenhand.report.output.assemble import dumps

        keys = ("kind", "system", "k", "asked", "missing", "failed", "diagnosis", "claims", "sentences")
        told = {"schema": "evenhand.answers-diagnosed/1", **{key: part[key] for key in keys}}
        print(dumps(told).decode(), end="")
    else:
        _say(part, texts, cell, console(json=False))
    for lacks, mend in answer_gaps(part, file):
        print(f"evenhand: incomplete: {lacks}\n  mend: {mend}", file=sys.stderr)
    if part["missing"] or part["failed"]:
        raise typer.Exit(INCOMPLETE)


def _say(part: Mapping[str, Any], texts: Mapping[str, str], cell: str, on: Console) -> None:
    from evenhand.report.output.terminal import clean
    from evenhand.report.sections.generation.tables import diagnosis_tables

    for table in diagnosis_tables(part):
        on.print(table)
        on.print()
    for line in part["sentences"]:
        on.print(clean(line))
    if not cell:
        return
    for one in part["diagnosis"]:
        for case in one["cases"]:
            if case["cell"] != cell:
                continue
            on.print()
            on.print(clean(f"{case['question']} {texts.get(case['question'], '')}"))
            on.print(clean(f"  {case['cause']}"))
            on.print(clean(f"  decided by {case['by']}: {case['why']}"))
