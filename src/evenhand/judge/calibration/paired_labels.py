"""What the panel decided and what people said, item by item: the rows that calibration reads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from evenhand.judge.calibration.panel_vs_people import grades_of_people, sheets_apart
from evenhand.labelling.desk.agreement import latest
from evenhand.labelling.desk.labels import grade_of
from evenhand.model.plan.calibration_sample import Case

if TYPE_CHECKING:
    from evenhand.judge.panel.majority import Decision
    from evenhand.judge.panel.prompt_spec import Brief
    from evenhand.model.label import Label

__all__ = ["STRATUM", "cases_of", "human_of", "people_of", "status_of"]

# how a decision came about -> the stratum it is drawn and counted in: two of three that agree lack a vote
# and are no safer than a split; a lone judge has nobody to differ from
STRATUM = {
    "unanimous": "unanimous",
    "single": "unanimous",
    "two_agree": "split",
    "split": "split",
    "undecided": "undecided",
}


def human_of(labels: Iterable[Label]) -> dict[str, tuple[float | None, str]]:
    """By item: the grade that stands among people (a ruling, else the lower median), or what they said.

    Of items on which nobody gave a grade the second part is ``cannot-tell`` or ``skip``. Labels of a panel
    are left out.
    """
    by_item: dict[str, list[Label]] = {}
    for label in latest(label for label in labels if label.by != "panel")[0]:
        by_item.setdefault(label.item, []).append(label)
    made: dict[str, tuple[float | None, str]] = {}
    for item, of_one in by_item.items():
        found = grade_of(of_one)
        said = "cannot-tell" if any(label.kind == "cannot-tell" for label in of_one) else "skip"
        made[item] = (found[0], "") if found is not None else (None, said)
    return made


def people_of(labels: Iterable[Label], brief: Brief) -> tuple[dict[str, tuple[float | None, str]], int]:
    """`human_of` under the panel's own sheet, and how many items were labelled under another alone.

    Where the sheet's sister was used (contribution beside sufficiency) its highest level counts as yes. What
    was said under the panel's own sheet is not taken back by a label under another.
    """
    given = [label for label in labels if label.by != "panel"]
    grades = grades_of_people(given, brief)
    own, beside = (
        human_of(label for of in part.values() for label in of) for part in sheets_apart(given, brief)
    )
    made: dict[str, tuple[float | None, str]] = {}
    elsewhere = 0
    for item, (grade, said) in {**human_of(given), **beside, **own}.items():
        if item in grades:
            made[item] = (grades[item], "")
        elif grade is None:
            made[item] = (None, said)
        else:
            elsewhere += 1
    return made, elsewhere


def cases_of(
    made: Iterable[Decision],
    questions: Mapping[str, str],
    people: Mapping[str, tuple[float | None, str]],
    *,
    clusters: Mapping[str, str] | None = None,
    asked: Sequence[str] = (),
) -> list[Case]:
    """A row for each judged item, in the order of item ids.

    *questions*: the question of every item that was to be judged, by item id; one that no judge has voted
    on is undecided. *people*: see `people_of` and `human_of`. *clusters*: what belongs together, by
    question id. *asked*: the panel's judges, in whose order the votes stand. Decisions on items that were
    not to be judged are left out.
    """
    found = {one.item: one for one in made}
    rows = []
    for item in sorted(questions):
        one = found.get(item)
        grade, said = people.get(item, (None, ""))
        votes: tuple[float | None, ...] = (None,) * len(asked)
        if one is not None:
            given = {vote.judge: vote.grade for vote in one.votes}
            votes = tuple(given.get(name) for name in (asked or sorted(given)))
        rows.append(
            Case(
                item=item,
                cluster=(clusters or {}).get(questions[item], questions[item]),
                panel=None if one is None else one.grade,
                status="undecided" if one is None else STRATUM[one.status],
                votes=votes,
                abstained=0 if one is None else sum(v.outcome == "cannot-tell" for v in one.votes),
                human=grade,
                said=said,
                question=questions[item],
            )
        )
    return rows


def status_of(cases: Iterable[Case]) -> dict[str, str]:
    """The stratum of each item by what the panel decided."""
    return {case.item: case.status for case in cases}
