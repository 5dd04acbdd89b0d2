"""What a panel came to, as plain JSON: its judges, decisions, cohesion, what it cost, what goes to people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from evenhand.judge.calibration.panel_vs_people import against_people, grades_of_people
from evenhand.judge.panel.families import kinship
from evenhand.judge.panel.inter_judge_agreement import cohesion
from evenhand.judge.panel.judge_summary import tally
from evenhand.judge.panel.positive_rate import decided_json
from evenhand.judge.panel.text import cohesion_words
from evenhand.study.panel.text import appealing, appeals_warning, warnings_of

if TYPE_CHECKING:
    from evenhand.judge.panel.majority import Decision
    from evenhand.judge.panel.valid_votes import Standing
    from evenhand.model.label import Label
    from evenhand.study.panel.ask import Bench
    from evenhand.study.panel.items import PanelItems

__all__ = ["panel_told", "people_next"]

FIRST = 20  # items for people that are named


def panel_told(
    bench: Bench,
    items: PanelItems,
    standing: Standing,
    *,
    people: Sequence[Label] = (),
    kin: Mapping[str, str] | None = None,
    repeats: int = 1,
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 20241009,
) -> dict[str, Any]:
    """Everything said about the votes on these items. Money is that of this run, and no part of a report."""
    there = {shown.item for shown in items.shown}
    votes = [one for one in standing.votes if one.item in there]
    made = bench.decisions(votes, items)
    options: dict[str, Any] = {
        "judges": bench.judges,
        "clusters": items.clusters,
        "level": level,
        "resamples": resamples,
        "seed": seed,
    }
    human = grades_of_people(people, bench.brief)
    found = cohesion(made, bench.brief, **options)
    held = against_people(made, human, bench.brief, **options)
    alike: dict[str, Any] = {"clusters": items.clusters, "level": level, "seed": seed}
    rows = tally(votes, bench.brief, judges=bench.judges, items=len(items), **alike)
    decided = decided_json(made, bench.brief, **alike)
    asked = len(items) * len(bench.judges) * repeats
    wanted = [one for one in votes if one.repeat < repeats]  # more may be there, from earlier commands
    faults = [one for one in wanted if one.outcome == "fault"]
    failed = len(faults)
    speaking = appealing(items.shown)
    return {
        "schema": "evenhand.panel/1",
        "sheet": bench.brief.sheet.name,
        "sheet_seal": bench.brief.sheet.seal,
        "prompt": bench.prompt,
        "top": list(bench.brief.options)[-1],
        "items": len(items),
        "questions": len({shown.question for shown in items.shown}),
        "votes": {"asked": asked, "there": len(wanted), "missing": asked - len(wanted), "failed": failed},
        "complete": asked == len(wanted) and not failed,
        "intervals": {"level": level, "resamples": resamples, "seed": seed},
        "judges": [
            {**row, "model": judge.model, "family": bench.families[judge.name]}
            for row, judge in zip(rows, bench.plan.judges, strict=True)
        ],
        "decided": decided,
        "cohesion": found,
        "people": held,
        "for_people": {**people_next(made), "appeals": speaking},
        "spent": {name: bench.spent[name].to_json() for name in bench.judges if name in bench.spent},
        "unasked": dict(sorted(bench.unasked.items())),
        "unasked_why": dict(sorted(bench.whys.items())),
        "sentences": cohesion_words(found, held, decided["rate"], *(row["rate"] for row in rows)),
        "warnings": [
            *kinship(bench.families, kin or {}),
            *warnings_of(standing, rows, faults),
            *appeals_warning(speaking),
        ],
    }


def people_next(made: Sequence[Decision]) -> dict[str, Any]:
    """Items for people: the undecided ones, which have no grade, before the split ones, often a coin flip."""
    undecided = [one for one in made if one.status == "undecided"]
    split = [one for one in made if one.status == "split"]
    return {
        "undecided": len(undecided),
        "split": len(split),
        "items": [
            {
                "item": one.item,
                "question": one.question,
                "unit": f"{one.about.doc}#{one.about.start}-{one.about.end}",
                "why": one.status,
            }
            for one in [*undecided, *split][:FIRST]
        ],
    }
