"""A stress test on a terminal: one row a perturbation, a column a judge, what was not run, sentences."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenhand.cli.shared.model_failures import say_failures
from evenhand.cli.shared.rerun_hint import more_money, why_unasked
from evenhand.text.plural import many, verb

if TYPE_CHECKING:
    from rich.console import Console

    from evenhand.study.robustness.ask import Stress

__all__ = ["say"]


def say(
    told: Mapping[str, Any],
    *,
    made: Stress,
    same: Callable[..., str],
    result: Path,
    lines: Sequence[Mapping[str, Any]],
    on: Console,
) -> None:
    """Print it all; *same* makes the command that goes on with the same work, *lines* are those of trust."""
    from evenhand.judge.calibration.rate_bounds import line_words
    from evenhand.report.output.terminal import clean
    from evenhand.report.sections.comparison.tables import warnings_block
    from evenhand.report.sections.robustness.tables import tables
    from evenhand.study.steps.model_costs import spent_words

    for table in tables(told):
        on.print()
        on.print(table)
    if told["warnings"]:
        on.print()
        on.print(warnings_block(told["warnings"]))
    on.print()
    for line in lines:
        on.print(clean(f"{line_words(line)}: {line['state']}"), soft_wrap=True)
    for name in made.bench.judges:
        spent = made.spent.get(name)
        if spent is None:
            continue
        on.print(f"spent on {clean(name)}: {spent_words(spent.to_json())}")
    on.print(f"→ {made.file}, {made.folder / made.plan.items}")
    on.print(f"→ {result}")
    say_failures(made.bench.failures(made.faults()), on)
    if not told["complete"]:
        gaps = told["votes"]
        lacks = (
            f"{gaps['missing']:,} of {many(gaps['asked'], 'reply')} {verb(gaps['missing'], 'is', 'are')} "
            f"missing, {gaps['failed']:,} failed"
        )
        more = more_money(made.unasked, made=sum(one.made for one in made.spent.values()))
        command = same(retry_failed=bool(gaps["failed"]), **more)
        told_why = [lacks, *why_unasked(made.unasked, made.whys), f"mend: {clean(command)}"]
        on.print("INCOMPLETE: " + "\n  ".join(told_why), style="bold", soft_wrap=True)
