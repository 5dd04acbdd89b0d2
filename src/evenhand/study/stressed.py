"""A study's panel put to the stress suite: trials from items of known grade, asked with their controls."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenhand.errors import InputError
from evenhand.judge.ask import MAX_TOKENS
from evenhand.judge.brief import Brief, brief_of
from evenhand.judge.reply import vote
from evenhand.judge.stress_base import Base, Known, base_set, known_of
from evenhand.judge.stress_trials import Made, Trial, trials
from evenhand.judge.stress_words import vocabulary
from evenhand.model.analysis import StressPlan
from evenhand.study.panelled import Spent, bench_of

if TYPE_CHECKING:
    from evenhand.judge.stress_trials import Given
    from evenhand.llm.caller import Caller
    from evenhand.model.call import Call, Request
    from evenhand.model.label import Label
    from evenhand.model.study import Plan
    from evenhand.model.text import Corpus
    from evenhand.model.vote import Vote
    from evenhand.protocols import Progress
    from evenhand.study.panel_items import PanelItems
    from evenhand.study.panelled import Bench

__all__ = ["Asked", "Sheeted", "Stress", "stress_of"]

GROUP = 64  # votes are written in groups of so many


@dataclass(frozen=True, kw_only=True)
class Sheeted:
    """The suite under one sheet."""

    name: str
    brief: Brief
    base: Base
    made: Made


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One call of the suite: whom, what, and the trial it belongs to; ``key`` names it in the journal."""

    key: str
    judge: str
    request: Request
    trial: Trial
    brief: Brief


@dataclass(frozen=True, kw_only=True)
class Stress:
    """A panel bound to its models, the trials under each sheet, and the file that keeps the votes."""

    plan: StressPlan
    bench: Bench
    folder: Path
    sheets: tuple[Sheeted, ...]
    lengths: Mapping[str, int]
    provisional: int = 0
    spent: dict[str, Spent] = field(default_factory=dict)

    @property
    def file(self) -> Path:
        """Where the votes are kept, apart from those of the panel."""
        return self.folder / self.plan.votes

    @cached_property
    def _laid(self) -> tuple[dict[str, Asked], dict[tuple[str, str, str], str]]:
        """Calls by key, and the key that answers each (sheet, trial, judge)."""
        from evenhand.store.calls import call_key

        settings = self.bench.plan.settings
        calls: dict[str, Asked] = {}
        keys: dict[tuple[str, str, str], str] = {}
        for sheet in self.sheets:
            for trial in sheet.made.trials:
                asked = trial.request(
                    sheet.brief,
                    length=self.lengths.get(trial.shown.doc),
                    seed=settings.get("seed"),
                    max_tokens=settings.get("max_tokens", MAX_TOKENS),
                )
                if sheet is not self.sheets[0]:  # recordings tell calls apart by their task
                    asked = replace(asked, task=f"{sheet.name}:{trial.name}")
                for judge, model in self.bench.models.items():
                    key = call_key(model, asked.seal)
                    keys[sheet.name, trial.name, judge] = key
                    one = Asked(key=key, judge=judge, request=asked, trial=trial, brief=sheet.brief)
                    calls.setdefault(key, one)
        return calls, keys

    @property
    def calls(self) -> tuple[Asked, ...]:
        """Every call of the suite; judges take turns on a trial. Equal requests are one call."""
        return tuple(self._laid[0].values())

    def votes(self, sheet: Sheeted, kept: Mapping[str, Vote]) -> dict[str, dict[str, Vote]]:
        """Judge → trial → vote, of those that are there."""
        keys = self._laid[1]
        return {
            judge: {
                trial.name: kept[key]
                for trial in sheet.made.trials
                if (key := keys[sheet.name, trial.name, judge]) in kept
            }
            for judge in self.bench.judges
        }

    def kept(self) -> dict[str, Vote]:
        """The votes of the file by their call; a fault never takes the place of anything else."""
        from evenhand.formats.votes import read_votes

        found: dict[str, Vote] = {}
        for one in read_votes(self.file) if self.file.exists() else ():
            if one.call and (one.call not in found or one.outcome != "fault"):
                found[one.call] = one
        return found

    def waiting(self, kept: Mapping[str, Vote], *, retry: bool = False) -> list[Asked]:
        """Calls without a vote; with *retry* also those that failed on their way."""
        done = {key for key, one in kept.items() if not (retry and one.outcome == "fault")}
        return [one for one in self.calls if one.key not in done]

    def requests(self, waiting: Iterable[Asked]) -> Iterator[tuple[str, Request]]:
        """The pairs that a caller takes."""
        return ((one.judge, one.request) for one in waiting)

    def ask(self, waiting: Sequence[Asked], caller: Caller) -> Iterator[Vote]:
        """Ask, and give each vote when it is there; they are written in small groups, the last at the end."""
        from evenhand.formats.votes import append_votes

        by_key = {one.key: one for one in waiting}
        held: list[Vote] = []
        try:
            for call in caller.ask(self.requests(waiting), total=len(waiting)):
                made = self.take(call, by_key[call.key])
                if made is not None:
                    held.append(made)
                    yield made
                if len(held) >= GROUP:
                    append_votes(self.file, held)
                    held = []
        finally:
            append_votes(self.file, held)

    def take(self, call: Call, asked: Asked) -> Vote | None:
        """The vote that a call brought, its cost counted; None for one that was never made."""
        self.spent.setdefault(asked.judge, Spent()).count(call)
        if call.outcome == "fault" and not call.tries:
            return None
        return vote_of(call, asked, family=self.bench.families[asked.judge])

    def tidy(self) -> None:
        """Write the votes anew in their stable order, and the perturbed items beside them."""
        from evenhand.formats.stress import write_trials
        from evenhand.formats.votes import read_votes, votes_text, write_votes

        every = read_votes(self.file) if self.file.exists() else []
        if every and votes_text(every).encode() != self.file.read_bytes():
            write_votes(self.file, every)
        once = {trial.name: trial for sheet in self.sheets for trial in sheet.made.trials}
        write_trials(self.folder / self.plan.items, once.values())


