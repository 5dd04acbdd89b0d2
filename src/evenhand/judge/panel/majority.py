"""What a panel decides: votes of several models to one grade an item, without inventing any."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from evenhand.errors import InputError
from evenhand.judge.panel.valid_votes import standing
from evenhand.model.vote import VOTES, Vote
from evenhand.stats.agreement.votes import decided, plurality
from evenhand.stats.intervals.missing_bounds import Readable, mean_readable

if TYPE_CHECKING:
    from evenhand.judge.panel.prompt_spec import Brief
    from evenhand.model.label import Shown

__all__ = ["STATUS", "Decision", "decisions", "rate"]

STATUS = ("unanimous", "split", "two_agree", "single", "undecided")
MIXED = "mixed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """One item: ``grade`` None means that people decide. ``status`` is one of `STATUS`.

    ``valid`` votes of ``asked`` judges could be used; ``votes`` are those there are, by judge. ``mode`` is
    the way to fail that most name, ``mixed`` when two are named as often. ``shown`` is what was to be judged,
    of an item without any vote.
    """

    grade: float | None
    status: str
    valid: int
    asked: int
    votes: tuple[Vote, ...]
    mode: str = ""
    shown: Shown | None = None

    @property
    def about(self) -> Vote | Shown:
        """What says which question and text it is: the first vote, or the text that none is on."""
        if self.votes:
            return self.votes[0]
        assert self.shown is not None  # noqa: S101 - one of the two is there
        return self.shown

    @property
    def item(self) -> str:
        """What was judged."""
        return self.about.item

    @property
    def question(self) -> str:
        """The question it was judged for."""
        return self.about.question

    def grades(self, judges: Sequence[str]) -> list[float | None]:
        """What each of *judges* gave, None where it gave no grade."""
        given = {vote.judge: vote.grade for vote in self.votes}
        return [given.get(name) for name in judges]

    @property
    def outcomes(self) -> dict[str, int]:
        """How many votes came to what; ``missing`` are those not there."""
        counted = Counter(vote.outcome for vote in self.votes)
        made = {name: counted[name] for name in VOTES if counted[name]}
        return made | ({"missing": self.asked - len(self.votes)} if self.asked > len(self.votes) else {})


def decisions(
    votes: Iterable[Vote], brief: Brief, *, judges: Sequence[str] = (), shown: Iterable[Shown] = ()
) -> list[Decision]:
    """One decision an item, in the order of items; *judges* (all that were asked; default: all that voted).

    *shown*: all that was to be judged. What nobody has voted on, a budget having ended say, is undecided like
    any other item without a verdict: left out, rates would be of what came first.

    Votes are put together as the brief says (see `evenhand.stats.agreement.votes.decided`). Two valid votes
    at least must agree, and more than half of the judges must have a valid one, but for a lone judge, whose
    verdict is told as ``single``. Repeats after the first do not count: they tell of the judge's noise.
    """
    found = standing((vote for vote in votes if vote.repeat == 0), judges=judges)
    names = found.judges
    if judges and len(set(judges)) != len(judges):
        raise InputError(f"judges {list(judges)} are named twice", mend="name each judge once")
    by_item: dict[str, list[Vote]] = {}
    for vote in found.votes:
        by_item.setdefault(vote.item, []).append(vote)
    scale = {level.grade for level in brief.sheet.levels}
    made = []
    for of_one in by_item.values():
        given = {vote.judge: vote.grade for vote in of_one}
        one = decided([given.get(name) for name in names], by=brief.decide, scale=scale)
        made.append(
            Decision(
                grade=one.grade,
                status=one.status,
                valid=one.valid,
                asked=len(names),
                votes=tuple(of_one),
                mode=_mode(of_one, one.grade, brief),
            )
        )
    nothing = Decision(grade=None, status="undecided", valid=0, asked=len(names), votes=())
    made += [replace(nothing, shown=one) for one in shown if one.item not in by_item]
    return sorted(made, key=lambda one: one.item)


def _mode(votes: Sequence[Vote], grade: float | None, brief: Brief) -> str:
    if grade is None or not brief.sheet.level(grade).modes:
        return ""
    return str(plurality([vote.mode or None for vote in votes], otherwise=MIXED) or "")


def rate(made: Sequence[Decision | Vote | None], brief: Brief, *, at_least: float | None = None) -> Readable:
    """The share at or above a grade (default: the highest) among what has one; None is a vote not there.

    Its bounds are those if all others were below it, or all were not.
    """
    cut = brief.sheet.levels[-1].grade if at_least is None else at_least
    values = [None if one is None or one.grade is None else float(one.grade >= cut) for one in made]
    return mean_readable(values, scale=(0.0, 1.0))
