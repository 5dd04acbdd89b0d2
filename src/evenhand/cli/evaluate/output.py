"""What ``evenhand eval`` prints: one JSON object, or tables and sentences."""

from __future__ import annotations

import json as js
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from evenhand.metrics.comparison.notices import notices

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import Console

    from evenhand.metrics.comparison.stability import Stability
    from evenhand.metrics.measure.trec_eval_mode import Named
    from evenhand.metrics.measure.view import View
    from evenhand.model.comparison import Comparison
    from evenhand.model.result import Measurements
    from evenhand.model.run import Qrels

__all__ = ["compared", "qrels_notices", "tell_comparison"]

TIES = {
    "trec": "score descending, then id descending",
    "trec10": "score descending, then id descending",
    "trec9": "score as float32 descending, then id descending",
    "file": "as the file has them",
    "expected": "expected value over all orders of equal scores",
}


def qrels_notices(qrels: Qrels) -> Iterator[str]:
    """What reading the judgements dropped or found odd."""
    said = {
        "duplicates": "repeated judgements left out (the first is kept): {n}",
        "broken": "broken lines left out: {n}",
        "not_utf8": "the file is not UTF-8 and was read as Latin-1",
        "negative": "negative grades (judged, not relevant): {n}",
        "fractional": "grades that are fractions, kept as they are: {n}",
        "subtopics": "subtopics, taken as nuggets (a unit's grade is its highest): {n}",
    }
    for name, text in said.items():
        if qrels.notes.get(name):
            yield f"qrels: {text.format(n=qrels.notes[name])}"


def print_object(thing: dict[str, Any]) -> None:
    """One JSON object on standard output."""
    sys.stdout.write(js.dumps(thing, ensure_ascii=False, allow_nan=False, indent=1) + "\n")


def _record(one: Any) -> dict[str, Any]:
    """A record as JSON; what the nouns call a system is a run here."""
    row = asdict(one)
    return {"run": row.pop("system"), **row} if "system" in row else row


def rows_of(m: Measurements, *, zero: bool = False) -> list[dict[str, Any]]:
    """Each question's values, with the reason where there is none; *zero*: a value all the same."""
    rows = []
    for s, run in enumerate(m.systems):
        for q, question in enumerate(m.questions):
            for x, metric in enumerate(m.metrics):
                why = int(m.why[s, x, q])
                value = None if why and not zero else float(m.value[s, x, q])
                note = m.reasons[why] if why else ("missing from the run" if m.missing[s, q] else None)
                rows.append(
                    {"run": run, "question": question, "metric": metric, "value": value, "reason": note}
                )
    return rows


def about(runs: Sequence[View]) -> list[dict[str, Any]]:
    """What was odd about each run, and where it came from."""
    return [{"run": run.system, "notes": dict(run.notes), "provenance": dict(run.provenance)} for run in runs]


def compared(
    m: Measurements,
    wanted: Sequence[Named],
    runs: Sequence[View],
    *,
    json: bool,
    per_question: bool,
    warnings: list[str],
    ties: str,
    without_relevant: str,
    **options: Any,
) -> None:
    """Estimates with intervals, paired contrasts and the verdict, as JSON or for people."""
    from evenhand.metrics.comparison.caveats import advice
    from evenhand.metrics.comparison.summary import compare

    found = compare(m, primary=str(wanted[0].metric), **options)
    told = [one.text for one in advice(m, runs[0].judged.qrels)]
    warnings = [*warnings, *notices(m), *told, *found.warnings]
    # of one run there is nothing to say in words
    settled = _settled(m, found, **options) if json or len(m.systems) > 1 else None
    if not json:
        said = (*found.sentences, *(settled.sentences if settled is not None else ()))
        _tell(m, found, said, warnings, per_question=per_question)
        return
    thing = {
        "primary": found.primary,
        "n_questions": len(m.questions),
        "policies": {
            "ties": TIES[ties],
            "missing questions": "0, listed",
            "questions without a relevant unit": "0" if without_relevant == "zero" else "undefined, left out",
            "unjudged units": "not relevant, counted",
        },
        "estimates": [_record(one) for one in found.estimates],
        "contrasts": [_record(one) for one in found.contrasts],
        "standing": None if found.standing is None else asdict(found.standing),
        "stability": None if settled is None else _curves(settled),
        "sentences": list(found.sentences),
        "warnings": warnings,
        "ties": m.extra.get("ties", {}),
        **({"bounds": m.extra["bounds"]} if m.extra.get("bounds") else {}),
        "runs": about(runs),
    }
    if per_question:
        thing["per_question"] = rows_of(m)
    print_object(thing)


def _settled(m: Measurements, found: Comparison, *, level: float, seed: int, **_: Any) -> Stability | None:
    """How the runs settle on the primary metric as questions are added."""
    from evenhand.metrics.comparison.stability import stability

    return stability(
        m, found.primary, standing=found.standing, contrasts=found.contrasts, level=level, seed=seed
    )


def _curves(settled: Stability) -> dict[str, Any]:
    return {**asdict(settled), "curves": [_record(one) for one in settled.curves]}


def tell_comparison(on: Console, found: Comparison, said: Sequence[str]) -> None:
    """The table of systems, the one of the pairs that were declared, and the verdicts in words."""
    from evenhand.report.sections.comparison.tables import contrasts_table, estimates_table, sentences

    family = [one for one in found.contrasts if not one.exploratory]
    on.print(
        estimates_table(found.estimates, primary=found.primary, contrasts=family, standing=found.standing)
    )
    on.print()
    if family:
        on.print(contrasts_table(family))
        on.print()
    on.print(sentences(said))


def _tell(
    m: Measurements, found: Comparison, said: Sequence[str], warnings: list[str], *, per_question: bool
) -> None:
    from evenhand.report.output.terminal import clean, console
    from evenhand.report.sections.comparison.tables import warnings_block

    on = console()
    tell_comparison(on, found, said)
    if warnings:
        on.print()
        on.print(warnings_block(warnings))
    if per_question:
        on.print()
        for row in rows_of(m):
            value = "–" if row["value"] is None else f"{row['value']:.4f}"
            cells = (row["run"], row["question"], row["metric"], value, row["reason"] or "")
            print("\t".join(clean(cell) for cell in cells))
