"""The card of each noun that a notebook shows. No mean stands there without its interval and n."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evenhand.errors import InputError
from evenhand.model.comparison import Comparison, Slice
from evenhand.model.gold import GoldSet
from evenhand.model.result import Contrast, Estimate, Interval, Measurement, Measurements, Standing
from evenhand.model.run import Qrels, Run
from evenhand.report.notebook.card import Bar, Card, Grid, facts, render
from evenhand.report.notebook.card_grids import contrasts_grid, estimates_grid, left
from evenhand.report.notebook.cards_given import gold_card, qrels_card, report_card, run_card
from evenhand.report.output.number_format import (
    chance,
    count,
    interval,
    number,
    pvalue,
    share,
    signed,
    signed_interval,
)

__all__ = ["html"]

WORK = 200_000  # values that are resampled for a table while somebody waits


def html(thing: Any) -> str:
    """HTML of a noun, or of the report of a study (a mapping of its JSON)."""
    made = _MAKERS.get(type(thing))
    if made is None and isinstance(thing, Mapping):
        made = report_card
    if made is None:
        raise InputError(f"there is no card for {type(thing).__name__}", mend="print it")
    return render([made(thing)])


def _interval(thing: Interval) -> Card:
    said = interval(thing.low, thing.high) or f"none: {thing.reason}"
    return Card(title=said, facts=facts(("level", share(thing.level)), ("method", thing.method)))


def _measurement(thing: Measurement) -> Card:
    said = number(thing.value) if thing.value is not None else f"undefined: {thing.undefined}"
    return Card(title=f"{thing.metric} of {thing.system} on {thing.question}: {said}")


def _estimate(one: Estimate) -> Card:
    counts = [f"{count(n)} {what}" for what, n in left(one).items() if n]
    labels = [f"{share(part)} {whose}" for whose, part in one.labels.items() if part]
    bar = None
    if one.point is not None and one.low is not None and one.high is not None:
        ends = min(0.0, one.low), max(1.0, one.high)
        bar = Bar(point=one.point, low=one.low, high=one.high, first=ends[0], last=ends[1], told=str(one))
    said = f"{number(one.point)} {interval(one.low, one.high)}".strip()
    return Card(
        title=f"{one.metric} of {one.system}: {said}",
        bar=bar,
        facts=facts(
            ("questions", f"n = {count(one.n)}" + (f"; {', '.join(counts)}" if counts else "")),
            ("interval", f"{share(one.level)}, {one.method}{_drawn(one)}"),
            ("why not", one.reason),
            ("successes", one.k),
            (
                "judged",
                None if one.judged is None else f"{share(one.judged)} of the counted units have a label",
            ),
            ("labels", ", ".join(labels)),
        ),
    )


def _drawn(one: Estimate | Contrast) -> str:
    return f", {count(one.resamples)} resamples, seed {one.seed}" if one.resamples else ""


def _contrast(one: Contrast) -> Card:
    bar = None
    if one.difference is not None and one.low is not None and one.high is not None:
        reach = max(abs(one.low), abs(one.high), 1e-9) * 1.1
        bar = Bar(
            point=one.difference,
            low=one.low,
            high=one.high,
            first=-reach,
            last=reach,
            zero=0.0,
            told=str(one),
        )
    adjusted = (
        "" if one.p_adjusted is None else f", adjusted {pvalue(one.p_adjusted)} over {one.family} tests"
    )
    said = f"{signed(one.difference)} {signed_interval(one.low, one.high)}".strip()
    return Card(
        title=f"{one.a} − {one.b} on {one.metric}: {said}",
        bar=bar,
        facts=facts(
            ("verdict", one.verdict + (" (exploratory)" if one.exploratory else "")),
            (
                "questions",
                f"n = {count(one.n)}" + (f"; {count(one.undefined)} undefined" if one.undefined else ""),
            ),
            ("interval", f"{share(one.level)}, {one.method}, unadjusted{_drawn(one)}"),
            ("test", None if one.p is None else f"{one.test}: p = {pvalue(one.p)}{adjusted}"),
            ("why not", one.reason),
            ("effect", None if one.d_z is None else f"d_z = {signed(one.d_z, digits=2)}"),
            ("wins, ties, losses", f"{one.wins} / {one.ties} / {one.losses}"),
            ("to settle it", _needed(one.needed)),
        ),
    )


def _needed(needed: Mapping[str, Any]) -> str:
    return f"about {count(needed['n'])} questions" if needed.get("n") else ""


def _standing(one: Standing) -> Card:
    rows = sorted(one.best.items(), key=lambda pair: -pair[1])
    table = tuple((name, chance(best), "in play" if name in one.in_play else "") for name, best in rows)
    grid = Grid(head=("system", "P(best)", ""), rows=table, numbers=frozenset({1}))
    note = f"{count(one.resamples)} common resamples of n = {count(one.n)}, seed {one.seed}; ties split"
    return Card(title=f"Who leads on {one.metric}", grids=(grid,), notes=(one.sentence or "", note))


def _comparison(one: Comparison) -> Card:
    how = f"intervals {share(one.level)}, unadjusted; p adjusted ({one.adjust}) over {one.family} tests"
    how += f" on {one.primary}; {count(one.resamples)} resamples, seed {one.seed}"
    notes = (
        *one.sentences,
        how,
        *one.warnings,
    )  # fmt: skip
    return Card(
        title=f"Comparison on {one.primary}",
        grids=(estimates_grid(one.estimates), contrasts_grid(one.contrasts)),
        notes=notes,
    )


def _slice(one: Slice) -> Card:
    grids = (estimates_grid(one.estimates), *([contrasts_grid(one.contrasts)] if one.contrasts else ()))
    title = f"{one.by} = {one.value}, n = {count(one.n)} (exploratory)"
    return Card(title=title, grids=grids, notes=(one.note,) if one.note else ())


def _measurements(m: Measurements) -> Card:
    sizes = {"questions": m.questions, "metrics": m.metrics, "systems": m.systems}
    title = " × ".join(f"{count(len(names))} {what}" for what, names in sizes.items())
    if m.value.size > WORK:
        rows = tuple(
            (system, metric, count(int((m.why[s, k] == 0).sum())), count(int((m.why[s, k] != 0).sum())))
            for s, system in enumerate(m.systems)
            for k, metric in enumerate(m.metrics)
        )
        grid = Grid(head=("system", "metric", "defined", "undefined"), rows=rows, numbers=frozenset({2, 3}))
        note = "so many values are not resampled unasked: m.estimate(system, metric) does it"
        return Card(title=title, grids=(grid,), notes=(note,))
    found = [m.estimate(system, metric) for system in m.systems for metric in m.metrics]
    first = next((one for one in found if one.resamples), None)
    note = "95% intervals" + (f", {count(first.resamples)} resamples, seed {first.seed}" if first else "")
    return Card(
        title=title, grids=(estimates_grid(found),), notes=(note + "; differences: m.contrast(a, b, metric)",)
    )


_MAKERS: Mapping[type, Any] = {
    Interval: _interval,
    Measurement: _measurement,
    Estimate: _estimate,
    Contrast: _contrast,
    Standing: _standing,
    Comparison: _comparison,
    Slice: _slice,
    Measurements: _measurements,
    Run: run_card,
    Qrels: qrels_card,
    GoldSet: gold_card,
}
