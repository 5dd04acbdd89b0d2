"""The tables of a report as Markdown: what was written is shown, and marks nothing up."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from evenhand.report.output.escape import visible
from evenhand.report.output.table_model import grids_of

if TYPE_CHECKING:
    from evenhand.report.output.table_model import Grid

__all__ = ["cell", "markdown", "tabled"]

_MARKS = re.compile(r"([\\`*_{}\[\]<>()#+!|~^&$-])")
_PLAIN = re.compile(r"\\([()+-])")  # these mean something at the beginning of a line alone


def markdown(report: Mapping[str, Any]) -> str:
    """Every table of *report*, each with its title and notes."""
    return "\n\n".join(tabled(grid) for grid in grids_of(report)) + "\n"


def cell(text: str) -> str:
    """A text in a cell, letter for letter, on one line."""
    flat = " ".join(visible(text).split())
    return _PLAIN.sub(r"\1", _MARKS.sub(r"\\\1", flat))


def tabled(grid: Grid) -> str:
    """One table with its title and notes."""
    lines = [f"**{cell(grid.title)}**", ""]
    lines += [_row(map(cell, grid.heads)), _row("---" if not i else "---:" for i in range(len(grid.heads)))]
    lines += [_row(map(cell, row)) for row in grid.rows]
    for note in grid.notes:
        if note:
            lines += ["", cell(note)]
    return "\n".join(lines)


def _row(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"
