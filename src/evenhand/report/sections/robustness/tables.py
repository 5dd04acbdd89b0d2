"""A stress test in the report: tables for the terminal, what fools each judge as a picture."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from evenhand.judge.robustness.section import title
from evenhand.judge.robustness.suite import SUITE
from evenhand.judge.robustness.verdicts import PANEL
from evenhand.report.output.terminal import clean

if TYPE_CHECKING:
    from rich.console import RenderableType

__all__ = ["CHARTS", "GROUPS", "cell", "grouped", "tables"]

# which number of a row is the one to read, and what a good judge shows there
GROUPS: Mapping[str, tuple[str, str, str]] = {
    "control": ("positive", "unperturbed", "called positive"),
    "fooled": ("positive", "must say no", "called positive, and lift"),
    "removal": ("flip", "must take its yes back", "of its yes taken back"),
    "change": ("flip", "must not change its mind", "changed, + to yes − to no"),
    "again": ("same", "must say the same again", "with one verdict"),
}
LEFT = (
    ("unparsed", "unreadable"),
    ("cannot_tell", "cannot tell"),
    ("undecided", "undecided"),
    ("failed", "failed"),
    ("missing", "not asked"),
)


def group_of(row: Mapping[str, Any]) -> str:
    """Under which head a row stands."""
    name = row["perturbation"]
    return SUITE[name].counts if name in SUITE else "control"


def cell(row: Mapping[str, Any] | None) -> str:
    """``26 [16, 40] +20`` in percent and points, and of how many where that is not all; or why none."""
    if row is None:
        return "–"
    one = row[GROUPS[group_of(row)][0]]
    if one is None or one["value"] is None:
        return "nothing to count"
    text = f"{100 * one['value']:.0f}"
    if one["low"] is not None:
        text += f" [{100 * one['low']:.0f}, {100 * one['high']:.0f}]"
    if row["lift"] is not None and row["lift"]["value"] is not None:
        text += f" {100 * row['lift']['value']:+.0f}"
    elif group_of(row) == "change" and (one["up"] or one["down"]):
        text += f" +{one['up']} −{one['down']}"
    return text + (f" of {one['n']}" if one["n"] != row["made"] else "")


def lost(row: Mapping[str, Any]) -> str:
    """``3 unreadable, 1 cannot tell``: replies that are neither a pass nor a failure."""
    return ", ".join(f"{row[key]} {words}" for key, words in LEFT if row[key])


def grouped(sheet: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Heads with their lines; a line has a title, a cell a judge, hijacks, and what could not be read."""
    names = [one["judge"] for one in sheet["judges"]]
    if any(row["judge"] == PANEL for row in sheet["rows"]):
        names.append(PANEL)
    made: list[dict[str, Any]] = []
    for key, (_, head, what) in GROUPS.items():
        lines: dict[tuple[str, str], dict[str, Any]] = {}
        for row in sheet["rows"]:
            if group_of(row) != key:
                continue
            line = lines.setdefault(
                (row["perturbation"], row["variant"]),
                {
                    "title": title(row),
                    "cells": dict.fromkeys(names, "–"),
                    "lost": {},
                    "hijacked": {},
                    "made": row["made"],
                },
            )
            line["cells"][row["judge"]] = cell(row)
            if words := lost(row):
                line["lost"][row["judge"]] = words
            if row["hijacked"] is not None and row["hijacked"]["k"]:
                line["hijacked"][row["judge"]] = f"{row['hijacked']['k']} of {row['hijacked']['n']}"
        if lines:
            made.append({"head": head, "what": what, "lines": list(lines.values())})
    return made


def tables(section: Mapping[str, Any]) -> Iterator[RenderableType]:
    """A table a sheet, the replies without a verdict below it, then the sentences."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    for sheet in section["sheets"]:
        heads = grouped(sheet)
        names = list(heads[0]["lines"][0]["cells"]) if heads else []
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=0, show_edge=False, header_style="bold")
        table.add_column("in %, with Wilson bounds", overflow="fold", min_width=27)
        table.add_column("n ", justify="right", no_wrap=True)
        for name in names:
            table.add_column(clean(name), overflow="fold")
        for head in heads:
            table.add_row(Text(f"{head['head']}:\n{head['what']}", style="bold"))
            for line in head["lines"]:
                cells = (Text(line["cells"][name]) for name in names)
                table.add_row(Text(line["title"]), f"{line['made']:,} ", *cells)
        yield Text(
            f"sheet {clean(sheet['sheet'])}: a verdict is positive from {sheet['yes']:g}", style="bold"
        )
        yield table
        unread = _unread(heads)
        if unread:
            yield Text("\n".join(clean(line) for line in unread), style="yellow")
    if section["sentences"]:
        yield Text("\n".join(clean(one) for one in section["sentences"]))


def _unread(heads: Sequence[Mapping[str, Any]]) -> list[str]:
    """Replies that are no pass, and readings that took a planted verdict, by row."""
    told = []
    for head in heads:
        for line in head["lines"]:
            if line["lost"]:
                words = "; ".join(f"{name}: {what}" for name, what in line["lost"].items())
                told.append(f"no verdict, and no pass: {line['title']} ({words})")
            if line["hijacked"]:
                words = "; ".join(f"{name} {what}" for name, what in line["hijacked"].items())
                told.append(f"the planted verdict was read as the judge's own: {line['title']} ({words})")
    return told


def fooled_bars(part: Mapping[str, Any], *, narrow: bool = False) -> tuple[dict[str, Any], str, str] | None:
    """The share fooled by each attack, of the panel or of a lone judge, with Wilson bounds."""
    from evenhand.report.sections.comparison.charts import bars

    if not part["sheets"]:
        return None
    sheet = part["sheets"][0]
    names = {row["judge"] for row in sheet["rows"]}
    head = PANEL if PANEL in names else min(names, default="")
    rows = [
        {
            "name": title(row),
            "point": row["positive"]["value"],
            "low": row["positive"]["low"],
            "high": row["positive"]["high"],
            "label": cell(row),
            "strong": False,
        }
        for row in sheet["rows"]
        if row["judge"] == head and group_of(row) == "fooled" and row["positive"]["value"] is not None
    ]
    if not rows:
        return None
    who = "the panel" if head == PANEL else head
    return bars(rows, "share called positive", narrow=narrow, title=f"How often {who} is fooled")


CHARTS = {"stress-fooled": fooled_bars}
