"""The tables of a report as LaTeX (booktabs): what was written is shown, and no command of it runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from evenhand.report.output.escape import visible
from evenhand.report.output.table_model import grids_of

if TYPE_CHECKING:
    from evenhand.report.output.table_model import Grid

__all__ = ["latex"]

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "−": "$-$",
    "≥": r"$\geq$",
    "≤": r"$\leq$",
    "–": "--",
    "δ": r"$\delta$",
    "∞": r"$\infty$",
}


def latex(report: Mapping[str, Any]) -> str:
    """Every table of *report* as a ``table`` with ``booktabs`` rules, to be put into a paper."""
    head = "% tables of a report by evenhand; needs \\usepackage{booktabs}\n"
    return head + "\n\n".join(_table(grid) for grid in grids_of(report)) + "\n"


def cell(text: str) -> str:
    """A text in a cell, letter for letter, on one line."""
    return "".join(_SPECIAL.get(letter, letter) for letter in " ".join(visible(text).split()))


def _table(grid: Grid) -> str:
    lines = [
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{cell(grid.title)}}}",
        rf"\label{{tab:{''.join(c for c in grid.name if c.isalnum() or c == '-')}}}",
        rf"\begin{{tabular}}{{l{'r' * (len(grid.heads) - 1)}}}",
        r"\toprule",
        _row(grid.heads),
        r"\midrule",
        *(_row(row) for row in grid.rows),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    notes = " ".join(cell(note) for note in grid.notes if note)
    if notes:
        lines.append(rf"\par\smallskip\footnotesize {notes}")
    return "\n".join([*lines, r"\end{table}"])


def _row(cells: Iterable[str]) -> str:
    # a row that begins with a bracket would be taken for an option of the line before
    made = " & ".join(cell(text) for text in cells)
    return (f"{{}}{made}" if made.startswith("[") else made) + r" \\"
