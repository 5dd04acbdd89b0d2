"""``evenhand judge stress``: put a study's panel to texts that must not change what it says."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from evenhand.cli.judge.pool import DEFAULT, Where
from evenhand.cli.shared import argument_limits
from evenhand.cli.shared.error_location import places_errors
from evenhand.cli.shared.rerun_hint import again
from evenhand.text.plural import many

if TYPE_CHECKING:
    from rich.console import Console

    from evenhand.model.label import Label
    from evenhand.model.plan.study import Plan
    from evenhand.study.robustness.ask import Asked, Stress

__all__ = ["stress"]

INCOMPLETE = 4


@places_errors
def stress(  # noqa: PLR0917 - typer makes options of them
    study: Annotated[Path, typer.Argument(help="The study file, with a [panel].", metavar="STUDY.toml")],
    only: Annotated[
        list[str] | None,
        typer.Option("--only", help="This perturbation alone: K1, I2 … (repeatable); default: all."),
    ] = None,
    n: Annotated[
        int | None, typer.Option("-n", help="Items of grade 0, and items that answer; default: 50 of each.")
    ] = None,
    pool: Annotated[
        str, typer.Option("--pool", help="People's labels of this pool of the store count too (its name).")
    ] = "",
    store: Where = DEFAULT,
    estimate: Annotated[
        bool, typer.Option("--estimate", help="Say what it would cost, and ask nothing.")
    ] = False,
    needs: Annotated[
        Path | None,
        typer.Option(
            "--needs", help="Write what wants a text of yours (R2, V2, L1) to a new file, and ask nothing."
        ),
    ] = None,
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
    suite: Annotated[
        str,
        typer.Option("--suite", help="The version of the suite; default: [stress] suite, else the newest."),
    ] = "",
    retry: Annotated[
        bool, typer.Option("--retry-failed", help="Ask again what failed on its way (and nothing else).")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Try to fool the judges of a panel, and see what moves them: perturbations with controls.

    The estimate is printed first; what was asked is not asked again. The result is stress.json beside the
    votes; how gullible the panel is goes to its lines of trust. Exit code 1: more gullible than the study
    allows; 4: replies are missing, or that cannot be decided.
    """
    from evenhand.formats.study_file.read import read_study
    from evenhand.report.output.terminal import console, progress
    from evenhand.study.comparison.run import importable
    from evenhand.study.panel.items import items_of_plan
    from evenhand.study.robustness.ask import ask_all
    from evenhand.study.robustness.section import held, told, write_stress
    from evenhand.study.robustness.trials import stress_of

    file = study / "study.toml" if study.is_dir() else study
    plan = read_study(file)
    wanted = _wanted(plan, only or (), n, suite)
    on = console(json=json)
    with importable(file.parent):
        with progress() as lines:
            items = items_of_plan(plan, file.parent, progress=lines)
        made = stress_of(plan, file.parent, items, stress=wanted, labels=_labels(pool, store))
        if needs is not None:
            _write_needs(made, needs)
            return
        waiting = made.waiting(made.kept(), retry=retry)
        foreseen = _announce(made, waiting, on)
        if estimate:
            if json:
                _print_json({"schema": "evenhand.stress-estimate/1", **foreseen})
            return
        if waiting:
            with progress() as lines:
                ask_all(
                    made,
                    waiting,
                    budget=budget,
                    deadline=deadline,
                    retry=retry,
                    engine=plan.engine,
                    progress=lines,
                )
        made.tidy()
        found = told(made, level=plan.compare.level)
        result = write_stress(made, found)
        against = held(plan, found)
        if json:
            unasked = dict(sorted(made.unasked.items()))
            _print_json({**found, "unasked": unasked, "trust": against["lines"]})
        else:
            from evenhand.cli.judge.stress_output import say

            same = partial(
                again,
                "judge",
                "stress",
                file,
                only=only,
                n=n,
                suite=suite,
                budget=budget,
                deadline=deadline,
                pool=pool,
                store=store if pool and store != DEFAULT else "",
            )
            say(found, made=made, same=same, result=result, lines=against["lines"], on=on)
    if code := against["exit"] if found["complete"] else INCOMPLETE:
        raise typer.Exit(code)


def _wanted(plan: Plan, only: Any, n: int | None, suite: str) -> Any:
    from evenhand.errors import InputError
    from evenhand.judge.robustness.suite import VERSION, chosen
    from evenhand.model.plan.sections import StressPlan

    made = plan.stress or StressPlan()
    made = replace(made, suite=suite) if suite else made
    version = made.suite or VERSION
    wanted = chosen(only or made.only, suite=version)  # or which one it does not have
    if only:
        made = replace(made, only=tuple(one.id for one in wanted))
    if n is not None:
        if n < 1:
            raise InputError(f"-n {n} cannot be used", mend="give a number from 1")
        made = replace(made, n=n)
    return made


def _labels(pool: str, store: str) -> list[Label]:
    """What people said of a pool of the store."""
    if not pool:
        return []
    from evenhand.cli.judge.commands import pool_named
    from evenhand.labelling.desk.labels import gather, labels_of
    from evenhand.store.open import open_store

    kept = open_store(store)
    try:
        return labels_of(gather(kept, pool_named(kept, pool).seal, words=False))
    finally:
        kept.close()


def _announce(made: Stress, waiting: list[Asked], on: Console) -> dict[str, Any]:
    """What is tried on whom, and the estimate."""
    from evenhand.llm.costs.estimate import estimate
    from evenhand.report.output.terminal import clean
    from evenhand.store.calls.journal import Calls

    for sheet in made.sheets:
        base = sheet.base
        on.print(
            f"stress: {many(len(base.zero), 'item')} of grade 0, {len(base.answer):,} "
            "that answer, "
            f"{len(base.near):,} near misses; "
            f"{many(len(sheet.made.trials), 'trial')}, sheet {clean(sheet.name)}"
        )
    journal = Calls(made.folder / ".evenhand")
    try:
        found = estimate(
            made.requests(waiting), made.bench.chats, journal, concurrency=made.bench.plan.concurrency
        )
    finally:
        journal.close()
    if waiting:
        for line in found.sentences:
            on.print(clean(line))
    else:
        on.print("everything was asked already")
    return {"calls": len(made.calls), "waiting": len(waiting), **found.to_json()}


def _write_needs(made: Stress, path: Path) -> None:
    """Lines to fill in: an item each for R2 and V2, a question each for L1."""
    from json import dumps

    from evenhand.errors import InputError
    from evenhand.formats.raw_bytes import write_bytes

    if path.exists():
        raise InputError(f"{path} exists already", mend="name a new file: nothing is overwritten")
    base = made.sheets[0].base
    rows = [
        {"perturbation": name, "item": one.shown.item, "text": one.shown.text}
        for name, side in (("R2", "answer"), ("V2", "both"))
        for one in base.of(side)
    ]
    asks = {one.shown.question: one.shown.ask for one in base.of("both")}
    rows += [{"perturbation": "L1", "question": name, "text": ask} for name, ask in asks.items()]
    text = "".join(dumps(row, ensure_ascii=False) + "\n" for row in rows)
    write_bytes(path, text.encode("utf-8", "replace"))
    print(f"{many(len(rows), 'line')} → {path}: change each text, take out the lines you leave")
    print(f'then name the file in the study: [stress] texts = "{path.name}"')


def _print_json(told: dict[str, Any]) -> None:
    from evenhand.report.output.assemble import dumps

    print(dumps(told).decode(), end="")
