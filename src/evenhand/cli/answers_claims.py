"""Asking the panel of ``[answers.panel]`` about claims: the estimate first, votes as they arrive."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["ask_claims"]


def ask_claims(source: Path, *, estimate: bool, budget: float | None, json: bool, on: Console) -> bool:
    """Ask what has no vote yet; whether all votes are there afterwards."""
    from evenhand.formats.study import read_study
    from evenhand.llm.caller import Caller
    from evenhand.llm.estimate import estimate as foresee
    from evenhand.llm.models import ready
    from evenhand.report.terminal import clean, progress
    from evenhand.store.calls import Calls
    from evenhand.study.answers_laid import laid_answers

    file = source / "study.toml" if source.is_dir() else source
    with progress() as lines, laid_answers(read_study(file), file.parent, progress=lines) as laid:
        bench, items = laid.claims()
    waiting = bench.waiting(items, bench.kept(), repeats=1, retry=True)
    journal = Calls(file.parent / ".evenhand")
    try:
        made = foresee(
            bench.requests(items, waiting), bench.chats, journal, concurrency=bench.plan.concurrency
        )
        on.print(f"panel of {len(bench.judges)} on {len(items):,} pairs of a claim and a text")
        for sentence in made.sentences if waiting else ("every pair has its votes: nothing is asked",):
            on.print(f"  {clean(sentence)}")
        if estimate:
            if json:
                from evenhand.report.build import dumps

                told = {"schema": "evenhand.claims-estimate/1", "items": len(items), **made.to_json()}
                print(dumps(told).decode(), end="")
            return True
        if waiting:
            for chat in bench.chats.values():
                ready(chat)
            with progress() as lines:
                caller = Caller(
                    bench.chats,
                    journal,
                    concurrency=bench.plan.concurrency,
                    budget=budget if budget is not None else bench.plan.budget,
                    deadline=bench.plan.deadline,
                    progress=lines,
                    stage="judge claims",
                )
                for _ in bench.ask(items, waiting, caller):
                    pass
    finally:
        journal.close()
    bench.tidy()
    said = laid.said(bench, items)
    lacking = said["missing"] + said["failed"]
    if lacking:
        on.print(f"INCOMPLETE: {lacking:,} of {said['asked']:,} votes on claims are missing", style="bold")
    return not lacking
