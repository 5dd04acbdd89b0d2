"""Asking the panel of ``[answers.panel]`` about claims: the estimate first, votes as they arrive."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from evenhand.cli.shared.error_location import places_errors
from evenhand.cli.shared.model_failures import say_failures
from evenhand.text.plural import many, verb

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["ask_claims"]


@places_errors
def ask_claims(source: Path, *, estimate: bool, budget: float | None, json: bool, on: Console) -> bool:
    """Ask what has no vote yet; whether all votes are there afterwards."""
    from evenhand.cli.shared.ask_votes import ask_votes
    from evenhand.formats.study_file.read import read_study
    from evenhand.report.output.terminal import progress
    from evenhand.study.generation.context import laid_answers

    file = source / "study.toml" if source.is_dir() else source
    plan = read_study(file)
    with progress() as lines, laid_answers(plan, file.parent, progress=lines) as laid:
        bench, items = laid.claims()
    made = ask_votes(
        bench,
        items,
        file.parent,
        estimate=estimate,
        budget=budget,
        stage="judge claims",
        about=(
            f"panel of {len(bench.judges)} on {many(len(items), 'pair')} of a claim and a text",
            "every pair has its votes: nothing is asked",
        ),
        say=on.print,
        engine=plan.engine,
    )
    if estimate:
        if json:
            from evenhand.report.output.assemble import dumps

            told = {"schema": "evenhand.claims-estimate/1", "items": len(items), **made.to_json()}
            print(dumps(told).decode(), end="")
        return True
    votes = bench.standing(bench.tidy()).votes
    said = laid.said(bench, items)
    lacking = said["missing"] + said["failed"]
    say_failures(bench.failures(one for one in votes if one.outcome == "fault"), on)
    if lacking:
        on.print(
            f"INCOMPLETE: {lacking:,} of {many(said['asked'], 'vote')} on claims "
            f"{verb(lacking, 'is', 'are')} missing",
            style="bold",
        )
    return not lacking
