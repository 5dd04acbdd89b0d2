"""What panel and people said of each pair, by item: for the pairs' own page and file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from evenhand.metrics.threshold.pairs import NO, YES

if TYPE_CHECKING:
    from evenhand.judge.panel.majority import Decision
    from evenhand.model.vote import Vote
    from evenhand.study.comparison.steps import Table
    from evenhand.study.panel.items import PanelItems

__all__ = ["Said", "said_in"]


@dataclass(frozen=True, kw_only=True)
class Said:
    """``sufficient``: `YES` or `NO` of each decided item; ``rows``: all that was said, as plain JSON."""

    sufficient: Mapping[str, int]
    rows: Mapping[str, Mapping[str, Any]]
    yes: float
    judges: tuple[str, ...]


def said_in(table: Table, items: PanelItems) -> Said:
    """The decisions of the study's panel and the labels of its people on *items*."""
    from evenhand.judge.calibration.paired_labels import people_of
    from evenhand.study.panel.ask import bench_of
    from evenhand.study.panel.calibration import labels_of_calibration, sample_of

    plan, folder = table.plan, table.folder
    bench = bench_of(plan, folder)
    made = bench.decisions(bench.standing(bench.kept()).votes, items)
    there = {shown.item for shown in items.shown}
    labels = [one for one in labels_of_calibration(plan, folder) if one.item in there]
    people, _ = people_of(labels, bench.brief)
    sample = sample_of(plan, folder)
    drawn = set(sample.position) if sample is not None else set()
    asked = plan.calibration.yes if plan.calibration is not None else None
    yes = bench.brief.sheet.levels[-1].grade if asked is None else asked
    by_item = {one.item: one for one in made}
    rows: dict[str, Mapping[str, Any]] = {}
    for item in there:
        decision = by_item.get(item)
        grade, word = people.get(item, (None, ""))
        human = None if item not in people else {"grade": grade, "said": word}
        rows[item] = {
            "panel": _panel(decision),
            "votes": [_vote(one) for one in decision.votes] if decision is not None else [],
            "human": human,
            "drawn": item in drawn,
        }
    return Said(
        sufficient={one.item: YES if one.grade >= yes else NO for one in made if one.grade is not None},
        rows=rows,
        yes=yes,
        judges=bench.judges,
    )


def _panel(one: Decision | None) -> dict[str, Any]:
    if one is None:
        return {"grade": None, "status": "undecided", "mode": ""}
    return {"grade": one.grade, "status": one.status, "mode": one.mode}


def _vote(one: Vote) -> dict[str, Any]:
    return {
        "judge": one.judge,
        "outcome": one.outcome,
        "grade": one.grade,
        "contribution": one.told.get("contribution"),
        "mode": one.mode,
        "evidence": list(one.told.get("evidence", ())),
    }
