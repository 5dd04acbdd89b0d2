"""``evenhand answers generate``: ask the model of a study's [answers], and keep what it writes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from evenhand.cli.answers.preview import announce, show_first
from evenhand.cli.shared import argument_limits
from evenhand.cli.shared.error_location import places_errors
from evenhand.cli.shared.model_failures import say_failures
from evenhand.cli.shared.rerun_hint import again, more_money, why_unasked
from evenhand.text.plural import many, verb

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from evenhand.study.generation.ask import Job, Standing, Writing
    from evenhand.study.generation.context import Laid
    from evenhand.study.generation.custom_system import Bringing

__all__ = ["generate"]

INCOMPLETE = 4


@places_errors
def generate(  # noqa: PLR0917 - typer makes options of them
    study: Annotated[Path, typer.Argument(help="The study file, with [answers].", metavar="STUDY.toml")],
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
            help="The most to be spent now, in US dollars; default: [answers] budget.",
        ),
    ] = None,
    deadline: Annotated[
        float | None,
        typer.Option(
            callback=argument_limits.deadline,
            help="The most seconds to be taken; default: [answers] deadline.",
        ),
    ] = None,
    retry: Annotated[
        bool, typer.Option("--retry-failed", help="Ask again what failed on its way (and nothing else).")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Ask for an answer to each question, or for items on each topic, with the passages retrieved.

    The estimate is printed first. Temperature is 0 where the model takes it, no other model steps in, and
    each call is in the journal: what was paid for is not paid for again. A refusal, a cut-off and a reply
    that is not of the form asked for stand against the model; what failed on its way can be asked again.
    Exit code 4: some are missing.
    """
    from evenhand.errors import InputError
    from evenhand.formats.study_file.read import read_study
    from evenhand.report.output.terminal import console, progress
    from evenhand.study.generation.ask import Writing, is_file
    from evenhand.study.generation.context import laid_answers
    from evenhand.study.generation.requests import plan_of

    file = study / "study.toml" if study.is_dir() else study
    plan, on = read_study(file), console(json=json)
    answers = plan_of(plan)
    if is_file(answers):
        raise InputError(
            f"[answers] from: {answers.source} holds what was answered already, and nobody is asked",
            mend=again("answers", "check", file),
        )
    with progress() as lines, laid_answers(plan, file.parent, progress=lines) as laid:
        working = laid.working
    standing = working.standing(working.kept())
    waiting = [*standing.missing, *(standing.failed if retry else ())]
    if dry:
        show_first(working, waiting)
        return
    told = announce(working, waiting, standing, file.parent, on)
    if estimate:
        if json:
            _print_json(told)
        return
    if waiting:
        with laid_open(laid):
            if isinstance(working, Writing):
                _ask(working, waiting, file.parent, budget=budget, deadline=deadline, retry=retry)
            else:
                _ask_guest(working, waiting)
    working.tidy()
    same = partial(again, "answers", "generate", file, budget=budget, deadline=deadline)
    _conclude(working, file, same=same, json=json, on=on)


def laid_open(laid: Laid) -> Any:
    """The study's folder importable again, for a function that is brought."""
    from evenhand.study.comparison.run import importable

    return importable(laid.table.folder)


def _ask(
    working: Writing,
    waiting: Sequence[Job],
    folder: Path,
    *,
    budget: float | None,
    deadline: float | None,
    retry: bool,
) -> None:
    from evenhand.report.output.terminal import progress
    from evenhand.store.calls.journal import Calls
    from evenhand.study.generation.ask import WRITER
    from evenhand.study.panel.ask import readied
    from evenhand.study.steps.model_client import caller_of

    readied([working.chat], "answers")
    journal = Calls(folder / ".evenhand")
    try:
        with progress() as lines:
            caller = caller_of(
                working.plan,
                {WRITER: working.chat},
                journal,
                budget=budget,
                deadline=deadline,
                progress=lines,
                retry_failed=retry,
                stage="answer",
            )
            for _ in working.ask(waiting, caller):
                pass
    finally:
        journal.close()


def _ask_guest(working: Bringing, waiting: Sequence[Job]) -> None:
    from evenhand.report.output.terminal import progress

    with progress() as lines:
        for _ in working.ask(waiting, lines):
            pass


def _conclude(
    working: Writing | Bringing, file: Path, *, same: Callable[..., str], json: bool, on: Console
) -> None:
    from evenhand.answer.diagnosis.failure_rates import accounts
    from evenhand.report.output.terminal import clean
    from evenhand.study.generation.ask import Writing
    from evenhand.study.generation.rates import account_json
    from evenhand.study.steps.model_costs import spent_words

    standing = working.standing(working.kept())
    made = accounts(standing.made)
    failed = _failures(working, standing)
    told = {
        "schema": "evenhand.answers-made/1",
        "asked": len(working.jobs),
        "missing": len(standing.missing),
        "failed": len(standing.failed),
        "other": standing.other,
        "accounts": [account_json(one) for one in made],
        "spent": working.spent.to_json(),
        "unasked_why": dict(working.whys),
        "failures": failed,
    }
    lacking = len(standing.missing) + len(standing.failed)
    if json:
        _print_json(told)
    else:
        for one in made:
            on.print(clean(one.sentence()))
        for why, n in _whys(standing):
            on.print(f"  {n} × {clean(why)}")
        say_failures(failed, on)
        spent = working.spent
        if spent.made or spent.cached or spent.bound:
            on.print(f"spent: {spent_words(spent.to_json())}")
        if standing.other:
            on.print(
                f"{many(standing.other, 'line')} of the file {verb(standing.other, 'is', 'are')} of "
                "another prompt, model or other passages"
            )
        on.print(f"→ {working.file}")
        if lacking:
            unasked: Mapping[str, int] = working.unasked if isinstance(working, Writing) else {}
            more = more_money(unasked, made=spent.made)
            gone, faults = len(standing.missing), len(standing.failed)
            lacks = f"{gone:,} of {len(working.jobs):,} {verb(gone, 'is', 'are')} missing, {faults:,} failed"
            command = same(retry_failed=bool(faults), **more)
            lines = [lacks, *why_unasked(unasked, working.whys), f"mend: {clean(command)}"]
            on.print("INCOMPLETE: " + "\n  ".join(lines), style="bold", soft_wrap=True)
        else:
            on.print(f"next: {clean(again('answers', 'check', file))}", soft_wrap=True)
    if lacking:
        raise typer.Exit(INCOMPLETE)


def _failures(working: Writing | Bringing, standing: Standing) -> list[dict[str, Any]]:
    """What is said of the model when its calls failed."""
    from evenhand.llm.scheduling.failure_summary import failures
    from evenhand.study.generation.ask import WRITER, Writing

    if not isinstance(working, Writing):
        return []
    whys = [one.why for one in standing.made if one.state == "fault"]
    return [
        {**one.to_json(), "name": working.chat.name}
        for one in failures({WRITER: whys}, {WRITER: working.chat})
    ]


def _whys(standing: Standing) -> list[tuple[str, int]]:
    from collections import Counter

    found = Counter(f"{one.state}: {one.why}" for one in standing.made if one.state != "made")
    return sorted(found.items(), key=lambda pair: (-pair[1], pair[0]))[:5]


def _print_json(told: dict[str, Any]) -> None:
    from evenhand.report.output.assemble import dumps

    print(dumps(told).decode(), end="")
