"""``evenhand convert IN OUT``: runs and judgements from one tool's form to another's."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from evenhand.text.plural import noun

__all__ = ["convert"]

GUESTS = "ragas, llama-index, haystack, autorag"
FORMS = "trec, json (ranx, pytrec_eval), mteb, jsonl, beir (or tsv), csv, parquet"


def convert(
    source: Annotated[Path, typer.Argument(help="A run, or with --qrels judgements.", metavar="IN")],
    target: Annotated[Path, typer.Argument(help="The file to write; .gz, .zst ... pack.", metavar="OUT")],
    *,
    from_: Annotated[
        str,
        typer.Option(
            "--from",
            help=f"What IN is, where its content does not say: {FORMS}; or whose rows it holds: {GUESTS}.",
        ),
    ] = "",
    to: Annotated[str, typer.Option(help="What OUT is to be, where its ending does not say.")] = "",
    qrels: Annotated[bool, typer.Option("--qrels", help="IN holds judgements.")] = False,
    part: Annotated[
        str, typer.Option(help="Of an MTEB file with several: which.", metavar="SUBSET/SPLIT")
    ] = "",
    ties: Annotated[
        str,
        typer.Option(help="Equal scores: trec (id descending), trec9 (float32), or file (as they stand)."),
    ] = "trec",
    tag: Annotated[str, typer.Option(help="The tag of TREC text; default: that of IN, or its name.")] = "",
    lenient: Annotated[
        bool, typer.Option("--lenient", help="Drop and count broken and repeated lines instead of stopping.")
    ] = False,
) -> None:
    """Write a run or judgements in another form, and say what that form cannot carry."""
    from evenhand.formats.runs.trec import read_qrels, read_run
    from evenhand.formats.runs.write import form_of, size_of, write_qrels, write_run
    from evenhand.report.output.terminal import clean

    form = form_of(target, "beir" if to == "tsv" else to)
    if qrels:
        judged = read_qrels(source, lenient=lenient, form=from_, part=part)
        lost = write_qrels(target, judged, form=form)
        notes, (rows, questions) = judged.notes, size_of(judged, form)
    else:
        run = read_run(source, lenient=lenient, ties=ties, form=from_, part=part)
        lost = write_run(target, run, tag=tag or run.provenance.get("tag"), form=form)
        notes, (rows, questions) = run.notes, size_of(run, form)
    what = "judgements" if qrels else "ranked units"
    print(f"{clean(str(target))}: {rows} {what} of {questions} {noun(questions, 'question')}, as {form}")
    dropped = {"duplicates": "repeated rows", "broken": "broken lines"}
    lost += [f"{said}: {notes[name]}" for name, said in dropped.items() if notes.get(name)]
    for one in lost:
        print(f"not carried: {clean(one)}", file=sys.stderr)
