"""The base set: items known to be of grade 0, items known to answer, and where their answer stands."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from evenhand.judge.calibration.paired_labels import people_of
from evenhand.judge.robustness.suite import VERSION
from evenhand.labelling.desk.agreement import latest

if TYPE_CHECKING:
    from evenhand.judge.panel.prompt_spec import Brief
    from evenhand.model.gold import GoldSet, Question
    from evenhand.model.label import Label, Shown

__all__ = ["Base", "Known", "base_set", "known_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """An item whose grade is known: ``side`` zero or answer, ``by`` people or evidence.

    ``spans``: where its answer stands, code points of its text. ``rank`` is its best rank in any run (0: not
    known); it serves to choose near misses and no judge sees it.
    """

    shown: Shown
    side: str
    by: str
    spans: tuple[tuple[int, int], ...] = ()
    rank: int = 0


@dataclass(frozen=True, kw_only=True)
class Base:
    """What was chosen for each side, and near misses; ``asked`` is how many were wanted of each."""

    zero: tuple[Known, ...] = ()
    answer: tuple[Known, ...] = ()
    near: tuple[Known, ...] = ()
    asked: int = 50
    there: Mapping[str, int] = field(default_factory=dict)  # side -> how many there were to choose from

    def of(self, base: str) -> tuple[Known, ...]:
        """The items of a side, or of both."""
        return (*self.zero, *self.answer) if base == "both" else getattr(self, base, ())

    def counts(self) -> dict[str, dict[str, int]]:
        """Side → items, questions, and by whom their grade is known."""
        return {
            side: {
                "items": len(items),
                "questions": len({one.shown.question for one in items}),
                "there": self.there.get(side, len(items)),
                **dict(sorted(Counter(one.by for one in items).items())),
            }
            for side in ("zero", "answer", "near")
            for items in (self.of(side),)
        }


def known_of(
    shown: Iterable[Shown],
    labels: Sequence[Label],
    brief: Brief,
    gold: GoldSet | None,
    *,
    ranks: Mapping[str, int] | None = None,
) -> list[Known]:
    """Each item with a known grade: people's grade first, else what the evidence of the gold set says.

    By evidence an item is of grade 0 when no evidence of its question touches it, and answers when it holds
    a span of every vital fact whole; one that holds a part is left out, but for a sheet with grades in
    between, where it is an item of grade 1 and serves the tests of removal.
    """
    graded = people_of(labels, brief)[0]
    marks = _marks(labels)
    made = []
    low = brief.sheet.levels[0].grade
    yes = brief.sheet.levels[-1 if len(brief.sheet.levels) == 2 else 1].grade
    for one in shown:
        question = gold[one.question] if gold is not None and one.question in gold.position else None
        spans = _spans(question, one)
        grade = graded.get(one.item, (None, ""))[0]
        side, by = "", "people"
        if grade is not None:
            side = "zero" if grade == low else "answer" if grade >= yes else ""
        elif one.item not in graded and question is not None:
            side, by = _by_evidence(question, one, len(brief.sheet.levels) > 2), "evidence"
        if side:
            own = marks.get(one.item, ())
            made.append(
                Known(
                    shown=one,
                    side=side,
                    by=by,
                    spans=tuple(sorted({*own, *spans})) if side == "answer" else (),
                    rank=(ranks or {}).get(one.item, 0),
                )
            )
    return made


def _marks(labels: Sequence[Label]) -> dict[str, tuple[tuple[int, int], ...]]:
    """What people marked as the answer, by item."""
    found: dict[str, set[tuple[int, int]]] = {}
    for label in latest(one for one in labels if one.by != "panel")[0]:
        if label.evidence:
            found.setdefault(label.item, set()).update((mark.start, mark.end) for mark in label.evidence)
    return {item: tuple(sorted(spans)) for item, spans in found.items()}


def _spans(question: Question | None, shown: Shown) -> set[tuple[int, int]]:
    """The parts of the question's evidence that lie in the text, counted from its start."""
    return {
        (max(0, quote.span.start - shown.start), min(shown.end, quote.span.end) - shown.start)
        for nugget in (question.evidence if question is not None else ())
        for quote in nugget.spans
        if str(quote.span.doc) == shown.doc and quote.span.start < shown.end and shown.start < quote.span.end
    }


def _by_evidence(question: Question, shown: Shown, graded: bool) -> str:
    if question.expect == "clarify" or (question.expect == "answer" and not question.evidence):
        return ""  # nobody said where an answer would be
    if not _spans(question, shown):
        return "zero"
    vital = [nugget for nugget in question.evidence if nugget.vital] or list(question.evidence)
    whole = [
        any(
            str(quote.span.doc) == shown.doc
            and shown.start <= quote.span.start
            and quote.span.end <= shown.end
            for quote in nugget.spans
        )
        for nugget in vital
    ]
    return "answer" if all(whole) or (graded and any(whole)) else ""


def base_set(known: Sequence[Known], *, n: int = 50, suite: str = VERSION) -> Base:
    """*n* items of each side, one a question as long as questions last, then a second one, and so on.

    Items that people graded come before those known by evidence. Within a question, and among questions, a
    hash decides. Near misses are the best ranked item of grade 0, for each question, in a document that
    holds its answer.
    """

    def lot(one: Known) -> str:
        return hashlib.sha256(f"{suite}|base|{one.shown.item}".encode()).hexdigest()

    sides = {side: [one for one in known if one.side == side] for side in ("zero", "answer")}
    holding = {(one.shown.question, one.shown.doc) for one in sides["answer"]}
    near: dict[str, Known] = {}
    for one in sorted(
        (one for one in sides["zero"] if (one.shown.question, one.shown.doc) in holding),
        key=lambda one: (one.rank or 10**9, one.shown.item),
    ):
        near.setdefault(one.shown.question, one)
    return Base(
        zero=tuple(_spread(sides["zero"], n, lot)),
        answer=tuple(_spread(sides["answer"], n, lot)),
        near=tuple(sorted(near.values(), key=lot)[:n]),
        asked=n,
        there={**{side: len(items) for side, items in sides.items()}, "near": len(near)},
    )


def _spread(items: Sequence[Known], n: int, lot: Callable[[Known], str]) -> list[Known]:
    piles: dict[str, list[Known]] = {}
    for one in sorted(items, key=lambda one: (one.by != "people", lot(one))):
        piles.setdefault(one.shown.question, []).append(one)
    turns = sorted(
        (
            (turn, one.by != "people", lot(one), one)
            for pile in piles.values()
            for turn, one in enumerate(pile)
        ),
        key=lambda row: row[:3],
    )
    return [row[-1] for row in turns[:n]]
