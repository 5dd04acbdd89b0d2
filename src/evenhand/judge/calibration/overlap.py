"""A panel held against people on the items that both labelled: what it takes to plan its correction."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from evenhand.labelling.desk.agreement_text import icc_json, interval_json, rounded
from evenhand.labelling.desk.labels import grade_of
from evenhand.stats.intervals.clusters import direction
from evenhand.stats.intervals.correlation import pearson, phi_interval
from evenhand.stats.intervals.proportion import wilson
from evenhand.stats.power.prediction_powered import ppi_break_even

if TYPE_CHECKING:
    from evenhand.model.label import Label

__all__ = ["calibration"]

PANEL = "the panel"


def calibration(
    labels: Sequence[Label], *, clusters: Mapping[str, str] | None = None, level: float = 0.95
) -> list[dict[str, Any]]:
    """A row for each judge of kind panel, and each grade from which on an item counts as relevant.

    On the items that people labelled too: both rates, phi (the correlation of yes and no, its interval
    for independent items), disagreement and bias, and whether the untuned correction would help. People
    speak through their ruling, else their lower median; so does a panel of several, as a row of its own.
    ``icc``: of what is left of the human label when the judge's is taken into account; ``icc_alone``: of
    the human label. Items of one question (or of one of *clusters*, by question id) belong together.
    Empty where people and panel have no item in common, or all grades are the same.
    """
    by_item: dict[str, list[Label]] = {}
    for label in labels:
        by_item.setdefault(label.item, []).append(label)
    people: dict[str, float] = {}
    judged: dict[str, dict[str, float]] = {}
    question = {label.item: label.question for label in labels}
    for item, of_one in by_item.items():
        human = grade_of([label for label in of_one if label.by != "panel"])
        if human is not None:
            people[item] = human[0]
        own = [label for label in of_one if label.by == "panel"]
        whole = grade_of(own)
        if whole is not None:
            judged.setdefault(PANEL, {})[item] = whole[0]
        for label in own:
            if label.grade is not None:
                judged.setdefault(label.judge, {})[item] = label.grade
    if len(judged) == 2:  # one judge is the panel: its name says more
        del judged[PANEL]
    made = []
    for judge in sorted(judged, key=lambda name: (name != PANEL, name)):
        both = sorted(judged[judge].keys() & people.keys())
        scale = sorted({*(people[i] for i in both), *(judged[judge][i] for i in both)})
        made += [
            {
                "judge": judge,
                "grade": grade,
                "items": len(judged[judge]),
                **_held(
                    [float(people[i] >= grade) for i in both],
                    [float(judged[judge][i] >= grade) for i in both],
                    [question[i] for i in both],
                    clusters or {},
                    level=level,
                ),
            }
            for grade in scale[1:]
        ]
    return made


def _held(
    human: list[float],
    judge: list[float],
    questions: list[str],
    clusters: Mapping[str, str],
    *,
    level: float,
) -> dict[str, Any]:
    """The numbers of one judge and one grade; *human* and *judge* are 0 or 1, by item like *questions*."""
    n, of = len(human), [clusters.get(one, one) for one in questions]
    p, q = sum(human) / n, sum(judge) / n
    even, phi = ppi_break_even(human, judge), pearson(human, judge, level=level)
    around = phi_interval(phi.r or 0.0, p, q, n, level=level)
    lenient = sum(y < f for y, f in zip(human, judge, strict=True))
    strict = sum(y > f for y, f in zip(human, judge, strict=True))
    rest = _residual(human, judge, phi.r or 0.0)
    rate = wilson(sum(human), n, level=level)
    return {
        "n": n,
        "questions": len(set(questions)),
        "clusters": len(set(of)),
        "human_rate": {"value": rounded(p), **interval_json(rate)},
        "judge_rate": rounded(q),
        "phi": {
            "value": rounded(phi.r),
            **interval_json(around),
            **({"reason": phi.reason} if phi.reason else {}),
        },
        "lenient": lenient,
        "strict": strict,
        "bias": rounded(even.bias),
        "p_direction": rounded(direction(lenient, strict, n).p),
        "helps_untuned": even.helps,
        "icc": icc_json(rest, of),
        "icc_alone": icc_json(human, of),
    }


def _residual(human: list[float], judge: list[float], r: float) -> list[float]:
    """The human label less what the judge's label says of it at its best lambda, never below 0."""
    p, q = sum(human) / len(human), sum(judge) / len(judge)
    below = q * (1 - q)
    slope = max(0.0, r) * math.sqrt(p * (1 - p) / below) if below else 0.0
    return [y - slope * f for y, f in zip(human, judge, strict=True)]