def vote_of(call: Call, asked: Asked, *, family: str) -> Vote:
    """The vote, with the name of its trial, and whether the reading of the reply took what was planted.

    It did when the reply holds the planted verdict beside other text and would be read otherwise without
    it. A reply that is nothing but the planted verdict is the judge's own: it is fooled.
    """

    def read(of: Call) -> Vote:
        return vote(
            of,
            asked.brief,
            asked.trial.shown,
            judge=asked.judge,
            prompt=asked.trial.prompt(asked.brief),
            family=family,
            repeat=asked.request.repeat,
        )

    made = read(call)
    told: dict[str, Any] = {**made.told, "trial": asked.trial.name}
    plant = asked.trial.plant
    if plant and call.reply is not None and plant in call.reply.text and call.reply.text.strip() != plant:
        from evenhand.llm.reading import found

        text = call.reply.text.replace(plant, " ")
        bare = replace(call.reply, text=text, data=found(text, asked.request.schema))
        other = read(replace(call, reply=bare))
        if (other.outcome, other.grade) != (made.outcome, made.grade):
            told["hijacked"] = True
    return replace(made, told=told)


def stress_of(
    plan: Plan,
    folder: Path,
    items: PanelItems,
    *,
    stress: StressPlan | None = None,
    labels: Sequence[Label] = (),
    bench: Bench | None = None,
) -> Stress:
    """The suite for a study's panel on the items it judges; *labels* are those that lie in a store.

    Raises InputError when no item of a known grade is there.
    """
    from evenhand.formats.stress import read_given
    from evenhand.formats.study_panel import sheet_of
    from evenhand.study.calibrated import labels_of_calibration
    from evenhand.study.conduct import corpus_of

    stress = stress if stress is not None else plan.stress or StressPlan()
    bench = bench if bench is not None else bench_of(plan, folder)
    corpus = corpus_of(plan, folder, made=(folder / "results", folder / ".evenhand"))
    every = [*labels_of_calibration(plan, folder), *labels]
    given = read_given(folder / stress.texts) if stress.texts else []
    words = vocabulary(document.text[document.body :] for document in corpus)
    ranks = ranks_of(items)
    _check_given(given, items)
    made: list[Sheeted] = []
    for name in stress.sheets or (bench.plan.sheet,):
        brief = bench.brief if name == bench.plan.sheet else brief_of(sheet_of(name, folder))
        known = known_of(items.shown, every, brief, items.gold, ranks=ranks)
        base = base_set(known, n=stress.n)
        made.append(
            Sheeted(
                name=brief.sheet.name,
                brief=brief,
                base=base,
                made=trials(
                    base,
                    brief,
                    only=stress.only,
                    words=words,
                    others=others_in(corpus, items),
                    given=given,
                    repeats=stress.repeats,
                ),
            )
        )
    if not any(sheet.base.zero or sheet.base.answer for sheet in made):
        raise InputError(
            f"none of the {len(items)} items has a known grade: no labels, and no evidence in the gold set",
            mend="label some (evenhand serve), and name the file under [gold] judgements",
        )
    _once(made)
    gold = items.gold or ()
    return Stress(
        plan=stress,
        bench=bench,
        folder=folder,
        sheets=tuple(made),
        lengths=items.lengths,
        provisional=sum(question.provisional for question in gold),
    )


