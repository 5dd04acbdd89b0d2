"""Qrels × runs × metrics → measurements: the one way from a ranking to a number."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from evenhand.errors import InputError
from evenhand.metrics import find
from evenhand.metrics.kinds import Metric
from evenhand.metrics.names import kind, parse
from evenhand.metrics.ties import audit
from evenhand.metrics.view import Cut, Judged, View
from evenhand.model.result import Measurements
from evenhand.model.run import Run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from evenhand.model.run import Qrels

__all__ = ["TIES", "UNJUDGED", "measure"]

TIES = ("stored", "trec")
UNJUDGED = ("not relevant", "left out")
NO_SPANS = "the qrels hold no evidence spans"


def measure(
    qrels: Qrels,
    runs: Run | View | Sequence[Run | View],
    metrics: str | Metric | Sequence[str | Metric],
    *,
    lengths: NDArray[np.int64] | None = None,
    ties: str = "stored",
    unjudged: str = "not relevant",
) -> Measurements:
    """Every metric of every system on every question of the qrels, in their order: one n for all.

    A question missing from a run (or answered with nothing) counts 0 and is marked ``missing``. One
    without a relevant unit is undefined with the reason; where a gold set stands behind the qrels it has
    evidence all the same, that no unit holds at the metric's level: it counts 0 and is marked
    ``unreachable``, so that every chunking is measured on the same questions.

    A unit twice in a ranking counts once, at its first rank; ranks close up.

    ``lengths``: int64, tokens of each unit of ``qrels.table``, needed by ``@Ntokens``: units are taken
    while their sum fits; the one that crosses the budget is not taken. ``ties``: ``stored`` keeps a run's
    own order, ``trec`` sorts by score, then id, both descending. ``unjudged``: ``not relevant``, or
    ``left out`` (condensed lists: ranks close up, Sakai 2007).

    ``extra``, by system: ``judged`` and ``labels`` (by metric: share of the units above its cut that have
    a label; shares of human, aligned and panel labels among them), ``tokens`` (by metric: mean tokens
    above its cut, with ``lengths``), ``notes`` (counts: duplicates, unasked ...) and ``ties`` (by metric,
    see `evenhand.metrics.ties.audit`).
    """
    runs = [runs] if isinstance(runs, (Run, View)) else list(runs)
    wanted = [parse(m) for m in ([metrics] if isinstance(metrics, (str, Metric)) else metrics)]
    wanted = list(dict.fromkeys(wanted))
    _check(qrels, runs, wanted, lengths=lengths, ties=ties, unjudged=unjudged)
    judged = Judged(qrels)
    whole = lengths is not None or any(kind(m).needs == "spans" or m.budget for m in wanted)

    shape = (len(runs), len(wanted), judged.n)
    value, why = np.zeros(shape), np.zeros(shape, dtype=np.int16)
    missing = np.zeros((len(runs), judged.n), dtype=bool)
    unreachable = np.zeros(shape, dtype=bool)
    gold = len(qrels.nugget_offsets) > 0
    reasons = [""]
    extra: dict[str, dict[str, Any]] = {name: {} for name in ("judged", "labels", "tokens", "notes", "ties")}
    for s, run in enumerate(runs):
        view, about = _view(judged, run, ties=ties, whole=whole)
        missing[s] = view.missing
        tokens = None if lengths is None else _running(view, lengths)
        seen = view.condensed() if unjudged == "left out" else view
        for m, metric in enumerate(wanted):
            cut = _cut(metric, view, tokens)
            values = kind(metric).score(seen, cut, **kind(metric).full(metric))
            value[s, m] = values.value
            if kind(metric).needs != "spans":  # characters of evidence count, however it was cut
                unreachable[s, m] = judged.unreachable
            if values.undefined is not None:
                if gold:
                    unreachable[s, m] |= values.undefined
                open_ = values.undefined & ~unreachable[s, m]
                if open_.any() and values.reason not in reasons:
                    reasons.append(values.reason)
                why[s, m][open_] = reasons.index(values.reason) if open_.any() else 0
                value[s, m][values.undefined] = 0.0
            _tell(extra, view, str(metric), cut, tokens)
        extra["notes"][view.system] = about
        touched = {str(metric): found for metric in wanted if (found := audit(view, metric)) is not None}
        if touched:
            extra["ties"][view.system] = touched
    return Measurements(
        systems=tuple(run.system for run in runs),
        metrics=tuple(str(metric) for metric in wanted),
        questions=tuple(qrels.questions),
        value=value,
        why=why,
        reasons=tuple(reasons),
        unreachable=unreachable,
        missing=missing,
        extra=extra,
    )


def _check(
    qrels: Qrels,
    runs: Sequence[Run | View],
    wanted: Sequence[Metric],
    *,
    lengths: NDArray[np.int64] | None,
    ties: str,
    unjudged: str,
) -> None:
    for option, given, known in (("ties", ties, TIES), ("unjudged", unjudged, UNJUDGED)):
        if given not in known:
            raise InputError(f"{option}={given!r} is not known", mend=f"use one of: {', '.join(known)}")
    if not len(qrels.questions):
        raise InputError("the qrels hold no questions", mend="give at least one judged question")
    if not wanted or not runs:
        raise InputError("nothing to measure", mend="give at least one run and one metric")
    names = [run.system for run in runs]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise InputError(f"two runs are called {min(twice)!r}", mend="give each system a name of its own")
    for metric in wanted:
        needs = kind(metric).needs
        if metric.budget is not None and lengths is None:
            raise InputError(
                f"{metric} needs the tokens of each unit", mend="measure(..., lengths=...), one number a unit"
            )
        if needs == "spans" and (qrels.units is None or not len(qrels.evidence)):
            raise InputError(
                f"{metric} needs evidence spans, which these qrels do not hold",
                mend="qrels made by align(gold, units) hold them; a qrels file does not",
            )
        if needs == "nuggets" and not len(qrels.vital):
            raise InputError(
                f"{metric} needs nuggets, which these qrels do not hold",
                mend="qrels made by align(gold, units) hold them, and so does a subtopic qrels file",
            )
    if lengths is not None and len(lengths) != len(qrels.table):
        raise InputError(
            f"{len(lengths)} lengths were given for {len(qrels.table)} units",
            mend="give the tokens of each unit of qrels.table, in its order",
        )


def _view(judged: Judged, run: Run | View, *, ties: str, whole: bool) -> tuple[View, dict[str, int]]:
    if isinstance(run, View):
        if run.judged.qrels is not judged.qrels or (whole and run.tops is None):
            raise InputError(
                f"run {run.system!r} was read for other qrels or metrics",
                mend="read it again, with the qrels and metrics at hand",
            )
        return run, dict(run.notes)
    run, twice = find.once(find.by_score(run) if ties == "trec" else run)
    view = find.find(judged, run, tops=whole)
    notes = {**run.notes, **view.notes}
    if twice:
        notes["duplicates"] = notes.get("duplicates", 0) + twice
    return view, notes


def _running(view: View, lengths: NDArray[np.int64]) -> NDArray[np.int64] | None:
    """int64[h], one a row of ``tops``: tokens of a question's units down to this one; None if not known."""
    tops = view.tops
    if tops is None or np.any(tops.unit < 0):
        return None
    if not len(tops.unit):
        return tops.unit
    total: NDArray[np.int64] = np.cumsum(lengths[tops.unit], dtype=np.int64)
    before = np.concatenate([[0], total])[np.arange(len(total)) - tops.rank + 1]
    running: NDArray[np.int64] = total - before
    return running


