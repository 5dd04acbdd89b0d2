"""A check as tables: for the terminal, and in plain cells for Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from evenhand.report.output.number_format import count, counted, number, signed, signed_interval
from evenhand.report.output.table_model import Grid
from evenhand.report.output.terminal import clean

if TYPE_CHECKING:
    from rich.console import RenderableType

__all__ = ["MARKS", "grids", "tables", "warned"]

HEADS = ("system", "metric", "baseline", "results", "difference", "margin", "n", "W/T/L", "verdict")
STYLES = {"pass": "green", "fail": "bold red", "inconclusive": "bold yellow"}
MARKS = {"pass": "✓", "fail": "✗", "inconclusive": "?"}


def cells(row: Mapping[str, Any]) -> tuple[str, ...]:
    """One comparison, cell by cell, in the order of `HEADS`."""
    name = row["system"]
    return (
        name if name == row["against"] else f"{name} against {row['against']}",
        row["metric"],
        number(row["baseline"]),
        number(row["results"]),
        f"{signed(row['difference'])} {signed_interval(row['low'], row['high'])}".strip(),
        f"{row['margin']:g}",
        count(row["n"]),
        f"{row['wins']}/{row['ties']}/{row['losses']}",
        f"{MARKS[row['verdict']]} {row['verdict']}",
    )


def warned(made: Mapping[str, Any]) -> list[str]:
    """The warnings of a check as lines."""
    return [counted(one["text"], one["count"]) for one in made["warnings"]]


def _how(made: Mapping[str, Any]) -> list[str]:
    tests = dict.fromkeys(f"{row['test']}, interval at {row['level']:.12g}" for row in made["rows"])
    return [f"difference: results minus baseline, {'; '.join(tests)}; passes above −margin"]


def grids(made: Mapping[str, Any]) -> Iterator[Grid]:
    """The comparisons, and the criteria of the report where it has any."""
    yield Grid(
        name="check",
        title=f"{made['results']['study']} against its baseline",
        heads=HEADS,
        rows=tuple(cells(row) for row in made["rows"]),
        notes=(*_how(made), *(row["sentence"] for row in made["rows"] if row["verdict"] != "pass")),
    )
    if made["criteria"]:
        yield Grid(
            name="criteria",
            title="Criteria of the report",
            heads=("criterion", "asked for", "point", "bound", "verdict", "in the baseline"),
            rows=tuple(map(_criterion, made["criteria"]["rows"])),
        )


def _criterion(row: Mapping[str, Any]) -> tuple[str, ...]:
    limit = f"≥ {row['at_least']:g}" if row["at_least"] is not None else f"≤ {row['at_most']:g}"
    return (
        row["name"] + (f" ({row['role']})" if row["role"] != "success" else ""),
        limit + ("" if row["by"] == "point" else f" by {row['by']} bound"),
        number(row["point"]),
        number(row["bound"]),
        row["verdict"],
        row["before"] or "–",
    )


def tables(made: Mapping[str, Any]) -> Iterator[RenderableType]:
    """Everything a check says, for the terminal."""
    from rich import box
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    for grid in grids(made):
        table = Table(
            box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), show_edge=False, header_style="bold"
        )
        for i, head in enumerate(grid.heads):
            right = grid.name == "check" and 1 < i < len(grid.heads) - 1
            table.add_column(head, justify="right" if right else "left", overflow="fold", no_wrap=right)
        for row in grid.rows:
            word = row[-1].split()[-1] if grid.name == "check" else ""
            last = Text(clean(row[-1]), style=STYLES.get(word, ""))
            table.add_row(*(Text(clean(cell)) for cell in row[:-1]), last)
        yield table
        if grid.name == "check":
            yield Text(clean(grid.notes[0]), style="dim")
        yield Text("")
    lines = [Text(clean(line), style="bold" if not i else "") for i, line in enumerate(made["sentences"])]
    lines += [Text(clean(row["sentence"])) for row in made["rows"] if row["verdict"] != "pass"]
    lines += [Text(f"! {clean(line)}", style="yellow") for line in warned(made)]
    yield Group(*lines)
