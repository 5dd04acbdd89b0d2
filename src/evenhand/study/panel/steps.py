"""A panel in a study run: votes that are there are used; judges that cost nothing are asked, others never."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import TYPE_CHECKING, Any

from evenhand.study.panel.items import OF, PanelItems, items_of_runs
from evenhand.study.steps.code_fingerprint import code_seal
from evenhand.study.steps.loop import Artifacts, Step
from evenhand.study.steps.serialize import json_form
from evenhand.text.plural import verb

if TYPE_CHECKING:
    from evenhand.model.label import Label
    from evenhand.study.comparison.steps import Table
    from evenhand.study.panel.ask import Bench

__all__ = ["VOTES", "items_in", "panel_labels", "panel_warnings", "votes_missing", "votes_step"]

VOTES = "votes"  # what the larder calls them


def votes_step(table: Table) -> Step:
    """The step that reads the votes of ``[panel]``; done on every run, since their file may have grown."""

    def work(larder: Artifacts) -> dict[str, Any]:
        return _told(table, larder)

    return Step(
        makes=VOTES,
        needs=("questions", "gold", *(f"run/{one.name}" for one in table.field)),
        work=work,
        code=code_seal("judge", "labelling", "study"),
        form=json_form(),
        anew=True,
    )


def items_in(table: Table, larder: Artifacts) -> PanelItems:
    """What the panel of a study judges, from what the run has made already."""
    panel = table.plan.panel
    assert panel is not None  # noqa: S101 - there is a step only then
    if panel.of != "pool":
        made: PanelItems = import_module(OF[panel.of]).panel_items_in(table, larder)
        return made
    wanted = panel.settings.get("systems") or [one.name for one in table.field if not one.system.null]
    runs = [larder[f"run/{one.name}"] for one in table.field if one.name in wanted]
    return items_of_runs(runs, larder["questions"], larder["corpus"], larder["gold"], depth=panel.depth)


def _told(table: Table, larder: Artifacts) -> dict[str, Any]:
    from evenhand.formats.labels.judgements import label_json
    from evenhand.judge.panel.labels import qrel_labels
    from evenhand.study.panel.ask import bench_of
    from evenhand.study.panel.author_families import families_at_work
    from evenhand.study.panel.section import panel_told

    bench, items = bench_of(table.plan, table.folder), items_in(table, larder)
    _ask_local(table, bench, items)
    standing = bench.standing(bench.kept())
    options: dict[str, Any] = {"level": table.plan.compare.level, "seed": table.plan.seed}
    told = panel_told(bench, items, standing, kin=families_at_work(table.plan, items.gold), **options)
    made = bench.decisions(standing.votes, items)
    return {
        "labels": [label_json(one) for one in qrel_labels(made, bench.brief)],
        "votes": told["votes"],
        "decided": told["decided"],
        "warnings": told["warnings"],
    }


def _ask_local(table: Table, bench: Bench, items: PanelItems) -> None:
    """Ask recordings and programs here for what has no vote yet; nobody who could cost money."""
    from evenhand.study.panel.ask import is_local

    local = {judge.name for judge in bench.plan.judges if is_local(judge.model)}
    waiting = [one for one in bench.waiting(items, bench.kept(), repeats=1) if one[0] in local]
    if not waiting:
        return
    from evenhand.store.calls.journal import Calls
    from evenhand.study.steps.model_client import caller_of

    journal = Calls(table.blobs.root)
    try:
        caller = caller_of(
            bench.plan, bench.chats, journal, progress=table.progress, retry_failed=False, stage="judge"
        )
        for _ in bench.ask(items, waiting, caller):
            pass
    finally:
        journal.close()
    bench.tidy()


def panel_labels(table: Table, larder: Artifacts) -> list[Label]:
    """The panel's labels as grades of qrels."""
    from evenhand.formats.labels.judgements import label_of

    if table.plan.panel is None:
        return []
    return [label_of(row, "votes") for row in larder[VOTES]["labels"]]


def panel_warnings(table: Table, larder: Artifacts) -> Iterator[tuple[str, int, str]]:
    """Warnings (kind, count, text) on the panel of a study."""
    if table.plan.panel is None:
        return
    told = larder[VOTES]
    for one in told["warnings"]:
        yield f"panel: {one['kind']}", int(one["count"]), one["text"]
    if waits := told["decided"]["status"].get("undecided", 0):
        they = verb(waits, "an item has", "items have")
        yield (
            "panel undecided",
            waits,
            f"{they} no decision of the panel, and no grade of it: people decide",
        )


def votes_missing(table: Table, larder: Artifacts) -> int:
    """How many votes the study still lacks: never asked for, or failed on their way."""
    if table.plan.panel is None:
        return 0
    votes = larder[VOTES]["votes"]
    return int(votes["missing"]) + int(votes["failed"])
