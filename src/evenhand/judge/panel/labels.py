"""From decisions to labels: the panel's own, as grades of qrels, and one a model."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from evenhand.model.judging import EvidenceMark
from evenhand.model.label import Label, Shown

if TYPE_CHECKING:
    from evenhand.judge.panel.majority import Decision
    from evenhand.judge.panel.prompt_spec import Brief
    from evenhand.model.sheet import Sheet
    from evenhand.model.vote import Vote

__all__ = ["PANEL", "labels", "qrel_labels", "single_labels"]

PANEL = "panel"  # the judge's name in the labels of a panel


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
