"""``evenhand scores FILE...``: scores of other tools, with what they support."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from evenhand.formats.guests.scores.read import Scored
    from evenhand.model.comparison import Comparison
    from evenhand.model.result import Measurements

__all__ = ["scores"]


def scores(
    files: Annotated[
        list[Path], typer.Argument(help="A file a system; of MTEB also a folder.", metavar="FILE...")
    ],
    *,
    tool: Annotated[
        str,
        typer.Option(
            "--from",
            help="ragas, deepeval, haystack, llama-index, trec_eval, mteb, or table (any CSV, TSV, JSON, "
            "JSON lines or Parquet with a column a score).",
        ),
    ] = "table",
    metric: Annotated[
        str,
        typer.Option(
            "-m", "--metric", help="The primary one, as it is called here or there; default: the first."
        ),
    ] = "",
    key: Annotated[
        str,
        typer.Option(
            "--id", help="The column that names the question; default: by its name.", metavar="COLUMN"
        ),
    ] = "",
    level: Annotated[float, typer.Option(help="Level of the intervals; tests are at 1 − level.")] = 0.95,
    resamples: Annotated[int, typer.Option(help="Resamples of the bootstrap.")] = 10_000,
    seed: Annotated[int, typer.Option(help="The same seed gives the same numbers.")] = 20241009,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Give the scores of another tool their intervals, and compare systems question by question.

    Each score is called by a name that means here what it meant there; what was not measured is not 0.
    """
    from evenhand.errors import InputError
    from evenhand.formats.guests.scores.read import read_scores
    from evenhand.metrics.comparison.summary import compare

    read = [read_scores(path, tool, key=key) for path in files]
    names = [one.system for one in read]
    if len(set(names)) < len(names):
        for one, path in zip(read, files, strict=True):
            one.system = str(path)
    if len({one.system for one in read}) < len(read):
        raise InputError("a file is given twice", mend="give each system once")
    m = _measured(read)
    primary = _primary(metric, m.metrics, read) if metric else m.metrics[0]
    found = compare(m, primary=primary, level=level, resamples=resamples, seed=seed)
    warnings = [*(warning for one in read for warning in one.warnings), *found.warnings]
    if json:
        _print_json(read, found, warnings)
    else:
        _print(read, found, warnings)


def _primary(metric: str, known: tuple[str, ...], read: list[Scored]) -> str:
    """The metric that is meant: by its name here, its name there, or another spelling of either."""
    from evenhand.errors import InputError, nearest
    from evenhand.metrics.catalogue.names import parse

    theirs = {name: ours for one in read for ours, (name, _) in one.called.items()}
    if metric in known or metric in theirs:
        return metric if metric in known else theirs[metric]
    try:
        spelled = str(parse(metric))
    except InputError:
        spelled = metric
    if spelled in known:
        return spelled
    raise InputError(f"the files hold no score {metric!r}", mend=nearest(metric, {*known, *theirs}))


def _measured(read: list[Scored]) -> Measurements:
    """All files as systems × metrics × questions; what a file does not hold is undefined, with the reason."""
    import numpy as np

    from evenhand.model.result import Measurements

    metrics = tuple(dict.fromkeys(name for one in read for name in one.values))
    questions = tuple(dict.fromkeys(q for one in read for of in one.values.values() for q in of))
    value = np.zeros((len(read), len(metrics), len(questions)))
    why = np.ones(value.shape, dtype=np.int16)
    for s, one in enumerate(read):
        for m, name in enumerate(metrics):
            for q, question in enumerate(questions):
                found = one.values.get(name, {}).get(question)
                if found is not None:
                    value[s, m, q], why[s, m, q] = found, 0
    return Measurements(
        systems=tuple(one.system for one in read),
        metrics=metrics,
        questions=questions,
        value=value,
        why=why,
        reasons=("", "not measured"),
        unreachable=np.zeros(value.shape, dtype=bool),
        missing=np.zeros((len(read), len(questions)), dtype=bool),
    )


def _names(read: list[Scored]) -> list[str]:
    """How scores are called there and here, each once."""
    told = {
        ours: f"{ours}: called {theirs!r} there" + (f"; {remark}" if remark not in ("", "the same") else "")
        for one in read
        for ours, (theirs, remark) in one.called.items()
        if ours != theirs
    }
    return list(told.values())


def _print_json(read: list[Scored], found: Comparison, warnings: list[str]) -> None:
    import json as js
    from dataclasses import asdict

    from evenhand.report.output.terminal import clean

    made = {
        "schema": "evenhand.scores/1",
        "primary": found.primary,
        "estimates": [asdict(one) for one in found.estimates],
        "contrasts": [asdict(one) for one in found.contrasts],
        "sentences": list(found.sentences),
        "warnings": warnings,
        "names": _names(read),
        "notes": sorted({note for one in read for note in one.notes}),
        "not_carried": {one.system: list(one.told()) for one in read if one.told()},
    }
    sys.stdout.write(js.dumps(made, ensure_ascii=False, allow_nan=False, indent=1, default=dict) + "\n")
    for line in warnings:
        print(f"evenhand: warning: {clean(line)}", file=sys.stderr)


def _print(read: list[Scored], found: Comparison, warnings: list[str]) -> None:
    from evenhand.cli.evaluate.output import tell_comparison
    from evenhand.report.output.terminal import clean, console
    from evenhand.report.sections.comparison.tables import warnings_block

    on = console()
    tell_comparison(on, found, found.sentences)
    on.print()
    if warnings:
        on.print(warnings_block(warnings))
        on.print()
    for line in dict.fromkeys((*_names(read), *(note for one in read for note in one.notes))):
        print(clean(line))
    for one in read:
        for what in one.told():
            print(f"not carried: {clean(one.system)}: {clean(what)}")
