"""Drafting at work: the model is asked in rounds until each kind has its number, or no attempt is left."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenhand.errors import InputError
from evenhand.gold.drafting.filter import Limits, Sieve, common_words
from evenhand.gold.drafting.parse_reply import Draft, read
from evenhand.model.gold import GoldSet, QuestionId
from evenhand.study.drafting.leakage import flagged
from evenhand.study.drafting.setup import DRAFTER, Desk

if TYPE_CHECKING:
    from evenhand.llm.scheduling.caller import Caller
    from evenhand.model.gold import Question
    from evenhand.protocols import Progress

__all__ = ["Drafted", "ask_drafts", "drafted"]


@dataclass(frozen=True, kw_only=True)
class Drafted:
    """What came of it: drafts kept, in order; drafts rejected; how many were asked for by kind.

    ``unasked``: calls that were never made, by why (budget, deadline), ``whys`` the same with figures.
    ``likeness`` says by what questions were compared, ``note`` why not by the embedder that was planned.
    """

    kept: tuple[Draft, ...]
    rejected: tuple[Draft, ...]
    asked: Mapping[str, int]
    unasked: Mapping[str, int] = field(default_factory=dict)
    whys: Mapping[str, str] = field(default_factory=dict)
    likeness: str = "words"
    note: str = ""
    spent: Mapping[str, Any] = field(default_factory=dict)

    def gold(self, standing: GoldSet) -> GoldSet:
        """The questions, with ids that are free beside those of *standing*."""
        taken = {str(question.id) for question in standing}
        made: list[Question] = []
        number = 0
        for draft in self.kept:
            number += 1
            while f"draft-{number:03d}" in taken:
                number += 1
            assert draft.question is not None  # noqa: S101 - kept drafts have one
            made.append(replace(draft.question, id=QuestionId(f"draft-{number:03d}")))
        return GoldSet(tuple(made))


def drafted(desk: Desk, caller: Caller) -> Drafted:
    """Ask in rounds: first as many as are planned, then for each that was rejected another one.

    What is kept depends on the replies alone, not on the order in which they come. A call that was not made
    for want of money or time ends the rounds.
    """
    from evenhand.study.panel.ask import Spent

    sieve, note = _sieve(desk)
    waiting = {kind: desk.asks(kind) for kind in desk.wanted}
    kept: list[Draft] = []
    rejected: list[Draft] = []
    asked: Counter[str] = Counter()
    spent, unasked = Spent(), Counter[str]()
    while not unasked:
        have = Counter(draft.ask.kind.name for draft in kept)
        batch = [
            ask for kind, n in desk.wanted.items() for ask in islice(waiting[kind], max(0, n - have[kind]))
        ]
        if not batch:
            break
        asked.update(ask.kind.name for ask in batch)
        calls = {}
        for call in caller.ask([(DRAFTER, desk.request(ask)) for ask in batch]):
            spent.count(call)
            calls[call.task] = call
        for ask in batch:
            call = calls[ask.name]
            if call.outcome == "fault" and not call.tries:
                unasked[call.why] += 1
                continue
            draft = sieve.sift(read(call, ask, model=desk.plan.model, by=desk.by, on=desk.on))
            (kept if draft.question is not None else rejected).append(draft)
    order = {name: i for i, name in enumerate(desk.wanted)}
    kept.sort(key=lambda draft: (order[draft.ask.kind.name], draft.ask.number))
    rejected.sort(key=lambda draft: (order[draft.ask.kind.name], draft.ask.number))
    return Drafted(
        kept=tuple(flagged(kept, desk)),
        rejected=tuple(rejected),
        asked=dict(asked),
        unasked=dict(unasked),
        whys=dict(caller.whys),
        likeness=sieve.limits.by,
        note=note,
        spent=spent.to_json(),
    )


def _sieve(desk: Desk) -> tuple[Sieve, str]:
    """The sieve by the planned embedder; by words where none is planned, or it is not installed."""
    plan = desk.plan
    common = common_words(document.text[document.body :] for document in desk.corpus)
    note = ""
    if plan.embedder:
        try:
            from evenhand.retrieve.models.minilm import MiniLM

            model = MiniLM()
            model.embed(["once, to see whether it is there"])
        except InputError as error:
            note = f"{error.what}: questions are compared by their words ({error.mend})"
        else:
            limits = Limits(near=plan.near_cosine, weak=plan.weak_cosine, by=f"cosine by {plan.embedder}")
            return Sieve(list(desk.gold), limits, common=common, embed=_unit(model.embed)), ""
    return Sieve(list(desk.gold), Limits(near=plan.near, weak=plan.weak, by="words"), common=common), note


def _unit(embed: Any) -> Any:
    import numpy as np

    def make(texts: Sequence[str]) -> Any:
        rows = embed(list(texts))
        return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)

    return make


def ask_drafts(
    desk: Desk, folder: Path, *, budget: float | None, deadline: float | None, progress: Progress
) -> Drafted:
    """`drafted` through the journal of the study's folder: what was paid for is not asked again."""
    from evenhand.store.calls.journal import Calls
    from evenhand.study.panel.ask import readied
    from evenhand.study.steps.model_client import caller_of

    readied([desk.chat], "draft")
    journal = Calls(folder / ".evenhand")
    try:
        caller = caller_of(
            desk.plan,
            {DRAFTER: desk.chat},
            journal,
            budget=budget,
            deadline=deadline,
            progress=progress,
            stage="draft",
        )
        return drafted(desk, caller)
    finally:
        journal.close()
