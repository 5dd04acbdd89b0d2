"""Calibration of votes and labels that belong to no study."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evenhand.model.vote import Vote

__all__ = ["of_files"]


def of_files(
    votes: Path, labels: Path, *, judges: Sequence[str], sample: Path | None, yes: float | None, seed: int
) -> dict[str, Any]:
    """What `Calibrating.told` says of a study, of two files: every item with a vote is the population.

    Votes are put together by the majority where there are two grades, else by the median. The default lines
    of trust hold, but for how gullible the judges are, which needs a stress run.
    """
    from evenhand.errors import InputError, nearest
    from evenhand.formats.calibration import read_sample
    from evenhand.formats.labels import read_labels
    from evenhand.formats.votes import read_votes
    from evenhand.judge.cases import STRATUM, human_of
    from evenhand.judge.standing import standing
    from evenhand.judge.told_calibration import told_of
    from evenhand.model.calibration import Case
    from evenhand.stats.votes import decided
    from evenhand.study.panel_words import contrary_votes

    stand = standing(vote for vote in read_votes(votes) if vote.repeat == 0)
    given = stand.votes
    names = sorted({vote.judge for vote in given})
    for name in judges:
        if name not in names:
            raise InputError(f"{votes.name} has no judge {name!r}", mend=nearest(name, names))
    names = list(dict.fromkeys(judges)) or names
    if not given:
        raise InputError(f"{votes.name} holds no vote", mend="evenhand judge panel STUDY.toml")
    by_item: dict[str, dict[str, Vote]] = {}
    for vote in given:
        if vote.judge in names:
            by_item.setdefault(vote.item, {})[vote.judge] = vote
    people = read_labels(labels)
    said = human_of(people)
    machine = {vote.grade for of in by_item.values() for vote in of.values() if vote.grade is not None}
    human = {said[item][0] for item in by_item if item in said} - {None}
    scale = sorted(float(grade) for grade in machine | human if grade is not None)
    if not human:
        raise InputError(
            f"no item of {votes.name} has a label of a person in {labels.name}",
            mend="are they of the same corpus and questions?",
        )
    if len(scale) < 2 or scale[0] == scale[-1]:
        raise InputError("all grades are the same", mend="give files with two grades or more")
    if not machine <= human and len(machine) > len(scale) // 2 and len(machine) > 10:
        raise InputError(
            f"{len(machine)} different scores of machines stand against {len(human)} grades of people",
            mend="`evenhand judge correlate` for scores on a scale of their own; or cut them into grades",
        )
    cases = []
    for item in sorted(by_item):
        of = by_item[item]
        row = tuple(of[name].grade if name in of else None for name in names)
        one = decided(row, by="majority" if len(scale) == 2 else "median")
        grade, why = said.get(item, (None, ""))
        first = next(iter(of.values()))
        cases.append(
            Case(
                item=item,
                cluster=first.question,
                panel=one.grade,
                status=STRATUM[one.status],
                votes=row,
                abstained=sum(vote.outcome == "cannot-tell" for vote in of.values()),
                human=grade,
                said=why,
            )
        )
    there = {case.item for case in cases}
    told = told_of(
        cases,
        read_sample(sample) if sample is not None else None,
        scale=(scale[0], scale[-1]),
        yes=yes,
        judges=names,
        people=[label for label in people if label.item in there],
        seed=seed,
    )
    told["warnings"] += contrary_votes([vote for vote in stand.contrary if vote.judge in names])
    return {"schema": "evenhand.calibration/1", **told}