def _cut(metric: Metric, view: View, tokens: NDArray[np.int64] | None) -> Cut:
    if metric.budget is None:
        return Cut(k=metric.cutoff)
    if view.tops is None or tokens is None:
        raise InputError(
            f"{metric}: run {view.system!r} ranks units whose length is not known",
            mend="token budgets need runs over the units that the qrels were made for",
        )
    fits = view.tops.question[tokens <= metric.budget]  # running sums only grow: the first to cross ends it
    return Cut(limit=np.bincount(fits, minlength=view.n))


def _tell(
    extra: dict[str, dict[str, Any]],
    view: View,
    metric: str,
    cut: Cut,
    tokens: NDArray[np.int64] | None,
) -> None:
    """Say what a number stands on: the shares of judged units and of each kind of label, the tokens sent."""
    inside = view.within(cut)
    taken = int(view.taken(cut).sum())
    extra["judged"].setdefault(view.system, {})[metric] = float(inside.sum() / taken) if taken else None
    label = view.judged.qrels.label
    if len(label) and inside.any():
        share = np.bincount(label[view.row[inside]], minlength=3) / inside.sum()
        extra["labels"].setdefault(view.system, {})[metric] = {
            name: float(x) for name, x in zip(("human", "aligned", "panel"), share, strict=True)
        }
    if tokens is not None and view.tops is not None:
        taken_of = view.taken(cut)[view.tops.question]
        last = tokens[view.tops.rank == taken_of]
        extra["tokens"].setdefault(view.system, {})[metric] = float(last.sum() / view.n)
