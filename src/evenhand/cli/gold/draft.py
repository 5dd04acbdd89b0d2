"""``evenhand gold draft``: have a model draft questions from the documents, and keep what can be checked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from evenhand.cli.shared import argument_limits
from evenhand.cli.shared.error_location import places_errors
from evenhand.cli.shared.rerun_hint import again, more_money, why_unasked
from evenhand.text.plural import many, noun

if TYPE_CHECKING:
    from rich.console import Console

    from evenhand.study.drafting.ask import Drafted
    from evenhand.study.drafting.setup import Desk

__all__ = ["draft"]

INCOMPLETE = 4


@places_errors
def draft(  # noqa: PLR0917 - typer makes options of them
    study: Annotated[Path, typer.Argument(help="The study file, with a [draft].", metavar="STUDY.toml")],
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
            help="The most to be spent now, in US dollars; default: [draft] budget.",
        ),
    ] = None,
    deadline: Annotated[
        float | None,
        typer.Option(
            callback=argument_limits.deadline, help="The most seconds to be taken; default: [draft] deadline."
        ),
    ] = None,
    by: Annotated[str, typer.Option("--by", help="Who has them drafted; default: the user's name.")] = "",
    anew: Annotated[
        bool, typer.Option("--anew", help="Write over drafts that are there; reviews in them are lost.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Draft questions with verbatim evidence, of several facts, without an answer, and open to two readings.

    Quotes that do not occur, near-duplicates and weak ones are left out and kept apart with their reason.
    Every question is synthetic for good and provisional until a person accepts it (evenhand gold review).
    Exit code 4: calls were not made or failed; 2: not one draft could be kept.
    """
    from evenhand.cli.gold.author import _who
    from evenhand.errors import InputError
    from evenhand.formats.gold.gold_set import write_gold
    from evenhand.formats.study_file.read import read_study
    from evenhand.report.output.terminal import console, progress
    from evenhand.study.comparison.run import importable
    from evenhand.study.drafting.ask import ask_drafts
    from evenhand.study.drafting.rows import told, write_rejected
    from evenhand.study.drafting.setup import desk_of

    file = study / "study.toml" if study.is_dir() else study
    plan = read_study(file)
    on = console(json=json)
    person, day = _who(by)
    with importable(file.parent):
        desk = desk_of(plan, file.parent, by=person, on=day)
        out, rejected = file.parent / desk.plan.out, file.parent / desk.plan.rejected
        if dry:
            _show_first(desk)
            return
        if out.exists() and not anew and not estimate:
            raise InputError(
                f"{out} is there already",
                mend="review what is in it, name another [draft] out, or give --anew",
            )
        foreseen = _announce(desk, file.parent, on)
        if estimate:
            if json:
                _print_json({"schema": "evenhand.draft-estimate/1", **foreseen})
            return
        with progress() as lines:
            made = ask_drafts(desk, file.parent, budget=budget, deadline=deadline, progress=lines)
    write_rejected(rejected, made)
    found = told(made, desk)
    more = more_money(made.unasked, made=made.spent["made"])
    same = partial(again, "gold", "draft", file, **{"budget": budget, "deadline": deadline, "by": by, **more})
    if not made.kept:
        _none(found, made, rejected, same, desk.failures(made.rejected))
    write_gold(out, made.gold(desk.gold))
    if json:
        _print_json({**found, "spent": made.spent})
    else:
        from evenhand.cli.gold.draft_output import say

        say(found, made, desk, out=out, rejected=rejected, same=same, on=on)
    if made.unasked or found["rejected"].get("fault"):
        raise typer.Exit(INCOMPLETE)


def _none(
    found: Mapping[str, Any],
    made: Drafted,
    rejected: Path,
    same: Callable[..., str],
    failed: Sequence[Mapping[str, Any]],
) -> None:
    """No draft at all is an error, with the counts and with what it cost."""
    from evenhand.errors import InputError
    from evenhand.study.steps.model_costs import spent_words

    asked = sum(one["asked"] for one in found["kinds"].values())
    counts = ", ".join(f"{n} {reason}" for reason, n in found["rejected"].items())
    counts = "; ".join([counts] * bool(counts) + why_unasked(made.unasked, made.whys))
    counts += f"; {failed[0]['why']}" if failed else ""
    reasons = f"read the reasons in {rejected}; another model, or other thresholds in [draft], may do better"
    raise InputError(
        f"not one of {asked} {noun(asked, 'draft')} could be kept: {counts}; "
        f"spent: {spent_words(made.spent)}",
        mend=(failed[0]["mend"] if failed else "") or (same() if made.unasked else reasons),
    )


def _show_first(desk: Desk) -> None:
    """The words of a request, for those who want to see what leaves the house."""
    from json import dumps

    from evenhand.report.output.terminal import clean
    from evenhand.study.drafting.setup import first_requests

    requests = list(first_requests(desk))
    print(f"{many(len(requests), 'request')} would be made at first; the first:")
    made = requests[0][1]
    for message in made.messages:
        print(f"--- {message.role}")
        print(clean(message.content, lines=True))
    print("--- schema of the reply")
    print(dumps(made.schema, indent=1))


def _announce(desk: Desk, folder: Path, on: Console) -> dict[str, Any]:
    from evenhand.llm.costs.estimate import estimate
    from evenhand.report.output.terminal import clean
    from evenhand.store.calls.journal import Calls
    from evenhand.study.drafting.setup import DRAFTER, first_requests

    planned = ", ".join(f"{n} {kind}" for kind, n in desk.wanted.items())
    on.print(
        f"draft {planned} from {many(len(desk.windows), 'passage')} of {many(len(desk.corpus), 'document')}"
    )
    journal = Calls(folder / ".evenhand")
    try:
        found = estimate(
            first_requests(desk), {DRAFTER: desk.chat}, journal, concurrency=desk.plan.concurrency
        )
    finally:
        journal.close()
    for line in found.sentences:
        on.print(clean(line))
    most = sum(desk.most(kind) for kind in desk.wanted)
    on.print(f"for each that is rejected another one is asked: at most {many(most, 'call')} in all")
    return {"most_calls": most, **found.to_json()}


def _print_json(told: Mapping[str, Any]) -> None:
    from evenhand.report.output.assemble import dumps

    print(dumps(told).decode(), end="")
