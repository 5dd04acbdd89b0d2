"""What is known of generated items beside themselves: claims as a panel decided them, ratings by people."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from evenhand.answer.checks.abstention import did
from evenhand.answer.checks.settings import settings_of
from evenhand.answer.claims.claims import asked
from evenhand.answer.claims.pairs import pairs_of
from evenhand.judge.panel.majority import decisions
from evenhand.judge.panel.prompt_spec import brief_named
from evenhand.study.generation.requests import plan_of
from evenhand.study.panel.ask import Bench, is_local
from evenhand.study.panel.items import PanelItems

if TYPE_CHECKING:
    from pathlib import Path

    from evenhand.model.answer import Generation
    from evenhand.model.gold import GoldSet
    from evenhand.model.label import Shown
    from evenhand.model.plan.sections import AnswersPlan
    from evenhand.model.plan.study import Plan
    from evenhand.study.comparison.steps import Table
    from evenhand.study.steps.loop import Artifacts

__all__ = ["claim_bench", "claim_items", "claims_said", "ratings_elsewhere", "ratings_of"]


def claim_bench(plan: Plan, folder: Path) -> Bench | None:
    """The panel of ``[answers.panel]`` under the sheet on claims; None where there is none."""
    panel = plan_of(plan).panel
    if panel is None:
        return None
    from evenhand.study.panel.ask import chats_of, versioned

    return Bench(
        plan=panel,
        brief=versioned(brief_named("claim"), panel.settings, folder / panel.votes),
        chats=chats_of(panel.judges, folder, section="answers.panel"),
        file=folder / panel.votes,
    )


def claim_items(
    generations: Iterable[Generation], gold: GoldSet, plan: AnswersPlan, *, spans: str
) -> PanelItems:
    """Every claim with the text it is held against, each once; claims of one question belong together."""
    settings = settings_of({k: v for k, v in plan.checks.items() if k != "only"})
    known = {str(one.id): one for one in gold}
    found: dict[str, Shown] = {}
    clusters: dict[str, str] = {}
    for one in generations:
        if not one.passages and not one.items:
            continue
        shown = [pair.shown for pair in asked(one, settings=settings)] if one.passages else []
        pairs = None
        if plan.kind == "answers" and one.topic in known and _answers(one):
            pairs = pairs_of(one, known[one.topic], spans=spans)
        for each in [*shown, *(pairs.shown() if pairs is not None else ())]:
            found.setdefault(each.item, each)
            clusters[each.question] = one.topic
    return PanelItems(shown=tuple(found.values()), clusters=clusters)


def _answers(one: Generation) -> bool:
    return bool(one.items) and did(one.items[0]).what == "answered"


def claims_said(table: Table, larder: Artifacts, generations: Sequence[Generation]) -> dict[str, Any] | None:
    """What the panel of claims came to: its decisions, and how many votes are there; None without one.

    Recordings and programs are asked here; nobody who could cost money.
    """
    bench = claim_bench(table.plan, table.folder)
    if bench is None:
        return None
    plan, gold = plan_of(table.plan), larder["gold"]
    items = claim_items(generations, gold, plan, spans=gold.spans)
    local = {judge.name for judge in bench.plan.judges if is_local(judge.model)}
    waiting = [one for one in bench.waiting(items, bench.kept(), repeats=1) if one[0] in local]
    if waiting:
        from evenhand.store.calls.journal import Calls
        from evenhand.study.steps.model_client import caller_of

        journal = Calls(table.blobs.root)
        try:
            caller = caller_of(
                bench.plan,
                bench.chats,
                journal,
                progress=table.progress,
                retry_failed=False,
                stage="judge claims",
            )
            for _ in bench.ask(items, waiting, caller):
                pass
        finally:
            journal.close()
        bench.tidy()
    return said_of(bench, items)


def said_of(bench: Bench, items: PanelItems) -> dict[str, Any]:
    """Decisions as grades by item, the votes behind them, and how many are missing."""
    from evenhand.formats.labels.write_votes import vote_json

    standing = bench.standing(bench.kept())
    there = {shown.item for shown in items.shown}
    votes = [one for one in standing.votes if one.item in there]
    made = decisions(votes, bench.brief, judges=bench.judges)
    failed = sum(one.outcome == "fault" for one in votes)
    wanted = len(items) * len(bench.judges)
    return {
        "judges": [
            {"judge": one.name, "model": one.model, "family": bench.families[one.name]}
            for one in bench.plan.judges
        ],
        "grades": {one.item: one.grade for one in made},
        "items": len(items),
        "asked": wanted,
        "missing": wanted - len({(v.judge, v.item) for v in votes}),
        "failed": failed,
        "votes": [vote_json(one) for one in votes],
    }


def ratings_elsewhere(table: Table, generations: Sequence[Generation]) -> int:
    """How many ratings in the file of the plan are of items that are not among these: they do not count."""
    from evenhand.formats.labels.ratings import read_ratings

    file = table.folder / plan_of(table.plan).ratings
    there = {item.id for one in generations for item in one.items}
    return sum(one.item not in there for one in read_ratings(file)) if file.is_file() else 0


def ratings_of(table: Table, generations: Sequence[Generation]) -> list[dict[str, Any]]:
    """The ratings of these items as plain rows: of people in the file of the plan, of models that rated."""
    from evenhand.formats.labels.ratings import rating_json, read_ratings
    from evenhand.study.generation.model_ratings import ratings_of_models

    file = table.folder / plan_of(table.plan).ratings
    every = read_ratings(file) if file.is_file() else []
    every += ratings_of_models(table.plan, table.folder, generations)
    there = {item.id for one in generations for item in one.items}
    return [rating_json(one) for one in every if one.item in there]
