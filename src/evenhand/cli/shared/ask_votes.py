"""Asking the judges of a bench about generated items: the estimate first, votes as they arrive."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evenhand.llm.costs.estimate import Estimate
    from evenhand.study.panel.ask import Bench
    from evenhand.study.panel.items import PanelItems

__all__ = ["ask_votes"]


def ask_votes(
    bench: Bench,
    items: PanelItems,
    folder: Path,
    *,
    estimate: bool,
    budget: float | None,
    stage: str,
    about: tuple[str, str],
    say: Callable[[str], None],
    engine: str,
    section: str = "answers.panel.judge.{}",
) -> Estimate:
    """Say what it takes and, unless only the *estimate* is wanted, ask what has no vote yet.

    ``about``: what is judged, and the sentence for when every vote is there. ``engine``: whose workers ask.
    ``section``: where the study file says who a judge is.
    """
    from evenhand.engine.factory import at_work
    from evenhand.llm.clients.worker_chat import sent
    from evenhand.llm.costs.estimate import estimate as foresee
    from evenhand.report.output.terminal import clean, progress
    from evenhand.store.calls.journal import Calls
    from evenhand.study.panel.ask import readied
    from evenhand.study.steps.model_client import caller_of
    from evenhand.study.steps.model_costs import spent_words

    what, nothing = about
    waiting = bench.waiting(items, bench.kept(), repeats=1, retry=True)
    journal = Calls(folder / ".evenhand")
    try:
        asked = bench.requests(items, waiting)
        made = foresee(asked, bench.chats, journal, concurrency=bench.plan.concurrency)
        say(what)
        for sentence in made.sentences if waiting else (nothing,):
            say(f"  {clean(sentence)}")
        if waiting and not estimate:
            with at_work(engine, paths=(folder.resolve(),)) as workers, progress() as lines:
                chats = sent(bench.chats, workers)
                readied(chats.values(), section)
                caller = caller_of(bench.plan, chats, journal, budget=budget, progress=lines, stage=stage)
                for _ in bench.ask(items, waiting, caller):
                    pass
    finally:
        journal.close()
    for name, spent in bench.spent.items():
        say(f"spent on {clean(name)}: {spent_words(spent.to_json())}")
    for why in bench.whys.values():
        say(clean(why))
    return made
