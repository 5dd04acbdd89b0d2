"""``evenhand judge panel``: ask the models of a study's panel, and say what they came to."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from evenhand.cli.judge.panel_batch import Left, by_batch
from evenhand.cli.judge.panel_preview import announce, show_first
from evenhand.cli.judge.pending_batches import give_up as stop_waiting
from evenhand.cli.judge.pending_batches import lying
from evenhand.cli.judge.pool import DEFAULT, Where
from evenhand.cli.shared import argument_limits
from evenhand.cli.shared.error_location import places_errors
from evenhand.cli.shared.live_progress import watched
from evenhand.cli.shared.rerun_hint import again

if TYPE_CHECKING:
    from evenhand.model.label import Label
    from evenhand.model.plan.study import Plan
    from evenhand.study.panel.ask import Bench
    from evenhand.study.panel.items import PanelItems

__all__ = ["panel"]

INCOMPLETE = 4


@places_errors
def panel(  # noqa: PLR0917 - typer makes options of them
    study: Annotated[Path, typer.Argument(help="The study file, with a [panel].", metavar="STUDY.toml")],
    pool: Annotated[
        str,
        typer.Option("--pool", help="Judge this pool of a store instead (name, or beginning of its seal)."),
    ] = "",
    store: Where = DEFAULT,
    estimate: Annotated[
        bool, typer.Option("--estimate", help="Say what it would cost, and ask nothing.")
    ] = False,
    dry: Annotated[
        bool,
        typer.Option("--dry-run", help="Print the first request exactly as it would be sent; ask nothing."),
    ] = False,
    budget: Annotated[
        float | None,
        typer.Option(
            callback=argument_limits.budget,
            help="The most to be spent now, in US dollars; default: [panel] budget.",
        ),
    ] = None,
    deadline: Annotated[
        float | None,
        typer.Option(
            callback=argument_limits.deadline, help="The most seconds to be taken; default: [panel] deadline."
        ),
    ] = None,
    retry: Annotated[
        bool, typer.Option("--retry-failed", help="Ask again what failed on its way (and nothing else).")
    ] = False,
    repeats: Annotated[
        int | None, typer.Option(help="Ask each item so many times, to see the judges' noise.")
    ] = None,
    emit: Annotated[
        Path | None,
        typer.Option(
            "--emit-batch",
            help="Write what would be asked to FILE-JUDGE.jsonl, for offline runners; ask nothing.",
            metavar="FILE",
        ),
    ] = None,
    collect: Annotated[
        list[Path] | None,
        typer.Option(
            "--collect", help="Take in what a runner made of an emitted file (repeatable).", metavar="FILE"
        ),
    ] = None,
    batch: Annotated[
        bool,
        typer.Option(
            "--batch", help="Collect batches that have ended, hand the rest in as batches (half the price)."
        ),
    ] = False,
    give_up: Annotated[
        list[str] | None,
        typer.Option(
            "--give-up-batch",
            help="Wait no longer for the batches of this judge, handed in or emitted (repeatable): what they "
            "hold is asked like all else. What was handed in may be charged all the same.",
            metavar="JUDGE",
        ),
    ] = None,
    people: Annotated[
        str,
        typer.Option(
            "--people",
            help="Keep what people have to decide as a pool of this name in the store.",
            metavar="NAME",
        ),
    ] = "",
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    engine: Annotated[
        str | None,
        typer.Option(
            "--engine",
            help="Whose workers ask the models, with keys of their own environment: local, dask://HOST:PORT, "
            "ray://HOST:PORT. Default: the study's engine.",
            metavar="ENGINE",
        ),
    ] = None,
) -> None:
    """Ask each judge of a panel about each item, blind; votes are kept as they arrive.

    The estimate is printed first. What has a vote is not asked again, and what was paid for is not paid for
    again: stopped in any way, the command goes on where it was. What lies in a batch under way is left out.
    Exit code 4: votes are missing, or no reply holds a verdict.
    """
    from evenhand.formats.study_file.read import read_study
    from evenhand.report.output.terminal import console
    from evenhand.study.comparison.run import importable

    if (estimate or dry) and (emit is not None or collect or batch or give_up):
        from evenhand.errors import InputError

        raise InputError(
            f"{'--estimate' if estimate else '--dry-run'} asks nothing and takes nothing in",
            mend="leave it out, or leave --emit-batch, --collect, --batch and --give-up-batch out",
        )
    file = study / "study.toml" if study.is_dir() else study
    plan = read_study(file)
    on = console(json=json)
    with importable(file.parent):
        bench, items = _laid(plan, file.parent, pool=pool, store=store)
        times = repeats if repeats is not None else bench.plan.repeats
        if times < 1:
            from evenhand.errors import InputError

            raise InputError(f"repeats = {times} cannot be used", mend="give a number from 1")
        same = partial(
            again,
            "judge",
            "panel",
            file,
            budget=budget,
            deadline=deadline,
            repeats=repeats,
            pool=pool,
            people=people,
            store=store if store != DEFAULT and (pool or people) else "",
            engine=engine,
        )
        if give_up:
            stop_waiting(bench, give_up, file.parent, on)
        waiting = bench.waiting(items, bench.kept(), repeats=times, retry=retry)
        apart = lying(bench, items, waiting, file.parent)
        if dry:
            show_first(bench, items, apart.free)
            return
        told = announce(bench, items, apart, file.parent, on)
        if estimate:
            for way in apart.ways(same):
                on.print(f"    {way}", soft_wrap=True)
            if json:
                _print_json(told)
            return
        most = budget if budget is not None else bench.plan.budget
        left = Left(waiting=apart.free, budget=most)
        if emit is not None or collect or batch:
            left = by_batch(
                bench,
                items,
                waiting,
                file.parent,
                emit=emit,
                collect=collect or (),
                batch=batch,
                budget=most,
                same=same,
                on=on,
            )
        if emit is not None:
            return
        if left.waiting:
            _ask(plan, file, bench, items, left, deadline=deadline, engine=engine, command=same(batch=batch))
        _conclude(
            plan,
            file,
            bench,
            items,
            times=times,
            people=people,
            store=store,
            json=json,
            same=partial(same, batch=batch),
            on=on,
        )


def _laid(plan: Plan, folder: Path, *, pool: str, store: str) -> tuple[Bench, PanelItems]:
    from evenhand.study.panel.ask import bench_of
    from evenhand.study.panel.items import items_of_plan, items_of_pool

    bench = bench_of(plan, folder)
    if pool:
        from evenhand.cli.judge.commands import pool_named
        from evenhand.store.open import open_store

        kept = open_store(store)
        try:
            return bench, items_of_pool(kept, pool_named(kept, pool).seal)
        finally:
            kept.close()
    from evenhand.report.output.terminal import progress

    with progress() as lines:
        return bench, items_of_plan(plan, folder, progress=lines)


def _ask(
    plan: Plan,
    file: Path,
    bench: Bench,
    items: PanelItems,
    left: Left,
    *,
    deadline: float | None,
    engine: str | None,
    command: str,
) -> None:
    from evenhand.engine.factory import at_work
    from evenhand.llm.clients.worker_chat import sent
    from evenhand.store.calls.journal import Calls
    from evenhand.study.panel.ask import readied
    from evenhand.study.steps.model_client import caller_of

    journal = Calls(file.parent / ".evenhand")
    where = plan.engine if engine is None else engine
    try:
        with (
            at_work(where, paths=(file.parent.resolve(),)) as workers,
            watched(plan, file.parent, command=command, what="judge panel") as lines,
        ):
            chats = sent(bench.chats, workers)
            readied(chats.values(), "panel.judge.{}")
            caller = caller_of(
                bench.plan,
                chats,
                journal,
                budget=left.budget,
                deadline=deadline,
                progress=lines,
                retry_failed=True,  # what has a vote, and be it a failed one, is not among those waiting
                stage="judge",
            )
            for _ in bench.ask(items, left.waiting, caller):
                pass
    finally:
        journal.close()


def _conclude(
    plan: Plan,
    file: Path,
    bench: Bench,
    items: PanelItems,
    *,
    times: int,
    people: str,
    store: str,
    json: bool,
    same: Callable[..., str],
    on: Any,
) -> None:
    from evenhand.study.panel.author_families import families_at_work
    from evenhand.study.panel.section import panel_told

    standing = bench.standing(bench.tidy())
    apart = lying(bench, items, bench.waiting(items, standing.votes, repeats=times), file.parent)
    told = panel_told(
        bench,
        items,
        standing,
        people=_people(plan, file.parent),
        kin=families_at_work(plan, items.gold),
        repeats=times,
        level=plan.compare.level,
        seed=plan.seed,
    )
    told["in_batches"] = apart.to_json()
    there = {shown.item for shown in items.shown}
    told["failures"] = bench.failures(
        one for one in standing.votes if one.outcome == "fault" and one.item in there and one.repeat < times
    )
    if people:
        told["for_people"]["pool"] = _keep(bench, items, standing.votes, people, store)
    if json:
        _print_json(told)
    else:
        from evenhand.cli.judge.panel_output import say

        say(
            told,
            apart=apart,
            same=same,
            sheet=_sheet(plan, file.parent),
            votes=bench.file,
            store=store,
            on=on,
        )
    said = sum(row["outcomes"].get("verdict", 0) for row in told["judges"])
    if told["votes"]["there"] and not said:
        on.print("no reply holds a verdict: nothing was judged", style="bold")
    if not told["complete"] or (told["votes"]["there"] and not said):
        raise typer.Exit(INCOMPLETE)


def _sheet(plan: Plan, folder: Path) -> str:
    """The panel's sheet as `judge assign` takes it."""
    named = plan.panel.sheet if plan.panel is not None else ""
    return str(folder / named) if named.endswith(".toml") else named


def _people(plan: Plan, folder: Path) -> list[Label]:
    from evenhand.study.comparison.judgements import labels_of_plan

    found = labels_of_plan(plan, folder)
    return found[1] if found is not None else []


def _keep(bench: Bench, items: PanelItems, votes: Any, name: str, store: str) -> dict[str, Any]:
    """The undecided and split items as a pool of the store, for a desk."""
    from evenhand.cli.judge.commands import name_of_pool
    from evenhand.store.clock import now
    from evenhand.store.open import open_store
    from evenhand.study.panel.items import pool_for_people

    made, texts = pool_for_people(items, bench.decisions(votes, items), name=name)
    if not len(made):
        return {"name": name, "items": 0}
    kept = open_store(store)
    try:
        seal = kept.add_pool(made, texts, at=now())
        found_by = name_of_pool(kept, seal)
    finally:
        kept.close()
    return {"name": name, "seal": seal, "found_by": found_by, "items": len(made)}


def _print_json(told: dict[str, Any]) -> None:
    from evenhand.report.output.assemble import dumps

    print(dumps(told).decode(), end="")
