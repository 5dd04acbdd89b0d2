"""What a panel decides: votes of several models to one grade an item, without inventing any."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from evenhand.errors import InputError
from evenhand.model.judging import EvidenceMark
from evenhand.model.label import Label, Shown
from evenhand.model.vote import VOTES, Vote
from evenhand.stats.readable import Readable, mean_readable
from evenhand.stats.votes import decided, plurality

if TYPE_CHECKING:
    from evenhand.judge.brief import Brief
    from evenhand.model.sheet import Sheet

__all__ = [
    "PANEL",
    "STATUS",
    "Decision",
    "Standing",
    "decisions",
    "labels",
    "qrel_labels",
    "rate",
    "single_labels",
    "standing",
]

PANEL = "panel"  # the judge's name in the labels of a panel
STATUS = ("unanimous", "split", "two_agree", "single", "undecided")
MIXED = "mixed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """The votes that count, and how many do not: of another sheet or prompt, replaced by a later one."""

    votes: tuple[Vote, ...]
    judges: tuple[str, ...]
    other_sheet: int = 0
    other_prompt: int = 0
    other_judge: int = 0
    replaced: int = 0


def standing(
    votes: Iterable[Vote],
    *,
    sheet: str = "",
    prompt: str = "",
    judges: Sequence[str] = (),
    models: Mapping[str, str] | None = None,
) -> Standing:
    """The last vote of each judge, item and repeat; a fault never takes the place of anything else.

    With *sheet* or *prompt* (seals) votes under another are left out and counted, with *judges* those of
    others; *models* gives the seal of each judge's model: a vote of another model under the same name is
    one of another judge. Order is by item, judge, repeat.
    """
    found: dict[tuple[str, str, int], Vote] = {}
    left = Counter[str]()
    for vote in votes:
        if sheet and vote.sheet != sheet:
            left["other_sheet"] += 1
        elif prompt and vote.prompt != prompt:
            left["other_prompt"] += 1
        elif (judges and vote.judge not in judges) or (
            models and vote.model and models.get(vote.judge, vote.model) != vote.model
        ):
            left["other_judge"] += 1
        else:
            key = (vote.item, vote.judge, vote.repeat)
            old = found.get(key)
            if old is not None:
                left["replaced"] += 1
            if old is None or old.outcome == "fault" or vote.outcome != "fault":
                found[key] = vote
    kept = tuple(found[key] for key in sorted(found))
    return Standing(votes=kept, judges=tuple(judges) or tuple(sorted({vote.judge for vote in kept})), **left)


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """One item: ``grade`` None means that people decide. ``status`` is one of `STATUS`.

    ``valid`` votes of ``asked`` judges could be used; ``votes`` are those there are, by judge. ``mode`` is
    the way to fail that most name, ``mixed`` when two are named as often.
    """

    grade: float | None
    status: str
    valid: int
    asked: int
    votes: tuple[Vote, ...]
    mode: str = ""

    @property
    def item(self) -> str:
        """What was judged."""
        return self.votes[0].item

    @property
    def question(self) -> str:
        """The question it was judged for."""
        return self.votes[0].question

    @property
    def outcomes(self) -> dict[str, int]:
        """How many votes came to what; ``missing`` are those not there."""
        counted = Counter(vote.outcome for vote in self.votes)
        made = {name: counted[name] for name in VOTES if counted[name]}
        return made | ({"missing": self.asked - len(self.votes)} if self.asked > len(self.votes) else {})


def decisions(votes: Iterable[Vote], brief: Brief, *, judges: Sequence[str] = ()) -> list[Decision]:
    """One decision an item, in the order of items; *judges* (all that were asked; default: all that voted).

    Votes are put together as the brief says (see `evenhand.stats.votes.decided`). Two valid votes at least
    must agree, and more than half of the judges must have a valid one, but for a lone judge, whose verdict
    is told as ``single``. Repeats after the first do not count: they tell of the judge's noise.
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
    return made


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


def labels(made: Iterable[Decision], texts: Mapping[str, Shown] | None = None) -> list[Label]:
    """A label ``by`` panel of each decided item; undecided ones have none: they wait for people.

    With *texts* (by item) the words that those who decided so have quoted are marked.
    """
    return [_label(one, texts or {}) for one in made if one.grade is not None]


def _label(one: Decision, texts: Mapping[str, Shown]) -> Label:
    first = one.votes[0]
    marks: list[EvidenceMark] = []
    shown = texts.get(one.item)
    if shown is not None:
        quotes = {
            quote
            for vote in one.votes
            if vote.grade == one.grade
            for quote in vote.told.get("evidence", ())
            if quote in shown.text
        }
        starts = sorted((shown.text.index(quote), quote) for quote in quotes)
        marks = [EvidenceMark(start=at, end=at + len(quote), quote=quote) for at, quote in starts]
    return Label(
        question=first.question,
        doc=first.doc,
        start=first.start,
        end=first.end,
        text_sha256=first.text_sha256,
        judge=PANEL,
        by="panel",
        grade=one.grade,
        mode=one.mode,
        comment=one.status,
        evidence=tuple(marks),
        sheet=first.sheet,
    )


def qrel_labels(made: Iterable[Decision], brief: Brief) -> list[Label]:
    """The labels as grades of qrels: 0, 1, 2 also where the sheet asks yes or no.

    Beside yes or no a judge says how much a text contributes: yes is grade 2, no the lower median of what
    those who said no say, at most 1. Other sheets keep their grades; those that are not about a question and
    a text give none.
    """
    if brief.subject != "question" or not brief.text or brief.more:
        return []
    if brief.beside is None:
        return labels(made)
    return [_contributing(one, brief.beside) for one in made if one.grade is not None]


def _contributing(one: Decision, beside: Sheet) -> Label:
    top, below = beside.levels[-1].grade, beside.levels[-2].grade
    if one.grade == 1.0:
        grade = top
    else:
        said = sorted(
            float(vote.told[beside.name])
            for vote in one.votes
            if vote.grade == one.grade and vote.told.get(beside.name) is not None
        )
        grade = min(below, said[(len(said) - 1) // 2]) if said else beside.levels[0].grade
    return replace(_label(one, {}), grade=grade, sheet=beside.seal)


def single_labels(votes: Iterable[Vote], *, judges: Collection[str] = ()) -> list[Label]:
    """A label of each verdict, and each "cannot tell", under the name of its model.

    For agreement, not for qrels: there the panel's decision counts.
    """
    return [
        Label(
            question=vote.question,
            doc=vote.doc,
            start=vote.start,
            end=vote.end,
            text_sha256=vote.text_sha256,
            judge=vote.judge,
            kind="grade" if vote.grade is not None else "cannot-tell",
            by="panel",
            grade=vote.grade,
            mode=vote.mode,
            sheet=vote.sheet,
        )
        for vote in votes
        if vote.outcome in ("verdict", "cannot-tell")
        and vote.repeat == 0
        and (not judges or vote.judge in judges)
    ]
