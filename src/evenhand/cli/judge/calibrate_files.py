"""Calibration of votes and labels that belong to no study."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evenhand.model.vote import Vote

__all__ = ["of_files"]


def of_files(
    votes: Path,
    labels: Path,
    *,
    judges: Sequence[str],
    sample: Path | None,
    yes: float | None,
    seed: int,
    scale: tuple[float, float] | None = None,
    beyond: str = "refuse",
    by: str = "",
    draw: int | None = None,
) -> dict[str, Any]:
    """What `Calibrating.told` says of a study, of two files: every item with a vote is the population.

    Each file is JSON lines of evenhand's own, or qrels. *scale*: the lowest and highest grade, by default
    people's where a file is qrels; *beyond*: what becomes of grades outside it (refuse, clamp, missing).
    *by* ``uniform``: the labelled items were drawn at random of all; *draw* does so here, of the labelled
    ones, and takes no label of another item.

    Votes are put together by the majority where there are two grades, else by the median. The default lines
    of trust hold, but for how gullible the judges are, which needs a stress run.
    """
    from evenhand.errors import InputError, nearest
    from evenhand.formats.guests.labels.label_files import is_bare, labels_in, on_scale, votes_in
    from evenhand.formats.labels.calibration import read_sample
    from evenhand.judge.calibration.human_sample import declared
    from evenhand.judge.calibration.human_sample import draw as drawing
    from evenhand.judge.calibration.paired_labels import STRATUM, human_of
    from evenhand.judge.calibration.section import told_of
    from evenhand.judge.panel.valid_votes import standing
    from evenhand.model.plan.calibration_sample import Case
    from evenhand.stats.agreement.votes import decided
    from evenhand.study.panel.text import contrary_votes

    people, machines = labels_in(labels), votes_in(votes)
    ends = sorted(label.grade for label in people if label.grade is not None and label.by != "panel")
    if scale is None and ends and (is_bare(votes) or is_bare(labels)):
        scale = (ends[0], ends[-1])
    outside = []
    if scale is not None:
        if not scale[0] < scale[1]:
            raise InputError(f"the scale is {scale[0]:g} to {scale[1]:g}", mend="--scale 0 3: low, then high")
        people, of_people = on_scale(people, scale, beyond, str(labels))
        machines, of_machines = on_scale(machines, scale, beyond, str(votes))
        outside = [one for one in ((labels.name, of_people), (votes.name, of_machines)) if one[1].n]
    stand = standing(vote for vote in machines if vote.repeat == 0)
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
    said = human_of(people)
    machine = {vote.grade for of in by_item.values() for vote in of.values() if vote.grade is not None}
    human = {said[item][0] for item in by_item if item in said} - {None}
    grades = sorted(float(grade) for grade in machine | human if grade is not None)
    if not human:
        raise InputError(
            f"no item of {votes.name} has a label of a person in {labels.name}",
            mend="are they of the same corpus and questions?",
        )
    if len(grades) < 2:
        raise InputError("all grades are the same", mend="give files with two grades or more")
    if not machine <= human and len(machine) > len(grades) // 2 and len(machine) > 10:
        raise InputError(
            f"{len(machine)} different scores of machines stand against {len(human)} grades of people",
            mend="`evenhand judge correlate` for scores on a scale of their own; or cut them into grades",
        )
    cases = []
    for item in sorted(by_item):
        of = by_item[item]
        row = tuple(of[name].grade if name in of else None for name in names)
        one = decided(row, by="majority" if len(grades) == 2 else "median")
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
    taken = read_sample(sample) if sample is not None else None
    questions = {case.item: case.cluster for case in cases}
    graded = {case.item: case.cluster for case in cases if case.human is not None}
    if draw is not None:
        kept = {one.item for one in drawing(graded, draw, seed=seed).items}
        cases = [case if case.item in kept else replace(case, human=None, said="") for case in cases]
        people = [label for label in people if label.item in kept]
        taken = declared(questions, sorted(kept), seed=seed)
    elif by:
        taken = declared(questions, sorted(graded))
    told = told_of(
        cases,
        taken,
        scale=scale or (grades[0], grades[-1]),
        yes=yes,
        judges=names,
        people=[label for label in people if label.item in there],
        seed=seed,
    )
    told["out_of_scale"] = [
        {"file": name, "n": one.n, "values": one.outside, "became": one.became} for name, one in outside
    ]
    told["warnings"] += [
        {
            "kind": "calibration: out of scale",
            "count": one.n,
            "text": f"grades of {name} lie outside the scale: {one}; "
            + ("the nearest end stands for each" if one.became == "clamp" else "none of them counts"),
        }
        for name, one in outside
    ]
    told["warnings"] += contrary_votes([vote for vote in stand.contrary if vote.judge in names])
    return {"schema": "evenhand.calibration/1", **told}
