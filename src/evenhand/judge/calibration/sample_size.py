"""Before anyone labels: what interval a sample of this size will give, and which would be enough."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from evenhand.labelling.desk.agreement_text import asked_words, rounded
from evenhand.stats.intervals.proportion import n_for_wilson_halfwidth, wilson
from evenhand.stats.power.prediction_powered import ppi_gain, ppi_labels_needed
from evenhand.stats.power.proportion import min_successes_for_wilson_lower, times_design_effect
from evenhand.text.plural import many

if TYPE_CHECKING:
    from evenhand.model.plan.calibration_sample import Sample

__all__ = ["planned", "planned_words"]

AGREE = 0.85  # agreement expected of a fair panel
RHO = 0.6  # its correlation with people
RATE = 0.5  # the rate at which an interval is widest
ICC = 0.2  # how alike items of one cluster are


def planned(
    sample: Sample,
    clusters: Mapping[str, str],
    *,
    half_width: float,
    threshold: float = 0.75,
    agree: float = AGREE,
    rho: float = RHO,
    rate: float = RATE,
    icc: float = ICC,
    level: float = 0.95,
) -> dict[str, Any]:
    """What the intervals of *sample* will be like, under stated guesses, as plain JSON.

    *clusters*: what belongs together, by item; an item without one belongs to its question. *agree*: expected
    agreement; *rho*: correlation of panel and people; *rate*: share of yes; *icc*: how alike items of one
    cluster are, in the design effect 1 + (b - 1) ICC of b a cluster.
    """
    n, items = len(sample.items), sample.population
    questions = len({one.question for one in sample.items})
    apart = len({clusters.get(one.item, one.question) for one in sample.items})
    per = n / apart if apart else 1.0
    near = wilson(agree * n, n, level=level)
    gain = ppi_gain(rho, labelled=n, judged_only=items - n) or 1.0
    alone = wilson(rate * n, n, level=level)
    corrected = wilson(rate * n * gain, n * gain, level=level)
    needed = ppi_labels_needed(rate, rho, half_width, level=level, items=items)
    for_agreement = n_for_wilson_halfwidth(agree, half_width, level=level)
    return {
        "n": n,
        "population": items,
        "questions": questions,
        "clusters": apart,
        "per_cluster": rounded(per),
        "design_effect": rounded(1 + (per - 1) * icc),
        "expected": {"agreement": agree, "rho": rho, "rate": rate, "icc": icc},
        "level": level,
        "agreement": [rounded(near.low), rounded(near.high)],
        "must_agree": min_successes_for_wilson_lower(n, threshold, level=level),
        "threshold": threshold,
        "rate_alone": rounded(((alone.high or 0.0) - (alone.low or 0.0)) / 2),
        "rate_corrected": rounded(((corrected.high or 0.0) - (corrected.low or 0.0)) / 2),
        "half_width": half_width,
        "labels_for_agreement": for_agreement,
        "labels_for_agreement_by_cluster": times_design_effect(
            for_agreement, per_cluster=max(1.0, per), icc=icc
        ),
        "labels_for_rate": needed.n,
        "labels_for_rate_alone": needed.n_without_judge,
    }


def planned_words(made: Mapping[str, Any]) -> list[str]:
    """The same in sentences."""
    (low, high), expected, n = made["agreement"], made["expected"], made["n"]
    least, most = f"{made['threshold']:.0%}", made["must_agree"]
    bound = (
        f"{most:,} of {n:,} must agree for its lower bound to reach {least}."
        if most is not None
        else f"its lower bound cannot reach {least} with {n:,}, whatever people say."
    )
    corrected = f"{made['labels_for_rate']:,}" if made["labels_for_rate"] else "more than all items"
    alone, both = 100 * made["rate_alone"], 100 * made["rate_corrected"]
    rate = (
        f"A rate would be known to ±{alone:.0f} points by these labels alone, to ±{both:.0f} with a panel "
        f"that correlates {expected['rho']:g} with people."
    )
    needed = (
        f"±{100 * made['half_width']:.0f} points take "
        f"{many(made['labels_for_agreement'], 'label')} for the "
        f"agreement ({made['labels_for_agreement_by_cluster']:,} if items of one "
        f"{'cluster' if made['clusters'] != made['questions'] else 'question'} are alike), "
        f"{corrected} for the corrected rate."
    )
    return [
        f"{n:,} of {many(made['population'], 'item')}, of {asked_words(made)}.",
        f"An agreement of {expected['agreement']:.0%} would come with {low:.0%} to {high:.0%}; {bound}",
        rate,
        needed,
    ]
