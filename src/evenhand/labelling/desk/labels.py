"""What the judges of a pool have said: answers that stand, rulings, and the labels that follow."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from evenhand.model.label import Label

if TYPE_CHECKING:
    from evenhand.model.judging import Desk, Entry, Judgement, Task
    from evenhand.model.pool import Pool, PoolItem
    from evenhand.protocols import Store

__all__ = [
    "Answer",
    "Results",
    "gather",
    "grade_of",
    "judgements_of",
    "labels_of",
    "without_judges",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """An entry that stands, at its place: ``task`` is what it was there as (main, warm-up, …)."""

    item: PoolItem
    judge: str
    desk: str
    number: int
    position: int
    task: str
    about: tuple[str, ...]
    entry: Entry

    @property
    def name(self) -> str:
        """``desk:number``, the name by which adjudication speaks of it."""
        return f"{self.desk}:{self.number}"

    @property
    def said(self) -> float | str:
        """The grade, or the kind: cannot tell is an answer of its own."""
        return self.entry.kind if self.entry.grade is None else self.entry.grade

    def label(self, by: str = "human") -> Label:
        """The same as a label, apart from its desk."""
        item, entry = self.item, self.entry
        return Label(
            question=item.question,
            doc=item.doc,
            start=item.start,
            end=item.end,
            text_sha256=item.text_sha256,
            judge=self.judge,
            kind=entry.kind,
            by=by,
            grade=entry.grade,
            mode=entry.mode,
            reason=entry.reason,
            comment=entry.comment,
            evidence=entry.evidence,
            sheet=entry.sheet,
            at=entry.at,
            active_ms=entry.active_ms,
        )


@dataclass(frozen=True)
class Results:
    """All standing answers of one pool, by desk and position; ``rulings`` are those of adjudicators.

    ``words``: by item id, of the text (blanks separate them); empty where nobody asked for times.
    ``done``: by desk id, (tasks with an answer or a skip, all tasks).
    """

    pool: Pool
    desks: tuple[Desk, ...]
    answers: tuple[Answer, ...]
    rulings: tuple[Answer, ...]
    words: Mapping[str, int]
    done: Mapping[str, tuple[int, int]]

    @cached_property
    def main(self) -> tuple[Answer, ...]:
        """The answers that count: no warm-up, no repeat, no attention item."""
        return tuple(answer for answer in self.answers if answer.task == "main")

    @cached_property
    def by_item(self) -> dict[str, tuple[Answer, ...]]:
        """Main answers by item, in the order of the pool; items nobody has answered are not there."""
        found: dict[str, list[Answer]] = {}
        for answer in self.main:
            found.setdefault(answer.item.id, []).append(answer)
        place = self.pool.position
        return {item: tuple(found[item]) for item in sorted(found, key=lambda i: place.get(i, len(place)))}

    @cached_property
    def ruled(self) -> dict[str, Answer]:
        """The last ruling of each item; a skipped one is none."""
        made: dict[str, Answer] = {}
        for ruling in sorted(self.rulings, key=lambda r: (r.entry.at, r.desk, r.number)):
            if ruling.entry.kind != "skip":
                made[ruling.item.id] = ruling
        return made


def gather(store: Store, pool: str, *, words: bool = True) -> Results:
    """Read what stands at all desks of a pool; *words* counts those of each text (for the pace)."""
    whole = store.pool(pool)
    desks = tuple(store.desks(pool=pool))
    counted: dict[str, int] = {}
    answers: list[Answer] = []
    rulings: list[Answer] = []
    done: dict[str, tuple[int, int]] = {}
    for desk in desks:
        done[desk.id] = store.progress(desk.id)
        for answer in _standing(store, desk, whole):
            (rulings if desk.kind == "adjudication" else answers).append(answer)
            text = answer.item.text_sha256
            if words and text not in counted:
                counted[text] = len(store.text(text).split())
    every = {a.item.id: counted.get(a.item.text_sha256, 0) for a in (*answers, *rulings)}
    return Results(whole, desks, tuple(answers), tuple(rulings), every if words else {}, done)


def _standing(store: Store, desk: Desk, pool: Pool) -> Iterator[Answer]:
    for one in store.standing(desk.id):
        if one.entry is not None:
            yield _answer(store, desk, one.task, one.entry, pool)


def _answer(store: Store, desk: Desk, task: Task, entry: Entry, pool: Pool) -> Answer:
    place = pool.position.get(task.item)
    return Answer(
        item=store.item(task.item) if place is None else pool.items[place],
        judge=desk.judge,
        desk=desk.id,
        number=entry.number,
        position=task.position,
        task=task.kind,
        about=task.about,
        entry=entry,
    )


def labels_of(results: Results, *, originals: bool = True) -> list[Label]:
    """Every main answer and every ruling as a label, by item in the order of the pool, then by judge.

    Items that a ruling leaves open ("cannot tell") keep their originals as labels but give no judgement:
    see `judgements_of`. With *originals* off, those that a ruling stands for are left out.
    """
    made: list[Label] = []
    for item, answers in results.by_item.items():
        ruling = results.ruled.get(item)
        if ruling is None or originals:
            made += [answer.label() for answer in sorted(answers, key=lambda a: (a.judge, a.number))]
        if ruling is not None:
            made.append(ruling.label("adjudicated"))
    return made


def judgements_of(labels: Iterable[Label]) -> list[Judgement]:
    """The judgements for qrels, in order: an item ruled "cannot tell" gives none at all.

    The last ruling of an item counts, by time and then by place.
    """
    labels = list(labels)
    rulings = [label for label in labels if label.by == "adjudicated" and label.kind != "skip"]
    ruling = {label.item: label for label in sorted(rulings, key=lambda label: label.at)}
    open_ = {item for item, label in ruling.items() if label.grade is None}
    made = []
    for label in labels:
        one = label.judgement()
        if one is not None and not (label.item in open_ and label.by != "panel"):
            made.append(one)
    return made


def grade_of(labels: Sequence[Label]) -> tuple[float, str] | None:
    """The grade that stands for one item, and whose it is: adjudicated, human, panel; None without one.

    Of several judges of one kind the lower median stands, as in `evenhand.gold.merge_judgements`. Of one
    judge what was said last counts (see `evenhand.labelling.desk.agreement.latest`), be it that nothing can
    be told.
    """
    from evenhand.labelling.desk.agreement import latest

    given = judgements_of(latest(labels)[0])
    for kind in ("adjudicated", "human", "panel"):
        last = {one.judge: one.grade for one in given if one.kind == kind}
        if last:
            return sorted(last.values())[(len(last) - 1) // 2], kind
    return None


def without_judges(labels: Iterable[Label]) -> list[Label]:
    """The same labels under the names judge-1, judge-2, … (by order of name), to be given away."""
    labels = list(labels)
    names = {name: f"judge-{i}" for i, name in enumerate(sorted({label.judge for label in labels}), 1)}
    return [replace(label, judge=names[label.judge]) for label in labels]
