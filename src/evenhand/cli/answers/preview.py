"""Before a generator is asked: who is asked what, what it will cost, and what would be sent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evenhand.text.plural import many, noun

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from rich.console import Console

    from evenhand.study.generation.ask import Job, Standing, Writing
    from evenhand.study.generation.custom_system import Bringing

__all__ = ["announce", "show_first"]


def show_first(working: Writing | Bringing, waiting: Sequence[Job]) -> None:
    """The words of a request, for those who want to see what leaves the house."""
    from json import dumps

    from evenhand.report.output.terminal import clean
    from evenhand.study.generation.ask import Writing

    jobs = waiting or working.jobs
    if not jobs:
        print("there is nothing to ask")
        return
    print(
        f"{many(len(waiting), 'request')} would be made; {'the first' if waiting else 'one of those made'}:"
    )
    if not isinstance(working, Writing):
        print(clean(jobs[0].ask.ask))
        for passage in jobs[0].ask.passages:
            print(clean(f"--- passage {passage.marker}\n{passage.text}", lines=True))
        return
    made = working.request(jobs[0].ask, jobs[0].template)
    for message in made.messages:
        print(f"--- {message.role}")
        print(clean(message.content, lines=True))
    print("--- schema of the reply")
    print(dumps(made.schema, indent=1))


def announce(
    working: Writing | Bringing, waiting: Sequence[Job], standing: Standing, folder: Path, on: Console
) -> dict[str, Any]:
    """What is asked of whom, and the estimate."""
    from evenhand.report.output.terminal import clean
    from evenhand.study.generation.ask import WRITER, Writing

    plan = working.plan
    what = "questions" if plan.kind == "answers" else "topics"
    of = (
        f", {plan.multiple_choice + plan.short_answer} "
        f"{noun(plan.multiple_choice + plan.short_answer, 'item')} each"
        if plan.kind == "study-items"
        else ""
    )
    on.print(
        f"{len(working.asks):,} {what}{of}, the first {plan.k} {noun(plan.k, 'passage')} of "
        f"{clean(plan.system or 'nobody')}" + (", and once more without passages" if plan.closed_book else "")
    )
    told: dict[str, Any] = {
        "schema": "evenhand.answers-estimate/1",
        "asked": len(working.jobs),
        "there": len(standing.made) - len(standing.failed),
        "failed": len(standing.failed),
        "to_come": len(waiting),
    }
    if not isinstance(working, Writing):
        on.print(f"  {clean(plan.source)}: {len(waiting):,} to be asked; what it costs is not known")
        return told
    from evenhand.llm.costs.estimate import estimate
    from evenhand.store.calls.journal import Calls

    journal = Calls(folder / ".evenhand")
    try:
        made = estimate(
            working.requests(waiting), {WRITER: working.chat}, journal, concurrency=plan.concurrency
        )
    finally:
        journal.close()
    for sentence in made.sentences if waiting else ("everything is there: nothing is asked",):
        on.print(f"  {clean(sentence)}")
    return {**told, **made.to_json()}
