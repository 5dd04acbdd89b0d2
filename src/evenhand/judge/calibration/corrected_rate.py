"""The panel's rate corrected by the people's sample: stratified PPI++ first, the others beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from evenhand.judge.calibration.columns import FEW, bare_words, human_of, thin, thin_words, unlabelled
from evenhand.labelling.desk.agreement_text import rounded
from evenhand.stats.agreement.judge_accuracy_weighted import effective_share
from evenhand.stats.intervals.proportion import wilson
from evenhand.stats.power.prediction_powered import ppi_break_even, ppi_labels_needed
from evenhand.stats.prediction_powered.designs import ppi_stratified
from evenhand.stats.prediction_powered.mean import USABLE, ppi_mean
from evenhand.stats.prediction_powered.rogan_gladen import rogan_gladen
from evenhand.stats.prediction_powered.samples import ppi_inclusion

if TYPE_CHECKING:
    from evenhand.judge.calibration.columns import Column
    from evenhand.model.result import Interval
    from evenhand.stats.agreement.judge_accuracy import Judged
    from evenhand.stats.prediction_powered.core import Powered

__all__ = ["ALONE", "HEADLINE", "alone_of", "rates"]

HEADLINE = "PPI++, stratified"
ALONE = "people alone"
USABLE_DRAWN = 100  # the same of samples that are not uniform: below it 87 to 93% of intervals held
UNUSED = "judge_unused"
UNTUNED, TUNED, CLASSES = "PPI, l = 1", "PPI++", "Rogan-Gladen"


def rates(
    column: Column, held: Judged | None, *, level: float, half_width: float
) -> tuple[dict[str, Any], list[dict[str, Any]], dict[str, Any]]:
    """The headline, all estimates in the order in which they are shown, and what more labels would do.

    The headline is PPI++ stratified; on fewer than 30 labels (of a sample that is not uniform, 100), where
    the panel adds nothing, or where a stratum of a sample that is not uniform has fewer than 5 labels, the
    people's labels alone: weighted, and then no estimate with the panel is there. Where the panel decided
    nothing, people stand alone. *held*: the panel against
    people on the labelled items, for Rogan-Gladen.
    """
    labels = column.labelled
    human = human_of(column)
    if bare := unlabelled(column):
        nothing = {**_nothing(HEADLINE, level), "n": len(labels), "reason": bare_words(bare)}
        alone = {**nothing, "name": ALONE, "method": ALONE}
        judge = [column.panel[i] for i in labels]
        return (
            nothing,
            [nothing, alone],
            _outlook(column, nothing, human, judge, level=level, half_width=half_width),
        )
    judge = [column.panel[i] for i in labels]
    alone = _alone(column, labels, level)
    if few := thin(column):
        nothing = {**_nothing("", level), "n": len(labels), "reason": thin_words(few)}
        with_panel = [HEADLINE, UNTUNED, TUNED, *([CLASSES] if column.share and held is not None else [])]
        first, *rest = ({**nothing, "name": name, "method": name} for name in with_panel)
        headline = {**alone, "flags": [*alone["flags"], UNUSED]}
        return (
            headline,
            [first, alone, *rest],
            _outlook(column, headline, human, judge, level=level, half_width=half_width),
        )
    if column.decided and not any(column.decided):
        headline = {**alone, "flags": [*alone["flags"], UNUSED]}  # there is no panel to be corrected
        return (
            headline,
            [alone],
            _outlook(column, headline, human, judge, level=level, half_width=half_width),
        )
    silent = set(range(len(column.panel))) - set(labels)
    silent_said = [column.panel[i] for i in sorted(silent)]
    bounds = (column.low, column.high)
    best = _row(
        HEADLINE,
        ppi_stratified(
            column.human,
            column.panel,
            column.stratum,
            level=level,
            min_labels=FEW,
            merge=column.uniform,
            bounds=bounds,
        ),
    )
    if column.uniform:
        others = [
            ppi_mean(human, judge, silent_said, lam=lam, level=level, bounds=bounds) for lam in (1.0, None)
        ]
    else:
        others = [
            ppi_inclusion(column.human, column.panel, column.probability, lam=lam, level=level, bounds=bounds)
            for lam in (1.0, None)
        ]
    made = [best, alone]
    made += [_row(name, found) for name, found in zip((UNTUNED, TUNED), others, strict=True)]
    if column.share and held is not None:
        made.append(_classes(column, held, level))
    enough = USABLE if column.uniform else USABLE_DRAWN
    used = len(labels) >= enough and (best["gain"] or 0.0) > 1.0 and "zero_width" not in best["flags"]
    headline = best if used else {**alone, "flags": [*alone["flags"], UNUSED]}
    return headline, made, _outlook(column, headline, human, judge, level=level, half_width=half_width)


def alone_of(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The row of people's labels alone, which is always there."""
    return next(row for row in rows if row["name"] == ALONE)


