"""Drafts on a terminal: what was kept with its meters, what was rejected, where it lies."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenhand.cli.shared.model_failures import say_failures
from evenhand.cli.shared.rerun_hint import again, why_unasked
from evenhand.text.plural import many, noun

if TYPE_CHECKING:
    from rich.console import Console

    from evenhand.study.drafting.ask import Drafted
    from evenhand.study.drafting.setup import Desk

__all__ = ["say"]


def say(
    found: Mapping[str, Any],
    made: Drafted,
    desk: Desk,
    *,
    out: Path,
    rejected: Path,
    same: Callable[..., str],
    on: Console,
) -> None:
    """Print it all; *same* makes the command that goes on with the same work."""
    from rich.table import Table
    from rich.text import Text

    from evenhand.report.output.terminal import clean
    from evenhand.study.steps.model_costs import spent_words

    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("kind", "planned", "asked", "kept", "overlap", "question"):
        table.add_column(name, overflow="fold", justify="left" if name in ("kind", "question") else "right")
    seen: set[str] = set()
    for question in made.gold(desk.gold):
        notes = question.extra["meta"]["draft"]
        kind, share = notes["kind"], notes.get("overlap")
        row = found["kinds"][kind]
        first = kind not in seen
        seen.add(kind)
        heads = [kind, row["wanted"], row["asked"], row["kept"]] if first else ["", "", "", ""]
        trivial = " (BM25 finds it at once)" if notes.get("bm25_trivial") else ""
        meter = "–" if share is None else f"{share:.0%}"
        table.add_row(*(str(one) for one in heads), meter, Text(clean(question.text) + trivial))
    on.print()
    on.print(table)
    on.print()
    meter, flag = found["overlap"], found["bm25_trivial"]
    if meter["n"]:
        on.print(
            f"a question has {meter['median']:.0%} of its words from its evidence (median of {meter['n']}); "
            f"{meter['copied']} have {meter['from']:.0%} or more"
            + (": every retriever will find those" if meter["copied"] else "")
        )
    if flag["n"]:
        easy = ": those are easy" if flag["k"] else ""
        on.print(
            f"BM25 ranks the evidence of {flag['k']} of {flag['n']} {noun(flag['n'], 'question')} first{easy}"
        )
    if found["note"]:
        on.print(f"note: {clean(found['note'])}")
    gone = ", ".join(f"{n} {reason}" for reason, n in found["rejected"].items())
    on.print(f"rejected: {gone or 'none'} (likeness by {found['likeness']}) → {rejected}")
    say_failures(desk.failures(made.rejected), on)
    short = [
        f"{one['kept']} of {one['wanted']} {kind}"
        for kind, one in found["kinds"].items()
        if one["kept"] < one["wanted"]
    ]
    if short:
        on.print(f"fewer than planned: {', '.join(short)}", style="bold")
    if made.unasked:
        lines = [*why_unasked(made.unasked, made.whys), f"mend: {clean(same(anew=True))}"]
        on.print("INCOMPLETE: " + "\n  ".join(lines), style="bold", soft_wrap=True)
    on.print(f"spent: {spent_words(made.spent)}")
    n = len(made.kept)
    on.print(f"→ {out}: {many(n, 'question')}, synthetic, provisional until somebody accepts them")
    on.print(f"next: {clean(again('gold', 'review', out))}", soft_wrap=True)
