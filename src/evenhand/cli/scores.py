"""``evenhand scores FILE...``: scores of other tools, with what they support."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from evenhand.formats.guests.scores import Scored
    from evenhand.model.comparison import Comparison
    from evenhand.model.result import Measurements

__all__ = ["scores"]


def scores(
    files: Annotated[
        list[Path], typer.Argument(help="A file a system; of MTEB also a folder.", metavar="FILE...")
    ],
    *,
    tool: Annotated[
        str, typer.Option("--from", help="ragas, deepeval, haystack, llama-index, trec_eval or mteb.")
    ],
    metric: Annotated[
        str, typer.Option("-m", "--metric", help="The primary one, as it is called here; default: the first.")
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
    from evenhand.formats.guests.scores import read_scores
    from evenhand.metrics.summary import compare

    read = [read_scores(path, tool) for path in files]
    names = [one.system for one in read]
    if len(set(names)) < len(names):
        for one, path in zip(read, files, strict=True):
            one.system = str(path)
    if len({one.system for one in read}) < len(read):
        raise InputError("a file is given twice", mend="give each system once")
    m = _measured(read)
    primary = metric or m.metrics[0]
    found = compare(m, primary=primary, level=level, resamples=resamples, seed=seed)
    if json:
        _print_json(read, found)
    else:
        _print(read, found)


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


def _print_json(read: list[Scored], found: Comparison) -> None:
    import json as js
    import sys
    from dataclasses import asdict

    made = {
        "schema": "evenhand.scores/1",
        "primary": found.primary,
        "estimates": [asdict(one) for one in found.estimates],
        "contrasts": [asdict(one) for one in found.contrasts],
        "sentences": list(found.sentences),
        "warnings": list(found.warnings),
        "names": _names(read),
        "notes": sorted({note for one in read for note in one.notes}),
        "not_carried": {one.system: list(one.told()) for one in read if one.told()},
    }
    sys.stdout.write(js.dumps(made, ensure_ascii=False, allow_nan=False, indent=1, default=dict) + "\n")


def _print(read: list[Scored], found: Comparison) -> None:
    from evenhand.cli.eval_say import tell_comparison
    from evenhand.report.terminal import clean, console

    on = console()
    tell_comparison(on, found, found.sentences)
    on.print()
    for line in dict.fromkeys((*_names(read), *(note for one in read for note in one.notes))):
        print(clean(line))
    for one in read:
        for what in one.told():
            print(f"not carried: {clean(one.system)}: {clean(what)}")