def _alone(column: Column, labels: Sequence[int], level: float) -> dict[str, Any]:
    """The people's labels without the panel: Wilson for shares, the normal interval for grades.

    Weighted where the chances differ. Grades of a stratum with too few labels have no spread to go by:
    theirs is Wilson's interval too, on the scale, which is as wide as grades on it can need.
    """
    given = human_of(column)
    name = ALONE
    if not column.share and not thin(column):
        found = ppi_stratified(
            column.human,
            column.panel,
            column.stratum if not column.uniform else ["all"] * len(column.panel),
            lam=0.0,
            level=level,
            min_labels=FEW,
            merge=column.uniform,
            bounds=(column.low, column.high),
        )
        return _row(name, found)
    if column.uniform:
        near = wilson(sum(given), len(given), level=level)
        point, reason = (sum(given) / len(given), None) if given else (None, "no human label")
    else:
        chances, reach = column.probability, column.high - column.low
        on_scale = [(y - column.low) / reach for y in given]
        share = effective_share(on_scale, [chances[i] for i in labels], level=level)
        low, point, high = (
            None if x is None else column.low + reach * x
            for x in (share.interval.low, share.value, share.interval.high)
        )
        near, reason = replace(share.interval, low=low, high=high), share.reason
    return _one(name, point, near, n=len(given), gain=1.0 if given else None, reason=reason)


def _classes(column: Column, held: Judged, level: float) -> dict[str, Any]:
    """Rogan and Gladen's correction by sensitivity and specificity."""
    name = CLASSES
    yes, no = held.sensitivity.n, held.specificity.n
    if not held.n:
        why = "no item has both a person's label and a decision of the panel"
        return {**_nothing(name, level), "reason": why, "n": 0}
    if held.sensitivity.value is None or held.specificity.value is None:
        why = held.sensitivity.reason or held.specificity.reason or "no items"
        return {**_nothing(name, level), "reason": why, "n": held.n}
    # sensitivity and specificity are known of decisions, and so is the rate that they correct
    own = [
        f for f, own in zip(column.panel, column.decided or [True] * len(column.panel), strict=True) if own
    ]
    found = rogan_gladen(
        sum(own) / len(own),
        sensitivity=held.sensitivity.value,
        specificity=held.specificity.value,
        n=len(own),
        negatives=no,
        positives=yes,
        level=level,
    )
    flags = [] if column.uniform else ["weighted"]
    row = _one(name, found.point, found.interval, n=held.n, gain=None, reason=found.reason)
    return {**row, "flags": list(dict.fromkeys([*row["flags"], *flags]))}


def _row(name: str, found: Powered) -> dict[str, Any]:
    lam = found.lam if isinstance(found.lam, tuple) else () if found.lam is None else (found.lam,)
    row = _one(name, found.point, found.interval, n=found.n, gain=found.gain, reason=found.reason)
    if "zero_width" in row["flags"]:  # all values alike: an interval of no width is no certainty
        row |= {"low": None, "high": None, "reason": "no variation seen"}
    return {
        **row,
        "weights": [rounded(x) for x in lam],
        "effective_n": rounded(found.effective_n),
    }


def _one(
    name: str, point: float | None, near: Interval, *, n: int, gain: float | None, reason: str | None
) -> dict[str, Any]:
    return {
        "name": name,
        "point": rounded(point),
        "low": rounded(near.low),
        "high": rounded(near.high),
        "level": near.level,
        "n": n,
        "method": near.method,
        "flags": list(near.flags),
        "weights": [],
        "gain": rounded(gain),
        "effective_n": None if gain is None else rounded(gain * n),
        "reason": reason or near.reason,
    }


def _nothing(name: str, level: float) -> dict[str, Any]:
    from evenhand.model.result import Interval

    return _one(
        name, None, Interval(low=None, high=None, level=level, method=name), n=0, gain=None, reason=""
    )


def _outlook(
    column: Column,
    headline: dict[str, Any],
    human: Sequence[float],
    judge: Sequence[float],
    *,
    level: float,
    half_width: float,
) -> dict[str, Any]:
    """Does the panel help, and how many labels would the planned width take?"""
    even = ppi_break_even(human, judge)
    needed = None
    if column.share and headline["point"] is not None and len(human) >= 2:
        needed = ppi_labels_needed(
            headline["point"],
            max(0.0, even.rho or 0.0),
            half_width,
            level=level,
            items=len(column.panel),
        )
    return {
        "rho": rounded(even.rho),
        "helps_untuned": even.helps,
        "variance_human": rounded(even.variance_human),
        "variance_residual": rounded(even.variance_residual),
        "bias": rounded(even.bias),
        "disagreement": rounded(even.disagreement),
        "half_width": half_width,
        "labels_needed": None if needed is None else needed.n,
        "labels_needed_alone": None if needed is None else needed.n_without_judge,
        "reason": even.reason,
    }
