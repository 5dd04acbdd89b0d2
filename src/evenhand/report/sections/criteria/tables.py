"""Criteria and registration on a terminal: point and bound side by side, planned beside amended."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from evenhand.report.output.number_format import number
from evenhand.report.output.table_model import Grid
from evenhand.report.output.terminal import clean

if TYPE_CHECKING:
    from rich.console import RenderableType

__all__ = ["grids", "limit", "registration_block", "tables"]

STYLES = {"met": "green", "not met": "bold red", "cannot be decided": "bold yellow"}


def limit(row: Mapping[str, Any]) -> str:
    """What is asked for: ``≥ 0.75``."""
    return f"≥ {row['at_least']:g}" if row["at_least"] is not None else f"≤ {row['at_most']:g}"


def asked(row: Mapping[str, Any]) -> str:
    """What is asked for and of what: ``≥ 0.75 by lower bound (95%)``."""
    by = "point" if row["by"] == "point" else f"{row['by']} bound at {row['level']:g}"
    return f"{limit(row)} by {by}"


def grids(section: Mapping[str, Any]) -> Iterator[Grid]:
    """The table of criteria in plain cells; what was planned before an amendment stands beside it."""
    rows = []
    for row in section["rows"]:
        counts = f" ({row['k']}/{row['n']})" if row["k"] is not None else ""
        first = row["planned"] or {}
        planned = "withdrawn" if first.get("withdrawn") else "not planned" if first.get("absent") else ""
        if first and not planned:
            planned = f"{_moved(row)} {limit(first)}: {first['verdict']}"
        rows.append(
            (
                row["name"] + (f" ({row['role']})" if row["role"] != "success" else ""),
                asked(row),
                number(row["point"]) + counts,
                row["by_point"],
                f"{'≥' if row['bound_side'] == 'lower' else '≤'} {number(row['bound'])}",
                row["by_bound"],
                "; ".join(filter(None, (row["verdict"], planned))),
            )
        )
    yield Grid(
        name="criteria",
        title="Criteria",
        heads=("criterion", "asked for", "point", "by point", "bound", "by bound", "verdict"),
        rows=tuple(rows),
        notes=tuple(section["sentences"]),
    )


def tables(section: Mapping[str, Any]) -> Iterator[RenderableType]:
    """The table of criteria with its verdict in words."""
    from rich import box
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    table = Table(
        box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), show_edge=False, header_style="bold"
    )
    table.add_column("criterion", overflow="fold")
    for head in ("asked for", "point", "by point", "bound", "by bound"):
        table.add_column(head, justify="left", no_wrap=True)
    table.add_column("verdict", overflow="fold")
    for row in section["rows"]:
        counts = f" ({row['k']}/{row['n']})" if row["k"] is not None else ""
        gone = bool(row["planned"] and row["planned"].get("withdrawn"))
        table.add_row(
            Text(clean(row["name"] + (f" ({row['role']})" if row["role"] != "success" else ""))),
            Text(limit(row) + ("" if row["by"] == "point" else f" by {row['by']} bound")),
            number(row["point"]) + counts,
            Text(row["by_point"], style=STYLES[row["by_point"]]),
            f"{'≥' if row['bound_side'] == 'lower' else '≤'} {number(row['bound'])}",
            Text(row["by_bound"], style=STYLES[row["by_bound"]]),
            Text("withdrawn" if gone else row["verdict"], style=STYLES[row["verdict"]]),
        )
        if row["planned"] and not gone:
            table.add_row(*_planned(row))
    yield table
    below = [
        Text(clean(how), style="dim")
        for how in dict.fromkeys(
            f"bound: {row['bound_method']}, one-sided level {row['bound_level']:.12g}"
            for row in section["rows"]
            if row["bound_level"] is not None
        )
    ]
    below += [
        Text(clean(f"{row['name']}: {reason}"), style="yellow")
        for row in section["rows"]
        for reason in row["reasons"]
    ]
    below += [Text(clean(line), style="" if i else "bold") for i, line in enumerate(section["sentences"])]
    yield Group(*below)


def _moved(row: Mapping[str, Any]) -> str:
    """``planned``, with the number and the role that were registered where they are others now."""
    first = row["planned"]
    on = [f"on {first['on']}"] if first["on"] != row["on"] else []
    role = [f"as {first['role']}"] if first["role"] != row["role"] else []
    return " ".join(["planned", *role, *on])


def _planned(row: Mapping[str, Any]) -> list[Any]:
    from rich.text import Text

    first = row["planned"]
    if first.get("absent"):
        return [Text("  planned: none", style="dim"), *[""] * 6]
    told = limit(first) + ("" if first["by"] == "point" else f" by {first['by']} bound")
    return [
        Text(clean(f"  {_moved(row)}"), style="dim"),
        Text(told, style="dim"),
        *[""] * 4,
        Text(first["verdict"], style="dim"),
    ]


def registration_block(record: Mapping[str, Any]) -> RenderableType:
    """How the study stands, in one line for its state and one for each amendment."""
    from rich.console import Group
    from rich.text import Text

    lines = [Text(f"{record['word'].upper()}. ", style="bold")]
    lines[0].append(clean(" ".join(record["sentences"])), style="not bold")
    for one in record["amendments"]:
        told = clean(f"amended by {one['author']} on {one['at'][:10]}: {one['reason']}")
        lines.append(Text(told))
        lines += [Text(clean(f"  {change_told(change)}")) for change in one["changes"]]
        lines += [Text(clean(f"  accepted in writing: {name}")) for name in one["accepts"]]
    lines += [Text(clean(f"  not amended: {change_told(one)}"), style="yellow") for one in record["changed"]]
    return Group(*lines)


def change_told(change: Mapping[str, Any]) -> str:
    """``plan.criteria.precision.at_least: planned 0.75, now 0.7``."""
    import json

    def value(key: str) -> str:
        if key not in change:
            return "nothing"
        held = change[key]
        text = held if isinstance(held, str) else json.dumps(held, ensure_ascii=False, sort_keys=True)
        return text if len(text) <= 60 else f"{text[:40]}…"

    return f"{'.'.join(change['path'])}: planned {value('planned')}, now {value('amended')}"
