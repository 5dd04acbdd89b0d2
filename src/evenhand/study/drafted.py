"""Drafting at work: the model is asked in rounds until each kind has its number, or no attempt is left."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from math import ceil
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from evenhand.errors import InputError
from evenhand.gold.draft import KINDS, Ask, asks, request
from evenhand.gold.draft_read import REASONS, Draft, read
from evenhand.gold.draft_sift import Limits, Sieve, common_words, noted
from evenhand.model.gold import GoldSet, QuestionId

if TYPE_CHECKING:
    from evenhand.llm.caller import Caller
    from evenhand.model.analysis import DraftPlan
    from evenhand.model.call import Request
    from evenhand.model.gold import Question
    from evenhand.model.study import Plan
    from evenhand.model.text import Corpus, Units
    from evenhand.protocols import Chat, Progress

__all__ = ["Desk", "Drafted", "ask_drafts", "desk_of", "drafted", "first_requests", "told", "write_rejected"]

DRAFTER = "drafter"  # the caller's name for the model
OVERLAP = 0.8  # of a question's words in its evidence, from which on it is said to be copied


@dataclass(frozen=True, kw_only=True)
class Desk:
    """Everything drafting needs: the plan, its model, passages, questions there already, units for BM25."""

    plan: DraftPlan
    chat: Chat
    corpus: Corpus
    gold: GoldSet
    windows: Units
    units: Units
    seed: int
    by: str = ""
    on: str = ""

    @property
    def wanted(self) -> dict[str, int]:
        """Kind → how many are planned."""
        return {name: getattr(self.plan, name) for name in KINDS if getattr(self.plan, name)}

    def most(self, kind: str) -> int:
        """How often a kind may be asked for."""
        return ceil(self.wanted[kind] * self.plan.attempts)

    def request(self, ask: Ask) -> Request:
        """What is asked for one draft."""
        plan = self.plan
        return request(ask, language=plan.language, max_tokens=plan.max_tokens, seed=plan.seed)

    def asks(self, kind: str) -> Iterator[Ask]:
        """The asks of a kind in their order, as many as there may be."""
        old = [str(one.id) for one in self.corpus if one.status == "obsolete"]
        return islice(asks(kind, self.windows, seed=self.seed, leave_out=old), self.most(kind))


@dataclass(frozen=True, kw_only=True)
class Drafted:
    """What came of it: drafts kept, in order; drafts rejected; how many were asked for by kind.

    ``unasked``: calls that were never made (budget, deadline). ``likeness`` says by what questions were
    compared, ``note`` why not by the embedder that was planned.
    """

    kept: tuple[Draft, ...]
    rejected: tuple[Draft, ...]
    asked: Mapping[str, int]
    unasked: int = 0
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


def desk_of(plan: Plan, folder: Path, *, by: str = "", on: str = "") -> Desk:
    """Read what a study's ``[draft]`` needs; the gold set of the study may not be there yet."""
    from evenhand.corpus.chunk import chunk, rule_of
    from evenhand.corpus.sentences import Sentences
    from evenhand.formats.gold import read_gold
    from evenhand.llm.models import chat_of
    from evenhand.study.conduct import corpus_of

    draft = plan.draft
    if draft is None:
        raise InputError("the study has no [draft]", mend='add [draft] with model = "provider:name"')
    settings = dict(draft.settings) | ({"family": draft.family} if draft.family else {})
    try:
        chat = chat_of(draft.model, settings, name=DRAFTER, folder=folder)
    except InputError as error:
        raise InputError(f"[draft] {error.what.removeprefix(f'{DRAFTER}: ')}", mend=error.mend) from error
    corpus = corpus_of(plan, folder, made=(folder / "results", folder / ".evenhand"))
    path = folder / str(plan.gold.get("path", ""))
    windows = chunk(corpus, Sentences(size=draft.window), name="passages")
    cut = plan.chunkings[0] if plan.chunkings else None
    units = (
        chunk(corpus, rule_of(cut.rule, cut.settings, where=f"chunking.{cut.name}"), name=cut.name)
        if cut is not None
        else windows
    )
    return Desk(
        plan=draft,
        chat=chat,
        corpus=corpus,
        gold=read_gold(path, corpus) if path.is_file() else GoldSet(()),
        windows=windows,
        units=units,
        seed=plan.seed,
        by=by,
        on=on,
    )


def first_requests(desk: Desk) -> Iterator[tuple[str, Request]]:
    """What the first round asks: as many of each kind as are planned."""
    for kind, n in desk.wanted.items():
        for ask in islice(desk.asks(kind), n):
            yield DRAFTER, desk.request(ask)


