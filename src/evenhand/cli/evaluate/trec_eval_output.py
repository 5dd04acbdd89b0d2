"""What ``evenhand eval --like`` prints: trec_eval's lines, or its numbers as one JSON object."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from evenhand.cli.evaluate.output import about, print_object, rows_of
from evenhand.metrics.catalogue.names import kind
from evenhand.metrics.comparison.notices import counted
from evenhand.metrics.measure.trec_eval_mode import names_of, totals

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evenhand.metrics.measure.trec_eval_mode import Named
    from evenhand.metrics.measure.view import View
    from evenhand.model.result import Measurements

__all__ = ["like_json", "like_text"]

VERSIONS = {"trec_eval": "trec_eval 9", "trec_eval10": "trec_eval 10"}


def _lines(
    m: Measurements,
    wanted: Sequence[Named],
    runs: Sequence[View],
    *,
    complete: bool,
    per_question: bool,
    like: str,
) -> Iterator[str]:
    order = sorted(range(len(m.questions)), key=lambda q: m.questions[q].encode("utf-8", "surrogatepass"))
    place = {name: x for x, name in enumerate(m.metrics)}
    whole = {(one.system, one.metric): one for one in totals(m, complete=complete)}
    for s, run in enumerate(runs):
        if per_question:
            for q in order:
                if m.missing[s, q] and not (complete and like == "trec_eval10"):
                    continue  # version 9 prints no line for them, although it counts them
                for one in wanted:
                    if one.metric.name not in ("NumQ", "GMAP", "GMBpref"):
                        value = float(m.value[s, place[str(one.metric)], q])
                        yield _line(one, m.questions[q], value)
        if len(runs) > 1 or any(one.name == "num_q" for one in wanted):
            yield f"{'runid':<22}\tall\t{run.provenance.get('tag', run.system)}"
        for one in wanted:
            yield _line(one, "all", whole[run.system, str(one.metric)].value)


def _line(one: Named, question: str, value: float) -> str:
    counted = kind(one.metric).total == "sum"
    return f"{one.name:<22}\t{question}\t{f'{value:.0f}' if counted else f'{value:6.4f}'}"


def like_text(
    m: Measurements,
    wanted: Sequence[Named],
    runs: Sequence[View],
    *,
    like: str,
    complete: bool,
    per_question: bool,
    warnings: list[str],
) -> None:
    """trec_eval's lines; what it would not say goes to standard error."""
    lines = _lines(m, wanted, runs, complete=complete, per_question=per_question, like=like)
    sys.stdout.write("\n".join(lines) + "\n")
    from evenhand.report.output.terminal import clean

    for text in (*warnings, *_spoken(m, complete=complete)):
        print(f"evenhand: {clean(text)}", file=sys.stderr)


def _spoken(m: Measurements, *, complete: bool) -> Iterator[str]:
    """The notices, and what trec_eval's rules leave out of the mean."""
    for s, system in enumerate(m.systems):
        gone = int(m.missing[s].sum())
        if gone and not complete:
            yield f"{system}: questions without a result, left out of the mean (-c counts them 0): {gone}"
        yield from counted(m, system)


def like_json(
    m: Measurements,
    wanted: Sequence[Named],
    runs: Sequence[View],
    *,
    like: str,
    complete: bool,
    per_question: bool,
    warnings: list[str],
) -> None:
    """trec_eval's numbers as one JSON object, with the names it gives them."""
    theirs = names_of(wanted)
    missing = dict(zip(m.systems, m.missing.sum(axis=1).tolist(), strict=True))
    thing: dict[str, Any] = {
        "like": VERSIONS[like],
        "policies": {
            "ties": "score descending, then id descending; scores compared as "
            + ("float32" if like == "trec_eval" else "float64"),
            "missing questions": "0" if complete else "left out of the mean",
            "questions without a relevant unit": "0",
            "unjudged units": "not relevant",
        },
        "estimates": [
            {
                "run": one.system,
                "metric": one.metric,
                "trec_eval": theirs[one.metric],
                "point": one.value,
                "low": None,
                "high": None,
                "n": one.n,
                "undefined": 0,
                "missing": missing[one.system],
                "method": {"sum": "sum", "geometric": "geometric mean"}.get(one.how, "mean"),
                "reason": f"--like {like}: no resampling",
            }
            for one in totals(m, complete=complete)
        ],
        "contrasts": [],
        "warnings": [*warnings, *_spoken(m, complete=complete)],
        "runs": about(runs),
    }
    if per_question:
        gone = {
            (s, q) for s, name in enumerate(m.systems) for q in range(len(m.questions)) if m.missing[s, q]
        }
        place = {name: s for s, name in enumerate(m.systems)}, {q: i for i, q in enumerate(m.questions)}
        thing["per_question"] = [
            row
            for row in rows_of(m, zero=True)
            if complete or (place[0][row["run"]], place[1][row["question"]]) not in gone
        ]
    print_object(thing)
