"""What a panel came to, on a terminal: a row a judge, cohesion, warnings, and what goes to people."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenhand.cli.shared.model_failures import say_failures
from evenhand.cli.shared.rerun_hint import again, more_money, why_unasked
from evenhand.text.plural import many, verb

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from evenhand.cli.judge.pending_batches import PendingBatches

__all__ = ["judges_table", "say"]

WORDS = {
    "verdict": "verdicts",
    "cannot-tell": "cannot tell",
    "out-of-scale": "out of scale",
    "unparsable": "unreadable",
    "refused": "refused",
    "cut-off": "cut off",
    "fault": "failed",
    "missing": "not asked",
}
STATUS = {
    "unanimous": "unanimous",
    "split": "two against one",
    "two_agree": "some silent, the others agree",
    "single": "one judge",
    "undecided": "undecided",
}


def say(
    told: Mapping[str, Any],
    *,
    apart: PendingBatches,
    same: Callable[..., str],
    sheet: str,
    votes: Path,
    store: str,
    on: Console,
) -> None:
    """Print it all. *apart*: what is missing, by whether it lies in a batch; *same* makes the command."""
    from evenhand.report.output.terminal import clean
    from evenhand.report.sections.comparison.tables import warnings_block
    from evenhand.study.panel.text import rate_words

    on.print()
    on.print(judges_table(told))
    decided = told["decided"]
    ways = ", ".join(f"{n:,} {STATUS[word]}" for word, n in decided["status"].items()) or "none"
    rate = rate_words(decided["rate"])
    known = decided["rate"]["point"] is not None
    said = f"says {clean(told['top'])} of {rate}" if known else f"has no rate of {clean(told['top'])}: {rate}"
    on.print(f"the panel {said}; {ways}")
    if decided["modes"]:
        on.print("ways to fail: " + ", ".join(f"{clean(mode)} {n:,}" for mode, n in decided["modes"].items()))
    for sentence in told["sentences"]:
        on.print(clean(sentence))
    for pair in told["cohesion"].get("pairs", ()):
        if not pair["n"]:
            continue
        from evenhand.labelling.desk.agreement_text import number_words

        on.print(
            f"  {clean(' and '.join(pair['judges']))}: {number_words(pair['agreement'], share=True)} of "
            f"{pair['n']:,}; kappa {number_words(pair['kappa'])}"
        )
    how = told["intervals"]
    on.print(
        f"intervals: {how['level']:.0%}, over questions (or clusters of them) resampled whole "
        f"({how['resamples']:,} times, seed {how['seed']}); Wilson's where there is one item each, or all "
        "say the same"
    )
    if told["warnings"]:
        on.print()
        on.print(warnings_block(told["warnings"]))
    on.print()
    _people(told["for_people"], same=same, sheet=sheet, store=store, on=on)
    _money(told, on)
    on.print(f"→ {votes}")
    say_failures(told["failures"], on)
    if not told["complete"]:
        on.print(f"INCOMPLETE: {_lacking(told, apart, same)}", style="bold", soft_wrap=True)


def _lacking(told: Mapping[str, Any], apart: PendingBatches, same: Callable[..., str]) -> str:
    """What is missing, why, where it lies, and the commands that get it."""
    from evenhand.report.output.terminal import clean

    gaps = told["votes"]
    lacks = (
        f"{gaps['missing']:,} of {many(gaps['asked'], 'vote')} {verb(gaps['missing'], 'is', 'are')} "
        f"missing, {gaps['failed']:,} failed"
    )
    lines = [
        lacks,
        *why_unasked(told["unasked"], told["unasked_why"]),
        *apart.lines,
    ]
    if apart.free or gaps["failed"]:
        made = sum(one["made"] for one in told["spent"].values()) + len(apart.parts)
        more = more_money(told["unasked"], made=made)
        lines.append(f"mend: {clean(same(retry_failed=bool(gaps['failed']), **more))}")
    told_already = {line.partition(": ")[2] for line in lines if line.startswith("mend: ")}
    ways = [clean(way) for way in apart.ways(same)]
    lines += [way for way in ways if way.partition(": ")[2] not in told_already]
    return "\n  ".join(lines)


def _word(outcome: str, n: int) -> str:
    return "verdict" if outcome == "verdict" and n == 1 else WORDS[outcome]


def judges_table(told: Mapping[str, Any]) -> Table:
    """A row a judge: what became of its votes, its rate with bounds, quotes, money."""
    from rich.table import Table
    from rich.text import Text

    from evenhand.report.output.terminal import clean
    from evenhand.study.panel.text import rate_words, replied_words

    table = Table(box=None, pad_edge=False, header_style="bold")
    noisy = any(row["again"]["n"] for row in told["judges"])
    named = any(row["replied"] for row in told["judges"])
    more = (*(("said again",) if noisy else ()), *(("answered by",) if named else ()))
    for name in ("judge", "votes", f"says {told['top']}", "quotes", *more):
        table.add_column(name, overflow="fold")
    for row in told["judges"]:
        votes = ", ".join(f"{n:,} {_word(word, n)}" for word, n in row["outcomes"].items())
        quotes = f"{row['quoted']:,}" + (f", {row['lost']:,} not in the text" if row["lost"] else "")
        again = row["again"]
        cells = [row["judge"], votes, rate_words(row["rate"]), quotes]
        cells += [f"{again['same']:,} of {again['n']:,}"] if noisy else []
        cells += [replied_words(row)] if named else []
        table.add_row(*(Text(clean(cell)) for cell in cells))
    return table


def _people(
    waits: Mapping[str, Any], *, same: Callable[..., str], sheet: str, store: str, on: Console
) -> None:
    from evenhand.report.output.terminal import clean

    if not waits["undecided"] and not waits["split"]:
        on.print("nothing waits for people")
        return
    then = f"then {waits['split']:,} that {verb(waits['split'], 'was', 'were')} split"
    on.print(f"for people: {many(waits['undecided'], 'undecided item')}, {then}")
    kept = waits.get("pool")
    if kept:
        on.print(f"pool {clean(kept['name'])}: {many(kept['items'], 'item')} in {clean(store)}")
        found = str(kept.get("found_by", kept["name"]))
        assign = again("judge", "assign", judge="NAME", pool=found, sheet=sheet, store=store)
        on.print(f"next: {clean(assign)}", soft_wrap=True)
    else:
        keep = same(people="NAME", budget=None, deadline=None, engine=None, batch=False)
        on.print(f"next, to keep them as a pool for a desk: {clean(keep)}", soft_wrap=True)


def _money(told: Mapping[str, Any], on: Console) -> None:
    from evenhand.report.output.terminal import clean
    from evenhand.study.steps.model_costs import spent_words

    for name, spent in told["spent"].items():
        if not (spent["made"] or spent["cached"] or spent["bound"]):
            continue
        on.print(f"spent on {clean(name)}: {spent_words(spent)}")