def drafted(desk: Desk, caller: Caller) -> Drafted:
    """Ask in rounds: first as many as are planned, then for each that was rejected another one.

    What is kept depends on the replies alone, not on the order in which they come. A call that was not made
    for want of money or time ends the rounds.
    """
    from evenhand.study.panelled import Spent

    sieve, note = _sieve(desk)
    waiting = {kind: desk.asks(kind) for kind in desk.wanted}
    kept: list[Draft] = []
    rejected: list[Draft] = []
    asked: Counter[str] = Counter()
    spent, unasked = Spent(), 0
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
                unasked += 1
                continue
            draft = sieve.sift(read(call, ask, model=desk.plan.model, by=desk.by, on=desk.on))
            (kept if draft.question is not None else rejected).append(draft)
    order = {name: i for i, name in enumerate(desk.wanted)}
    kept.sort(key=lambda draft: (order[draft.ask.kind.name], draft.ask.number))
    rejected.sort(key=lambda draft: (order[draft.ask.kind.name], draft.ask.number))
    return Drafted(
        kept=tuple(_flagged(kept, desk)),
        rejected=tuple(rejected),
        asked=dict(asked),
        unasked=unasked,
        likeness=sieve.limits.by,
        note=note,
        spent={"made": spent.made, "cached": spent.cached, "dollars": spent.dollars},
    )


def _sieve(desk: Desk) -> tuple[Sieve, str]:
    """The sieve by the planned embedder; by words where none is planned, or it is not installed."""
    plan = desk.plan
    common = common_words(document.text[document.body :] for document in desk.corpus)
    note = ""
    if plan.embedder:
        try:
            from evenhand.retrieve.minilm import MiniLM

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


def _flagged(kept: Iterable[Draft], desk: Desk) -> Iterator[Draft]:
    """Each with its flag: does BM25 rank a unit with the evidence first? None where there is none."""
    from evenhand.retrieve.bm25 import BM25
    from evenhand.retrieve.search import retrieve

    drafts = list(kept)
    asked = {draft.ask.name: draft.question.text for draft in drafts if draft.question is not None}
    if not asked:
        return
    run = retrieve(BM25(), desk.units, asked, depth=1)
    first = {
        name: int(run.unit[run.offsets[i]]) if run.offsets[i + 1] > run.offsets[i] else None
        for i, name in enumerate(run.questions)
    }
    for draft in drafts:
        assert draft.question is not None  # noqa: S101 - kept drafts have one
        top = first[draft.ask.name]
        flag = _holds(desk.units, top, draft.question) if draft.question.evidence else None
        more: dict[str, Any] = {"bm25_trivial": flag}
        if not draft.question.evidence and top is not None:
            more["bm25_first"] = str(
                desk.units.id(top)
            )  # where a reviewer looks whether it is answered after all
        yield replace(draft, question=noted(draft.question, more))


def _holds(units: Units, top: int | None, question: Question) -> bool:
    if top is None:
        return False
    unit = units[top]
    return any(
        str(quote.span.doc) == str(unit.doc) and unit.start <= quote.span.start and quote.span.end <= unit.end
        for nugget in question.evidence
        for quote in nugget.spans
    )


def told(made: Drafted, desk: Desk) -> dict[str, Any]:
    """Counts and meters as plain JSON; money is told apart."""
    kept = Counter(draft.ask.kind.name for draft in made.kept)
    notes = [draft.question.extra["meta"]["draft"] for draft in made.kept if draft.question is not None]
    shares = [one["overlap"] for one in notes if one.get("overlap") is not None]
    flags = [one["bm25_trivial"] for one in notes if one.get("bm25_trivial") is not None]
    return {
        "schema": "evenhand.draft/1",
        "model": desk.plan.model,
        "kinds": {
            kind: {"wanted": n, "asked": made.asked.get(kind, 0), "kept": kept[kind]}
            for kind, n in desk.wanted.items()
        },
        "rejected": dict(sorted(Counter(draft.reason for draft in made.rejected).items())),
        "unasked": made.unasked,
        "likeness": made.likeness,
        "note": made.note,
        "overlap": {
            "median": round(median(shares), 4) if shares else None,
            "copied": sum(share >= OVERLAP for share in shares),
            "from": OVERLAP,
            "n": len(shares),
        },
        "bm25_trivial": {"k": sum(flags), "n": len(flags)},
    }


def write_rejected(path: Path, made: Drafted) -> None:
    """Every rejected draft with its reason, a line each: ``drafts.rejected.jsonl``."""
    from evenhand.formats.raw_bytes import write_bytes

    lines = []
    for draft in made.rejected:
        row = {
            "draft": draft.ask.name,
            "passages": [one.name for one in draft.ask.passages],
            "reason": draft.reason,
            "words": REASONS[draft.reason],
            "detail": draft.detail,
            "said": dict(draft.said),
        }
        text = json.dumps(row, ensure_ascii=False)
        lines.append((text if _whole(text) else json.dumps(row)) + "\n")
    write_bytes(path, "".join(lines).encode())


def _whole(text: str) -> bool:
    """Whether UTF-8 can hold it: half a surrogate pair cannot be."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def ask_drafts(
    desk: Desk, folder: Path, *, budget: float | None, deadline: float | None, progress: Progress
) -> Drafted:
    """`drafted` through the journal of the study's folder: what was paid for is not asked again."""
    from evenhand.llm.caller import Caller
    from evenhand.llm.models import ready
    from evenhand.store.calls import Calls

    ready(desk.chat)
    journal = Calls(folder / ".evenhand")
    try:
        caller = Caller(
            {DRAFTER: desk.chat},
            journal,
            concurrency=desk.plan.concurrency,
            budget=budget if budget is not None else desk.plan.budget,
            deadline=deadline if deadline is not None else desk.plan.deadline,
            progress=progress,
            stage="draft",
        )
        return drafted(desk, caller)
    finally:
        journal.close()
