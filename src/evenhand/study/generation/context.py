"""A study as far as its generated answers need it: passages to ask with, or the whole section told."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenhand.errors import InputError
from evenhand.protocols import Progress, quiet
from evenhand.study.generation.ask import is_file
from evenhand.study.generation.claims_and_ratings import claim_bench, claim_items, said_of
from evenhand.study.generation.generations import at_work, gathered
from evenhand.study.generation.requests import asks_in, plan_of, runs_of
from evenhand.study.steps.loop import Artifacts, Step, perform

if TYPE_CHECKING:
    from evenhand.answer.generation.requests import Ask
    from evenhand.model.answer import Generation
    from evenhand.model.plan.study import Plan
    from evenhand.study.comparison.steps import Table
    from evenhand.study.generation.ask import Writing
    from evenhand.study.generation.custom_system import Bringing
    from evenhand.study.panel.ask import Bench
    from evenhand.study.panel.items import PanelItems

__all__ = ["Laid", "laid_answers"]

PART = "part/answers"


@dataclass(frozen=True)
class Laid:
    """A study's table of steps and larder; what is asked for is made, and nothing else."""

    table: Table
    larder: Artifacts

    def make(self, *names: str) -> None:
        """Do the steps that *names* need, in their order."""
        every = list(self.table.steps())
        makers = {step.makes: step for step in every}
        wanted: set[str] = set()

        def want(name: str) -> None:
            if name in makers and name not in wanted:
                wanted.add(name)
                for other in makers[name].needs:
                    want(other)

        for name in names:
            want(name)
        todo: list[Step] = [
            step for step in every if step.makes in wanted and step.makes not in self.larder.seals
        ]
        perform(todo, self.table.blobs, self.larder)

    @cached_property
    def asks(self) -> tuple[Ask, ...]:
        """Everything that is asked, with its passages."""
        self.make(*runs_of(self.table))
        return asks_in(self.table, self.larder)

    @cached_property
    def working(self) -> Writing | Bringing:
        """Whoever answers; a file of outputs is not asked."""
        plan = plan_of(self.table.plan)
        if is_file(plan):
            raise InputError(
                f"[answers] from: {plan.source} holds what was answered already",
                mend="evenhand answers check and evenhand run take it in; model = … is what is asked",
            )
        return at_work(self.table.plan, self.table.folder, self.asks)

    def generations(self) -> list[Generation]:
        """Those that count now; recordings, programs and functions are asked, nobody who could cost money."""
        return gathered(self.table, self.asks)[0]

    def part(self) -> dict[str, Any]:
        """The section of the report."""
        self.make(PART)
        return dict(self.larder[PART])

    def claims(self) -> tuple[Bench, PanelItems]:
        """The panel of claims and what it is asked; InputError where the study has none."""
        bench = claim_bench(self.table.plan, self.table.folder)
        if bench is None:
            raise InputError(
                "the study has no [answers.panel]", mend="add [answers.panel.judge.NAME], once for each judge"
            )
        gold = self.larder["gold"]
        return bench, claim_items(self.generations(), gold, plan_of(self.table.plan), spans=gold.spans)

    @staticmethod
    def said(bench: Bench, items: PanelItems) -> dict[str, Any]:
        """What a panel of claims came to."""
        return said_of(bench, items)


@contextmanager
def laid_answers(plan: Plan, folder: Path, *, progress: Progress = quiet) -> Iterator[Laid]:
    """A study with an ``[answers]``, its guests importable as long as this is open."""
    from evenhand.store.blobs import Blobs
    from evenhand.study.comparison.run import importable, laid

    plan_of(plan)
    blobs = Blobs(folder / ".evenhand")
    with importable(folder):
        table, larder = laid(plan, folder, folder / "results", blobs, progress)
        yield Laid(table, larder)