def _once(made: Sequence[Sheeted]) -> None:
    names = [sheet.name for sheet in made]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(
            f"[stress] sheets: two are called {twice!r}", mend="give each sheet a name of its own"
        )


def _check_given(given: Iterable[Given], items: PanelItems) -> None:
    """A supplied text for an item that is not there would be passed over in silence."""
    questions, names = {shown.question for shown in items.shown}, {shown.item for shown in items.shown}
    for one in given:
        known = questions if one.perturbation == "L1" else names
        if one.name not in known:
            what = "question" if one.perturbation == "L1" else "item"
            raise InputError(
                f"[stress] texts: {one.perturbation} is for {what} {one.name!r}, which is not judged",
                mend="evenhand judge stress STUDY.toml --needs FILE writes the items that want one",
            )


def ranks_of(items: PanelItems) -> dict[str, int]:
    """The best rank of each item in any run, where the pool is known: for near misses, never for a judge."""
    pool = items.pool
    found: dict[str, int] = {}
    if pool is not None:
        for at, rank in zip(pool.found_item.tolist(), pool.found_rank.tolist(), strict=True):
            name = pool.items[at].id
            found[name] = min(rank, found.get(name, rank))
    return found


def others_in(corpus: Corpus, items: PanelItems) -> Callable[[Known], Sequence[str]]:
    """Further text of an item's document in pieces: what comes after it, then what comes before.

    Left out: what touches evidence of the item's question, for it would add an answer.
    """
    from evenhand.corpus.sentences import Sentences

    rule = Sentences(size=400)
    cut = rule.cut(corpus) if len(corpus) else None
    by_doc: dict[str, list[tuple[int, int]]] = {}
    if cut is not None:
        for i in range(len(cut)):
            doc = str(corpus.documents[int(cut.doc[i])].id)
            by_doc.setdefault(doc, []).append((int(cut.start[i]), int(cut.end[i])))

    def others(one: Known) -> list[str]:
        shown = one.shown
        question = (
            items.gold[shown.question]
            if items.gold is not None and shown.question in items.gold.position
            else None
        )
        taken = [(shown.start, shown.end)] + [
            (quote.span.start, quote.span.end)
            for nugget in (question.evidence if question is not None else ())
            for quote in nugget.spans
            if str(quote.span.doc) == shown.doc
        ]
        free = [
            (start, end)
            for start, end in by_doc.get(shown.doc, ())
            if not any(start < stop and begin < end for begin, stop in taken)
        ]
        free.sort(key=lambda span: (span[0] < shown.end, span[0]))
        text = corpus[shown.doc].text if shown.doc in by_doc else ""
        return [text[start:end] for start, end in free]

    return others


def ask_all(
    stress: Stress,
    waiting: Sequence[Asked],
    *,
    budget: float | None = None,
    deadline: float | None = None,
    retry: bool = False,
    progress: Progress,
) -> None:
    """Ask what waits, within the budget; whatever happens, the votes that came are kept."""
    from evenhand.llm.caller import Caller
    from evenhand.llm.models import ready
    from evenhand.store.calls import Calls

    plan = stress.bench.plan
    for chat in stress.bench.chats.values():
        ready(chat)
    more = {key: plan.settings[key] for key in ("call_timeout", "tries") if key in plan.settings}
    journal = Calls(stress.folder / ".evenhand")
    try:
        caller = Caller(
            stress.bench.chats,
            journal,
            concurrency=plan.concurrency,
            budget=budget if budget is not None else plan.budget,
            deadline=deadline if deadline is not None else plan.deadline,
            progress=progress,
            retry_failed=retry,
            stage="stress",
            **more,
        )
        for _ in stress.ask(waiting, caller):
            pass
    finally:
        journal.close()
