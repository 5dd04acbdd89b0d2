"""At what rate people would say yes: from the items they rated, with a check's help on those they did not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from evenhand.labelling.desk.agreement_text import rounded
from evenhand.model.result import Interval
from evenhand.stats.intervals.proportion import wilson_design_effect
from evenhand.stats.prediction_powered.designs import ppi_stratified
from evenhand.stats.prediction_powered.mean import USABLE
from evenhand.stats.prediction_powered.samples import ppi_clustered

if TYPE_CHECKING:
    from evenhand.stats.prediction_powered.core import Powered

__all__ = ["people_alone", "people_rate"]

ALONE, STRATA, TOPICS = "people alone", "PPI++, strata pass and fail", "PPI++ over topics"
FEWEST_TOPICS = 8  # rated whole, below which whole topics give no interval to be relied on
LOST = 0.2  # of the labels, at most, that may lie in topics rated in part


def people_rate(
    human: Sequence[float | None], check: Sequence[float], topics: Sequence[str], *, level: float = 0.95
) -> dict[str, Any]:
    """Plain JSON: the headline, and all estimates behind it.

    *human*: the mean of blind ratings of an item (1 yes, 0 no), None where nobody rated it; *check*: 1
    passes, 0 fails, 0.5 undecided, for every item. ``people alone`` is Wilson on n divided by the design
    effect of topics. PPI++ stratified by pass and fail takes items as independent, so it is the headline only
    where no topic holds two items; where some do, it is PPI++ over topics that were rated whole. On fewer
    than 30 ratings, on few topics, or where every item is rated, it is the people alone. All of it supposes
    that the items rated are a random part of all, as they are at a desk left early: its order is drawn.
    """
    every, rated = len(check), sum(label is not None for label in human)
    alone = people_alone(human, topics, level=level)
    made = [alone]
    best = alone
    if rated < every and rated >= 2:
        strata = ["pass" if f == 1 else "fail" if f == 0 else "undecided" for f in check]
        independent = len(set(topics)) == every
        by_strata = _row(
            STRATA, ppi_stratified(human, check, strata, level=level, bounds=(0.0, 1.0)), flags=()
        )
        if not independent:
            by_strata["flags"].append("items_taken_as_independent")
        made.append(by_strata)
        whole, left_out = _whole(human, topics)
        over = _over_topics(whole, check, topics, level)
        if over is not None:
            over["left_out"] = left_out
            made.append(over)
        if rated >= USABLE:
            fit = by_strata if independent else over
            enough = fit is over and over is not None and left_out <= LOST * rated
            if fit is not None and (independent or enough) and fit["low"] is not None:
                best = fit
    return {
        "headline": best,
        "estimates": made,
        "check": rounded(sum(check) / every) if every else None,
        "items": every,
        "rated": rated,
    }


def people_alone(
    human: Sequence[float | None], topics: Sequence[str], *, level: float = 0.95
) -> dict[str, Any]:
    """The share of yes among what people said; Wilson on n divided by the design effect of topics."""
    tally: dict[str, list[float]] = {}
    for label, topic in zip(human, topics, strict=True):
        if label is not None:
            of = tally.setdefault(topic, [0.0, 0.0])
            of[0] += label
            of[1] += 1
    found = wilson_design_effect([x for x, _ in tally.values()], [n for _, n in tally.values()], level=level)
    return {
        **_one(ALONE, found.point, found.interval, n=found.n, gain=1.0 if found.n else None),
        "topics": found.clusters,
        "deff": rounded(found.deff),
    }


def _whole(human: Sequence[float | None], topics: Sequence[str]) -> tuple[list[float | None], int]:
    """The labels of topics that were rated whole, and how many others had to be left out."""
    open_ = {topic for label, topic in zip(human, topics, strict=True) if label is None}
    kept = [None if topic in open_ else label for label, topic in zip(human, topics, strict=True)]
    return kept, sum(label is not None for label in human) - sum(label is not None for label in kept)


def _over_topics(
    human: Sequence[float | None], check: Sequence[float], topics: Sequence[str], level: float
) -> dict[str, Any] | None:
    done = {topic for label, topic in zip(human, topics, strict=True) if label is not None}
    if len(done) < FEWEST_TOPICS or len(done) == len(set(topics)):
        return None
    found = ppi_clustered(human, check, topics, form="ratio", level=level, bounds=(0.0, 1.0))
    return {**_row(TOPICS, found, flags=()), "topics": len(done)}


def _row(name: str, found: Powered, *, flags: Sequence[str]) -> dict[str, Any]:
    row = _one(name, found.point, found.interval, n=found.n, gain=found.gain)
    return {**row, "flags": [*row["flags"], *flags]}


def _one(name: str, point: float | None, near: Interval, *, n: int, gain: float | None) -> dict[str, Any]:
    made: Mapping[str, Any] = {
        "name": name,
        "point": rounded(point),
        "low": rounded(near.low),
        "high": rounded(near.high),
        "level": near.level,
        "n": n,
        "method": near.method,
        "flags": list(near.flags),
        "gain": rounded(gain),
        "reason": near.reason or ("no blind rating" if point is None else None),
    }
    return dict(made)
