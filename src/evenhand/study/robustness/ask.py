"""A study's panel put to the stress suite: trials from items of known grade, asked with their controls."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from evenhand.judge.panel.prompt_spec import Brief
from evenhand.judge.robustness.known_items import Base
from evenhand.judge.robustness.trial import Trial
from evenhand.judge.robustness.trials import Made
from evenhand.model.plan.sections import StressPlan
from evenhand.study.panel.ask import Spent
from evenhand.study.robustness.verdict import vote_of

if TYPE_CHECKING:
    from evenhand.llm.scheduling.caller import Caller
    from evenhand.model.call import Call, Request
    from evenhand.model.vote import Vote
    from evenhand.protocols import Progress
    from evenhand.study.panel.ask import Bench

__all__ = ["Asked", "Sheeted", "Stress"]

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
    unasked: Counter[str] = field(default_factory=Counter)  # calls that were not made, by why
    whys: dict[str, str] = field(default_factory=dict)  # why calls were not made, with figures

    @property
    def file(self) -> Path:
        """Where the votes are kept, apart from those of the panel."""
        return self.folder / self.plan.votes

    @cached_property
    def _laid(self) -> tuple[dict[str, Asked], dict[tuple[str, str, str], str]]:
        """Calls by key, and the key that answers each (sheet, trial, judge)."""
        from evenhand.store.calls.journal import call_key

        limits = {judge: self.bench.limit(judge) for judge in self.bench.judges}
        calls: dict[str, Asked] = {}
        keys: dict[tuple[str, str, str], str] = {}
        for sheet in self.sheets:
            for trial in sheet.made.trials:
                by_limit: dict[int, Request] = {}
                for limit in set(limits.values()):
                    asked = trial.request(
                        sheet.brief,
                        length=self.lengths.get(trial.shown.doc),
                        seed=self.bench.plan.settings.get("seed"),
                        max_tokens=limit,
                    )
                    if sheet is not self.sheets[0]:  # recordings tell calls apart by their task
                        asked = replace(asked, task=f"{sheet.name}:{trial.name}")
                    by_limit[limit] = asked
                for judge, model in self.bench.models.items():
                    asked = by_limit[limits[judge]]
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
        from evenhand.formats.labels.votes import read_votes

        found: dict[str, Vote] = {}
        sheets = [sheet.brief.sheet for sheet in self.sheets]
        for one in read_votes(self.file, sheets=sheets) if self.file.exists() else ():
            if one.call and (one.call not in found or one.outcome != "fault"):
                found[one.call] = one
        return found

    def faults(self) -> list[Vote]:
        """The votes of this suite whose calls failed on their way."""
        kept = self.kept()
        there = (kept[one.key] for one in self.calls if one.key in kept)
        return [one for one in there if one.outcome == "fault"]

    def waiting(self, kept: Mapping[str, Vote], *, retry: bool = False) -> list[Asked]:
        """Calls without a vote; with *retry* also those that failed on their way."""
        done = {key for key, one in kept.items() if not (retry and one.outcome == "fault")}
        return [one for one in self.calls if one.key not in done]

    def requests(self, waiting: Iterable[Asked]) -> Iterator[tuple[str, Request]]:
        """The pairs that a caller takes."""
        return ((one.judge, one.request) for one in waiting)

    def ask(self, waiting: Sequence[Asked], caller: Caller) -> Iterator[Vote]:
        """Ask, and give each vote when it is there; they are written in small groups, the last at the end."""
        from evenhand.formats.labels.votes import append_votes

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
            self.whys.update(caller.whys)

    def take(self, call: Call, asked: Asked) -> Vote | None:
        """The vote that a call brought, its cost counted; None for one that was never made."""
        self.spent.setdefault(asked.judge, Spent()).count(call)
        if call.outcome == "fault" and not call.tries:
            self.unasked[call.why] += 1
            return None
        return vote_of(call, asked, family=self.bench.families[asked.judge])

    def tidy(self) -> None:
        """Write the votes anew in their stable order, and the perturbed items beside them."""
        from evenhand.formats.labels.sort_votes import tidy_votes
        from evenhand.formats.labels.stress import write_trials

        tidy_votes(self.file)
        once = {trial.name: trial for sheet in self.sheets for trial in sheet.made.trials}
        write_trials(self.folder / self.plan.items, once.values())


def ask_all(
    stress: Stress,
    waiting: Sequence[Asked],
    *,
    budget: float | None = None,
    deadline: float | None = None,
    retry: bool = False,
    engine: str = "local",
    progress: Progress,
) -> None:
    """Ask what waits, within the budget; whatever happens, the votes that came are kept.

    *engine*: whose workers ask.
    """
    from evenhand.engine.factory import at_work
    from evenhand.llm.clients.worker_chat import sent
    from evenhand.store.calls.journal import Calls
    from evenhand.study.panel.ask import readied
    from evenhand.study.steps.model_client import caller_of

    journal = Calls(stress.folder / ".evenhand")
    try:
        with at_work(engine, paths=(stress.folder.resolve(),)) as workers:
            chats = sent(stress.bench.chats, workers)
            readied(chats.values(), "panel.judge.{}")
            caller = caller_of(
                stress.bench.plan,
                chats,
                journal,
                budget=budget,
                deadline=deadline,
                progress=progress,
                retry_failed=retry,
                stage="stress",
            )
            for _ in stress.ask(waiting, caller):
                pass
    finally:
        journal.close()
