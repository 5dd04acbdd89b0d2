"""Qrels × runs × metrics → measurements: the one way from a ranking to a number."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from evenhand.errors import InputError, expect
from evenhand.metrics.catalogue.metric_type import SPANS, Metric, judged_only
from evenhand.metrics.catalogue.names import here, kind
from evenhand.metrics.measure import match_run
from evenhand.metrics.measure.bounds import bounds as bounds_of
from evenhand.metrics.measure.expected_value import expected
from evenhand.metrics.measure.ties import audit
from evenhand.metrics.measure.tokens import Scale
from evenhand.metrics.measure.unreached_questions import withheld
from evenhand.metrics.measure.view import Cut, Judged, View
from evenhand.model.result import Measurements
from evenhand.model.run import Qrels, Run

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from evenhand.protocols import Engine

__all__ = ["EMPTY", "TIES", "UNJUDGED", "measure"]

TIES = ("stored", "file", "trec", "trec10", "trec9", "expected")
EMPTY = ("undefined", "zero")
UNJUDGED = ("not relevant", "left out")
MOST = 2.0**53  # the largest grade: whole numbers are exact up to here, and sums stay finite
ABOUT = ("judged", "labels", "tokens", "notes", "ties", "bounds", "one_sided")


def measure(
    qrels: Qrels,
    runs: Run | View | Sequence[Run | View],
    metrics: str | Metric | Sequence[str | Metric],
    *,
    lengths: NDArray[np.int64] | None = None,
    ties: str = "stored",
    unjudged: str = "not relevant",
    without_relevant: str = "undefined",
    bounds: bool = False,
    audited: bool = True,
    tokens: Callable[[str], NDArray[Any]] | None = None,
    engine: Engine | None = None,
) -> Measurements:
    """Every metric of every system on every question of the qrels, in their order: one n for all.

    A question missing from a run (or answered with nothing) counts 0 and is marked ``missing``. One
    without a relevant unit is undefined with the reason; where a gold set stands behind the qrels it has
    evidence all the same, that no unit holds at the metric's level: it counts 0 and is marked
    ``unreachable``, so that every chunking is measured on the same questions (where whole documents are
    judged, and the best of them is a unit, there is none at that level: undefined). One that could not be
    asked (``run.not_run``) is undefined with the reason.

    A unit twice in a ranking counts once, at its first rank; ranks close up.

    ``lengths``: int64, tokens of each unit of ``qrels.table``, needed by ``@Ntokens``: units are taken while
    their sum fits; the one that crosses the budget is not taken; a hit at no unit is taken to be as long as
    the run's units are on average. ``ties``: ``stored`` (or ``file``) keeps a run's own order, ``trec`` (or
    ``trec10``) sorts by score, then id, both descending, ``trec9`` so with scores as float32; ``expected``
    gives the mean over all orders of equal scores. A `View` has its order already. ``unjudged``: ``not
    relevant``, or ``left out`` (condensed lists: ranks close up, Sakai 2007; a metric's own
    ``judged_only=true`` says the same of it alone). ``without_relevant``: ``undefined``, or ``zero`` as
    trec_eval counts questions without a relevant unit. Without ``audited`` what ties could change is not
    looked at. ``tokens``: start and end of each token of a text, for metrics of tokens; by default words.
    ``engine``: whose workers measure a run each.

    ``extra``, by system: ``judged`` and ``labels`` (by metric: share of the units above its cut that have
    a label; shares of human, aligned and panel labels among them), ``tokens`` (by metric: mean tokens
    above its cut, with ``lengths``), ``notes`` (counts: duplicates, unasked ...), ``ties`` (by metric,
    see `evenhand.metrics.measure.ties.audit`), ``one_sided`` (no unit has a grade of 0)
    and, when asked for, ``bounds`` (by metric, see
    `evenhand.metrics.measure.bounds.bounds`).
    """
    wanted = [here(m) for m in ([metrics] if isinstance(metrics, (str, Metric)) else metrics)]
    wanted = list(dict.fromkeys(wanted))
    call = "measure(qrels, runs, metrics)"
    expect(qrels, Qrels, "the first argument", call)
    runs = [runs] if isinstance(runs, (Run, View)) else list(runs)
    for run in runs:
        expect(run, (Run, View), "one of the runs", call)
    for option, given, known in (
        ("ties", ties, TIES),
        ("unjudged", unjudged, UNJUDGED),
        ("without_relevant", without_relevant, EMPTY),
    ):
        if given not in known:
            raise InputError(f"{option}={given!r} is not known", mend=f"use one of: {', '.join(known)}")
    _check(qrels, runs, wanted, lengths=lengths)
    frame = _Frame(
        qrels=qrels,
        wanted=tuple(wanted),
        lengths=lengths,
        ties=ties,
        unjudged=unjudged,
        without_relevant=without_relevant,
        bounds=bounds,
        audited=audited,
        tokens=tokens,
    )
    shape = (len(runs), len(wanted), frame.judged.n)
    value, why = np.zeros(shape), np.zeros(shape, dtype=np.int16)
    missing = np.zeros((len(runs), frame.judged.n), dtype=bool)
    unreachable = np.zeros(shape, dtype=bool)
    reasons = [""]
    extra: dict[str, dict[str, Any]] = {name: {} for name in ABOUT}
    parts = (
        (_of(frame, run) for run in runs)
        if engine is None
        else engine.map(_apart, [_light(run, qrels) for run in runs], shared=(frame,))
    )
    for s, part in enumerate(parts):
        value[s], missing[s], unreachable[s] = part.value, part.missing, part.unreachable
        reasons += [reason for reason in part.reasons if reason not in reasons]
        why[s] = np.array([reasons.index(reason) for reason in part.reasons], dtype=np.int16)[part.why]
        for name, told in part.extra.items():
            extra[name] |= told
    made = Measurements(
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
    return withheld(made, [getattr(run, "not_run", {}) for run in runs])


@dataclass(frozen=True, kw_only=True, eq=False)
class _Frame:
    """What all runs are measured by."""

    qrels: Qrels
    wanted: tuple[Metric, ...]
    lengths: NDArray[np.int64] | None
    ties: str
    unjudged: str
    without_relevant: str
    bounds: bool
    audited: bool
    tokens: Callable[[str], NDArray[Any]] | None

    @cached_property
    def judged(self) -> Judged:
        """The qrels as metrics use them."""
        made = Judged(self.qrels)
        made.scale = Scale(self.tokens)
        return made

    @property
    def whole(self) -> bool:
        """Whether rankings are needed with all that they hold, not only what is judged."""
        return self.lengths is not None or any(kind(m).needs in SPANS or m.budget for m in self.wanted)

    def __getstate__(self) -> dict[str, Any]:
        return {
            name: found for name, found in vars(self).items() if name != "judged"
        }  # made where it is used


@dataclass(frozen=True, kw_only=True, eq=False)
class _Part:
    """One run, measured: arrays [metric, question], ``why`` by position in its own ``reasons``."""

    value: NDArray[np.float64]
    why: NDArray[np.int16]
    reasons: list[str]
    unreachable: NDArray[np.bool_]
    missing: NDArray[np.bool_]
    extra: dict[str, dict[str, Any]]


def _light(run: Run | View, qrels: Qrels) -> tuple[Run | View, bool]:
    """A run without what travels with the qrels, and whether that was taken off."""
    if isinstance(run, View):
        ours = run.judged.qrels is qrels
        return (replace(run, judged=None) if ours else run), ours  # type: ignore[arg-type]
    own, shared = run.units, qrels.units
    if own is None or shared is None or run.table is not own.ids or own.seal != shared.seal:
        return run, False
    return replace(run, units=None, table=()), True


def _apart(frame: _Frame, item: tuple[Run | View, bool]) -> _Part:
    """One run on a worker."""
    run, light = item
    units = frame.qrels.units
    if light and isinstance(run, View):
        run = replace(run, judged=frame.judged)
    elif light and isinstance(run, Run) and units is not None:
        run = replace(run, units=units, table=units.ids)
    return _of(frame, run)


def _of(frame: _Frame, run: Run | View) -> _Part:
    judged, qrels, wanted, lengths = frame.judged, frame.qrels, frame.wanted, frame.lengths
    shape = (len(wanted), judged.n)
    value, why = np.zeros(shape), np.zeros(shape, dtype=np.int16)
    unreachable = np.zeros(shape, dtype=bool)
    gold = len(qrels.nugget_offsets) > 0
    reasons = [""]
    extra: dict[str, dict[str, Any]] = {name: {} for name in ABOUT}
    view, about = _view(judged, run, ties=frame.ties, whole=frame.whole)
    running = None if lengths is None else _running(view, lengths)
    short = view.condensed() if frame.unjudged == "left out" or any(map(judged_only, wanted)) else view
    for m, metric in enumerate(wanted):
        entry = kind(metric)
        seen = short if frame.unjudged == "left out" or judged_only(metric) else view
        if metric.budget is not None and seen is not view:
            raise InputError(f"{metric}: condensed lists have no budget", mend="keep the unjudged units")
        cut = _cut(metric, view, running)
        if frame.ties == "expected":
            values = expected(seen, metric, cut)
        else:
            values = entry.score(seen, cut, **entry.full(metric))
        value[m] = values.value
        if entry.needs not in SPANS and not entry.decides:  # characters of evidence count, however it was cut
            unreachable[m] = judged.unreachable
        if values.undefined is not None and (frame.without_relevant == "undefined" or entry.decides):
            if gold and not entry.decides:
                unreachable[m] |= values.undefined & ~judged.settled
            open_ = values.undefined & ~unreachable[m]
            if open_.any() and values.reason not in reasons:
                reasons.append(values.reason)
            why[m][open_] = reasons.index(values.reason) if open_.any() else 0
        if values.undefined is not None:
            value[m][values.undefined] = 0.0
        _tell(extra, view, str(metric), cut, running)
        if frame.bounds and (moved := bounds_of(view, metric, cut, why[m] == 0)) is not None:
            extra["bounds"].setdefault(view.system, {})[str(metric)] = moved
    extra["notes"][view.system] = about
    if not (qrels.grade <= 0).any():
        extra["one_sided"][view.system] = True
    touched = {
        str(metric): found
        for metric in wanted
        if frame.audited and (found := audit(short if judged_only(metric) else view, metric)) is not None
    }
    if touched:
        extra["ties"][view.system] = touched
    return _Part(
        value=value, why=why, reasons=reasons, unreachable=unreachable, missing=view.missing, extra=extra
    )


def _check(
    qrels: Qrels,
    runs: Sequence[Run | View],
    wanted: Sequence[Metric],
    *,
    lengths: NDArray[np.int64] | None,
) -> None:
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
                f"{metric} needs the tokens of each unit",
                mend="measure(..., lengths=token_lengths(units)), or your own: one number a unit",
            )
        if needs in SPANS and (qrels.units is None or not len(qrels.evidence)):
            raise InputError(
                f"{metric} needs evidence spans, which these qrels do not hold",
                mend="qrels made by align(gold, units) hold them; a qrels file does not",
            )
        if needs == "nuggets" and not len(qrels.vital):
            raise InputError(
                f"{metric} needs nuggets, which these qrels do not hold",
                mend="qrels made by align(gold, units) hold them, and so does a qrels file with a unit under "
                "several subtopics",
            )
    far = ~(np.abs(qrels.grade) <= MOST)
    if far.any():
        row = int(np.argmax(far))
        question = qrels.questions[int(np.searchsorted(qrels.offsets, row, side="right")) - 1]
        raise InputError(
            f"the grade {float(qrels.grade[row])!r} of {qrels.table[qrels.unit[row]]!r} for question "
            f"{question!r} is no level of a scale: sums of such numbers have no meaning",
            mend="give grades between -2^53 and 2^53, such as 0, 1, 2, 3",
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
    if ties not in ("stored", "file"):
        run = match_run.by_score(run, single=ties == "trec9")
    run, twice = match_run.once(run)
    view = match_run.find(judged, run, tops=whole)
    notes = {**run.notes, **view.notes}
    if twice:
        notes["duplicates"] = notes.get("duplicates", 0) + twice
    return view, notes


def _running(view: View, lengths: NDArray[np.int64]) -> NDArray[np.int64] | None:
    """int64[h], one a row of ``tops``: tokens of a question's units down to this one; None if not known."""
    tops = view.tops
    if tops is None:
        return None
    if not len(tops.unit):
        return tops.unit
    known = tops.unit >= 0
    if not known.any():
        return None
    each = np.where(known, lengths[tops.unit], 0)
    each[~known] = np.ceil(each[known].mean())  # it was sent as well, and nothing would flatter the system
    total: NDArray[np.int64] = np.cumsum(each, dtype=np.int64)
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
