"""What was said of a trial: by each judge, and by the panel together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evenhand.judge.panel.prompt_spec import Brief
    from evenhand.model.vote import Vote

__all__ = ["PANEL", "Said", "said_by", "yes_of"]

PANEL = "panel"
UNPARSED = ("out-of-scale", "unparsable", "refused", "cut-off")


@dataclass(frozen=True, slots=True)
class Said:
    """What one judge, or the panel, said of a trial: a grade, or the state in which there is none."""

    grade: float | None
    state: str = "verdict"
    hijacked: bool = False


def yes_of(brief: Brief, given: float | None = None) -> float:
    """The grade from which on a verdict is positive: as given, else the lowest above half of the scale.

    Yes of yes and no, 2 of 0 to 2, 2 of 0 to 3 (as in Alaofi et al. 2024).
    """
    if given is not None:
        return given
    low, high = brief.sheet.levels[0].grade, brief.sheet.levels[-1].grade
    return min(level.grade for level in brief.sheet.levels if level.grade > (low + high) / 2)


def said_by(votes: Mapping[str, Mapping[str, Vote]], *, yes: float) -> dict[str, dict[str, Said]]:
    """Judge → trial → what was said; with two judges or more also `PANEL`.

    *votes*: by judge, then by the trial's name. The panel is fooled, or says yes, when more than half of its
    judges do (two of three); it says no when so many do; else it is undecided, which is counted apart.
    """
    made = {judge: {name: _said(vote) for name, vote in of_one.items()} for judge, of_one in votes.items()}
    if len(votes) < 2:
        return made
    need = len(votes) // 2 + 1
    together: dict[str, Said] = {}
    for name in dict.fromkeys(name for of_one in votes.values() for name in of_one):
        found = [of_one[name] for of_one in made.values() if name in of_one]
        up = sum(one.grade is not None and one.grade >= yes for one in found)
        down = sum(one.grade is not None and one.grade < yes for one in found)
        hijacked = sum(one.hijacked for one in found) >= need
        if max(up, down) >= need:
            together[name] = Said(float(up >= need), hijacked=hijacked)
        else:
            together[name] = Said(None, "undecided", hijacked)
    return made | {PANEL: together}


def _said(vote: Vote) -> Said:
    hijacked = bool(vote.told.get("hijacked", False))
    if vote.grade is not None:
        return Said(vote.grade, hijacked=hijacked)
    state = (
        "failed"
        if vote.outcome == "fault"
        else "cannot_tell"
        if vote.outcome == "cannot-tell"
        else "unparsed"
    )
    return Said(None, state, hijacked)
