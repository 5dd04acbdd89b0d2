"""``evenhand gold type``: one model gives each question its type, before anything is judged."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evenhand.cli.shared import argument_limits
from evenhand.cli.shared.error_location import places_errors
from evenhand.cli.shared.rerun_hint import again
from evenhand.text.plural import many, verb

if TYPE_CHECKING:
    from evenhand.llm.scheduling.caller import Caller
    from evenhand.model.question_types import QuestionTypes
    from evenhand.study.threshold.question_types import Typist

__all__ = ["type_"]

INCOMPLETE = 4


@places_errors
def type_(
    study: Annotated[
        Path, typer.Argument(help="The study file, with [threshold.typing].", metavar="STUDY.toml")
    ],
    *,
    estimate: Annotated[
        bool, typer.Option("--estimate", help="Say what it would cost, and ask nothing.")
    ] = False,
    budget: Annotated[
        float | None,
        typer.Option(callback=argument_limits.budget, help="The most to be spent, in US dollars."),
    ] = None,
    anew: Annotated[
        bool,
        typer.Option("--anew", help="Ask all again, also those that have a type."),
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Ask the study's typist for the type of each question, and seal them in types.json.

    The model sees the question alone. `evenhand judge panel` and `evenhand run` ask for this first, and a
    registration holds the seal. Exit code 4: some questions have no type.
    """
    from evenhand.formats.gold.question_types import write_types
    from evenhand.formats.study_file.read import read_study
    from evenhand.protocols import quiet
    from evenhand.study.comparison.run import importable, inputs
    from evenhand.study.threshold.question_types import typist_of

    file = study / "study.toml" if study.is_dir() else study
    plan, folder = read_study(file), file.parent
    with importable(folder):
        _, gold = inputs(plan, folder, quiet, made=(folder / "results", folder / ".evenhand"))
        typist = typist_of(plan, folder, gold, anew=anew)
        _say_cost(typist, folder)
        if estimate:
            return
        found = _asked(typist, folder, budget)
    write_types(typist.file, found)
    _tell(found, typist.file.name, study, budget, json=json)
    if found.untyped:
        raise typer.Exit(INCOMPLETE)


def _say_cost(typist: Typist, folder: Path) -> None:
    import sys

    from evenhand.llm.costs.estimate import estimate
    from evenhand.report.output.terminal import clean
    from evenhand.store.calls.journal import Calls

    journal = Calls(folder / ".evenhand")
    try:
        made = estimate(typist.requests(), typist.chats, journal)
    finally:
        journal.close()
    for sentence in made.sentences:
        print(clean(sentence), file=sys.stderr)


def _asked(typist: Typist, folder: Path, budget: float | None) -> QuestionTypes:
    from evenhand.llm.scheduling.caller import Caller
    from evenhand.report.output.terminal import progress
    from evenhand.store.calls.journal import Calls
    from evenhand.study.panel.ask import readied

    readied([typist.chat], "threshold.typing")
    journal = Calls(folder / ".evenhand")
    try:
        with progress() as lines:
            caller = Caller(typist.chats, journal, budget=budget, progress=lines, stage="type")
            found = typist.ask(caller)
        _say_spent(typist, caller)
        return found
    finally:
        journal.close()


def _say_spent(typist: Typist, caller: Caller) -> None:
    """What it came to, beside the estimate."""
    import sys

    from evenhand.study.steps.model_costs import spent_words

    print(f"spent: {spent_words(typist.spent.to_json())}", file=sys.stderr)
    for why in caller.whys.values():
        print(why, file=sys.stderr)


def _tell(found: QuestionTypes, name: str, study: Path, budget: float | None, *, json: bool) -> None:
    from evenhand.report.output.terminal import clean

    if json:
        from json import dumps

        print(dumps({**found.as_json(), "seal": found.seal}, indent=1))
        return
    print(f"{many(len(found.types), 'question')} typed → {clean(name)}  (seal {found.seal[:16]}…)")
    for kind, n in sorted(Counter(found.types.values()).items()):
        print(f"  {clean(kind)}: {n:,}")
    for question, why in list(found.untyped.items())[:10]:
        print(f"  no type: {clean(question)}: {clean(why)}")
    if found.untyped:
        lacks = f"{many(len(found.untyped), 'question')} {verb(len(found.untyped), 'has', 'have')} no type"
        same = again("gold", "type", study, budget=budget)
        print(f"INCOMPLETE: {lacks}\n  mend: {clean(same)}")
        return
    print(f"next: {clean(again('study', 'register', study))}")
    print(f"  or: {clean(again('judge', 'panel', study))}")
