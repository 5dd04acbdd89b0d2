"""Tables of a report in plain cells, for Markdown and LaTeX; each section may have its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from evenhand.report.output.number_format import count, interval, number, pvalue, signed, signed_interval
from evenhand.report.sections.comparison.approximate_search import marks
from evenhand.report.sections.registry import parts_in

__all__ = ["Grid", "grids_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """One table: ``rows`` of texts under ``heads``; ``notes`` stand below it. The first column is names."""

    name: str
    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()


def grids_of(report: Mapping[str, Any]) -> Iterator[Grid]:
    """The tables of *report*; a section has its own where its module has ``grids(part)``."""
    yield _estimates(report)
    if report["contrasts"]:
        yield _pairs(report)
    for part in parts_in(report):
        makes = getattr(import_module(part.module), "grids", None) if part.module else None
        if makes is not None:
            yield from makes(report[part.name])


def _estimates(report: Mapping[str, Any]) -> Grid:
    metrics = list(dict.fromkeys(one["metric"] for one in report["estimates"]))
    cell = {(one["system"], one["metric"]): one for one in report["estimates"]}
    systems = list(dict.fromkeys(one["system"] for one in report["estimates"]))
    primary = report["study"]["primary"]

    def order(name: str) -> tuple[float, str]:
        point = (cell.get((name, primary)) or {}).get("point")
        return (2.0 if point is None else -point, name)

    rows, told = [], marks(report["systems"])
    for name in sorted(systems, key=order):
        first = cell.get((name, primary))
        label = f"{name} ({told[name]})" if name in told else name
        cells = [label, count(first["n"]) if first else "–"]
        for metric in metrics:
            one = cell.get((name, metric))
            cell_ = "–" if one is None else f"{number(one['point'])} {interval(one['low'], one['high'])}"
            cells.append(cell_.strip())
        rows.append(tuple(cells))
    level = report["repeat"]["level"]
    return Grid(
        name="results",
        title=f"{report['study']['name']}: each system with its interval",
        heads=("system", "n", *metrics),
        rows=tuple(rows),
        notes=(f"Intervals at {level:.0%}, not adjusted for several comparisons.", report["headline"]),
    )


def _pairs(report: Mapping[str, Any]) -> Grid:
    primary = report["study"]["primary"]
    rows = [
        (
            f"{one['a']} − {one['b']}",
            f"{signed(one['difference'])} {signed_interval(one['low'], one['high'])}".strip(),
            f"{one['wins']}/{one['ties']}/{one['losses']}",
            number(one["d_z"], digits=2),
            pvalue(one["p"]),
            pvalue(one["p_adjusted"]),
            one["verdict"] + (" (exploratory)" if one["exploratory"] else ""),
        )
        for one in report["contrasts"]
        if one["metric"] == primary
    ]
    return Grid(
        name="pairs",
        title=f"Paired differences in {primary}",
        heads=("pair", "difference", "W/T/L", "d_z", "p", "adjusted", "verdict"),
        rows=tuple(rows),
        notes=(
            f"p adjusted by {report['study']['adjust']} over the declared pairs.",
            *(f"{name}: {told}." for name, told in marks(report["systems"]).items()),
        ),
    )
