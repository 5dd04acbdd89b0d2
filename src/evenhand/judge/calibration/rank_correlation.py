"""Do a machine's grades rise with people's? For scores on a scale of their own, where nothing can agree."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from typing import TYPE_CHECKING, Any

from evenhand.labelling.desk.agreement import latest
from evenhand.labelling.desk.agreement_text import interval_json, rounded
from evenhand.stats.intervals.correlation import pearson, spearman

if TYPE_CHECKING:
    from evenhand.model.label import Label
    from evenhand.model.vote import Vote
    from evenhand.stats.intervals.correlation import Correlation

__all__ = ["correlated"]


def correlated(labels: Iterable[Label], votes: Iterable[Vote], *, level: float = 0.95) -> dict[str, Any]:
    """Pearson's and Spearman's r of each machine with people, and of each two people, as plain JSON.

    With people: one pair for each person's grade of an item that the machine graded, so that an item two
    people labelled stands twice (its interval then is too narrow: ``items`` says how many there are). People
    with each other: on the items that both graded, which is what a machine can be held against.
    """
    human: dict[str, dict[str, float]] = {}
    for label in latest(label for label in labels if label.by == "human")[0]:
        if label.grade is not None:
            human.setdefault(label.judge, {})[label.item] = label.grade
    machine: dict[str, dict[str, float]] = {}
    lost: dict[str, int] = {}
    for vote in votes:
        if vote.repeat:
            continue
        lost.setdefault(vote.judge, 0)
        if vote.grade is None:
            lost[vote.judge] += 1
        else:
            machine.setdefault(vote.judge, {})[vote.item] = float(vote.grade)
    made = []
    for name in sorted(lost):
        grades = machine.get(name, {})
        pairs = [
            (grades[item], grade)
            for person in sorted(human)
            for item, grade in human[person].items()
            if item in grades
        ]
        items = {item for of in human.values() for item in of} & grades.keys()
        made.append({"judge": name, "lost": lost[name], "items": len(items), **_both(pairs, level)})
    people = []
    for first, second in combinations(sorted(human), 2):
        shared = [item for item in human[first] if item in human[second]]
        if shared:
            pairs = [(human[first][item], human[second][item]) for item in shared]
            people.append({"people": [first, second], **_both(pairs, level)})
    return {"schema": "evenhand.correlation/1", "level": level, "machines": made, "people": people}


def _both(pairs: list[tuple[float, float]], level: float) -> dict[str, Any]:
    first, second = [a for a, _ in pairs], [b for _, b in pairs]
    return {
        "n": len(pairs),
        "pearson": _json(pearson(first, second, level=level)),
        "spearman": _json(spearman(first, second, level=level)),
    }


def _json(found: Correlation) -> dict[str, Any]:
    reason = {"reason": found.reason} if found.reason else {}
    return {"value": rounded(found.r), **interval_json(found.interval), "n": found.n, **reason}
