"""Asking the judges of ``[answers.panel]`` to rate faithfulness: the estimate first, votes as they arrive."""

from __future__ import annotations

from pathlib import Path

import typer

from evenhand.cli.shared.error_location import places_errors
from evenhand.cli.shared.model_failures import say_failures
from evenhand.cli.shared.rerun_hint import again, more_money, why_unasked
from evenhand.text.plural import many, noun, verb

__all__ = ["ask_models"]

INCOMPLETE = 4


@places_errors
def ask_models(source: Path, *, estimate: bool, budget: float | None) -> None:
    """Ask what has no vote yet; exit code 4 where votes are missing afterwards."""
    from evenhand.cli.shared.ask_votes import ask_votes
    from evenhand.errors import InputError
    from evenhand.formats.study_file.read import read_study
    from evenhand.report.output.terminal import clean, console, progress
    from evenhand.study.generation.context import laid_answers
    from evenhand.study.generation.model_ratings import faithful_bench

    file = source / "study.toml" if source.is_dir() else source
    if file.suffix != ".toml":
        raise InputError("a file of answers has no panel", mend="give the study file")
    plan = read_study(file)
    with progress() as lines, laid_answers(plan, file.parent, progress=lines) as laid:
        bench, items = faithful_bench(plan, file.parent, laid.generations())
    ask_votes(
        bench,
        items,
        file.parent,
        estimate=estimate,
        budget=budget,
        stage="judge faithfulness",
        about=(
            (
                f"{len(bench.judges)} {noun(len(bench.judges), 'judge')} on "
                f"{many(len(items), 'item')} that cite a passage"
            ),
            "every item has its votes: nothing is asked",
        ),
        say=print,
        engine=plan.engine,
    )
    if estimate:
        return
    standing = bench.standing(bench.tidy())
    failed = sum(one.outcome == "fault" for one in standing.votes)
    lacking = len(items) * len(bench.judges) - len(standing.votes) + failed
    print(f"{many(len(standing.votes) - failed, 'vote')} → {bench.file.name}")
    print(f"next: {clean(again('answers', 'agree', source))}")
    say_failures(bench.failures(one for one in standing.votes if one.outcome == "fault"), console())
    if lacking:
        more = more_money(bench.unasked, made=sum(one.made for one in bench.spent.values()))
        command = again("answers", "rate", source, **{"budget": budget, **more}, ask_panel=True)
        lacks = f"{many(lacking, 'vote')} {verb(lacking, 'is', 'are')} missing"
        words = [lacks, *why_unasked(bench.unasked, bench.whys)]
        print("INCOMPLETE: " + "\n  ".join([*words, f"mend: {clean(command)}"]))
        raise typer.Exit(INCOMPLETE)
