"""Asking the judges of ``[answers.panel]`` to rate faithfulness: the estimate first, votes as they arrive."""

from __future__ import annotations

from pathlib import Path

import typer

__all__ = ["ask_models"]

INCOMPLETE = 4


def ask_models(source: Path, *, estimate: bool, budget: float | None) -> None:
    """Ask what has no vote yet; exit code 4 where votes are missing afterwards."""
    from evenhand.errors import InputError
    from evenhand.formats.study import read_study
    from evenhand.llm.caller import Caller
    from evenhand.llm.estimate import estimate as foresee
    from evenhand.llm.models import ready
    from evenhand.report.terminal import clean, progress
    from evenhand.store.calls import Calls
    from evenhand.study.answers_laid import laid_answers
    from evenhand.study.model_rated import faithful_bench

    file = source / "study.toml" if source.is_dir() else source
    if file.suffix != ".toml":
        raise InputError("a file of answers has no panel", mend="give the study file")
    plan = read_study(file)
    with progress() as lines, laid_answers(plan, file.parent, progress=lines) as laid:
        bench, items = faithful_bench(plan, file.parent, laid.generations())
    waiting = bench.waiting(items, bench.kept(), repeats=1, retry=True)
    journal = Calls(file.parent / ".evenhand")
    try:
        told = foresee(
            bench.requests(items, waiting), bench.chats, journal, concurrency=bench.plan.concurrency
        )
        print(f"{len(bench.judges)} judges on {len(items):,} items that cite a passage")
        for sentence in told.sentences if waiting else ("every item has its votes: nothing is asked",):
            print(f"  {clean(sentence)}")
        if estimate:
            return
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
                    stage="judge faithfulness",
                )
                for _ in bench.ask(items, waiting, caller):
                    pass
    finally:
        journal.close()
    standing = bench.standing(bench.tidy())
    failed = sum(one.outcome == "fault" for one in standing.votes)
    lacking = len(items) * len(bench.judges) - len(standing.votes) + failed
    print(f"{len(standing.votes) - failed:,} votes → {bench.file.name}")
    print(f"next: evenhand answers agree {source}")
    if lacking:
        print(f"INCOMPLETE: {lacking:,} votes are missing")
        raise typer.Exit(INCOMPLETE)
