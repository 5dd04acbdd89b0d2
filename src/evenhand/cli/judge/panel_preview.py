"""Before a panel is asked: who judges what, what it will cost, and what would be sent."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenhand.text.plural import many

if TYPE_CHECKING:
    from evenhand.cli.judge.pending_batches import PendingBatches
    from evenhand.model.label import Shown
    from evenhand.study.panel.ask import Bench
    from evenhand.study.panel.items import PanelItems

__all__ = ["Waiting", "announce", "show_first"]

Waiting = list[tuple[str, "Shown", int]]


def show_first(bench: Bench, items: PanelItems, waiting: Waiting) -> None:
    """The bytes of a request, for those who want to see what leaves the house."""
    from evenhand.report.output.terminal import clean

    if not waiting and not len(items):
        print("there is nothing to judge")
        return
    judge, shown, repeat = waiting[0] if waiting else ("", items.shown[0], 0)
    made = bench.request(shown, items, repeat=repeat, judge=judge)
    print(
        f"{many(len(waiting), 'request')} would be made; {'the first' if waiting else 'one of those made'}:"
    )
    for message in made.messages:
        print(f"--- {message.role}")
        print(clean(message.content, lines=True))
    print("--- schema of the reply")
    from json import dumps

    print(dumps(made.schema, indent=1))


def announce(bench: Bench, items: PanelItems, apart: PendingBatches, folder: Path, on: Any) -> dict[str, Any]:
    """Who judges what, the estimate, and what is left out of it because it lies in a batch."""
    from evenhand.llm.costs.estimate import estimate
    from evenhand.report.output.terminal import clean
    from evenhand.store.calls.journal import Calls
    from evenhand.study.comparison.pooling import left_out

    waiting = apart.free
    nothing = "nothing else is asked" if apart.parts else "every item has its votes: nothing is asked"
    journal = Calls(folder / ".evenhand")
    try:
        made = estimate(
            bench.requests(items, waiting), bench.chats, journal, concurrency=bench.plan.concurrency
        )
    finally:
        journal.close()

    asked = len({shown.question for shown in items.shown})
    on.print(
        f"panel of {len(bench.judges)} on {many(len(items), 'item')} of "
        f"{many(asked, 'question')}, "
        f"sheet {clean(bench.brief.sheet.name)} {bench.brief.sheet.seal[:12]}"
    )
    if gone := left_out(items.gold):
        on.print(f"  {gone}")
    for judge in bench.plan.judges:
        family = bench.families[judge.name]
        on.print(f"  {clean(judge.name)}: {clean(judge.model)}" + (f" ({clean(family)})" if family else ""))
    for line in apart.lines:
        on.print(f"  not asked again: {line}")
    for sentence in made.sentences if waiting else (nothing,):
        on.print(f"  {clean(sentence)}")
    return {
        "schema": "evenhand.panel-estimate/1",
        "sheet": bench.brief.sheet.name,
        "items": len(items),
        "questions": asked,
        "left_out": left_out(items.gold),
        "votes_to_come": len(waiting),
        "in_batches": apart.to_json(),
        **made.to_json(),
    }
