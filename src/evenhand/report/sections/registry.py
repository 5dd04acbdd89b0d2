"""Sections of the report beside the comparison: the template, plots and terminal table of each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import RenderableType

__all__ = ["PARTS", "Part", "charts_of", "parts_in", "tables_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One section: ``name`` is its key in report.json, ``title`` its heading in the page.

    ``template`` is included in the page with ``p`` as the section. ``module``, where given, may have
    ``CHARTS``: figure -> maker(part, narrow=bool) -> (Vega-Lite specification, title, description) or None,
    drawn wide and narrow like those of `evenhand.report.sections.comparison.charts`; and ``tables(part)``:
    what the terminal prints. Its rows are a field of that name in
    `evenhand.report.schema.whole_report.Report`.
    """

    name: str
    title: str
    template: str
    module: str = ""


PARTS: tuple[Part, ...] = (
    Part(
        name="criteria",
        title="Criteria",
        template="criteria.html",
        module="evenhand.report.sections.criteria.tables",
    ),
    Part(
        name="panel",
        title="Panel and people",
        template="panel.html",
        module="evenhand.report.sections.panel.tables",
    ),
    Part(
        name="threshold",
        title="Threshold",
        template="threshold.html",
        module="evenhand.report.sections.threshold.tables",
    ),
    Part(name="gate", title="Gate", template="gate.html", module="evenhand.report.sections.gate.tables"),
    Part(
        name="answers",
        title="Generated answers",
        template="answers.html",
        module="evenhand.report.sections.generation.tables",
    ),
    Part(
        name="stress",
        title="What fools the judges",
        template="stress.html",
        module="evenhand.report.sections.robustness.tables",
    ),
)


def parts_in(report: Mapping[str, Any]) -> list[Part]:
    """The sections that this report has, in the order of the page."""
    return [part for part in PARTS if report.get(part.name)]


def charts_of(report: Mapping[str, Any]) -> dict[str, Callable[..., Any]]:
    """The makers of each section's figures, by name; each takes the whole report and ``narrow``."""
    made: dict[str, Callable[..., Any]] = {}
    for part in parts_in(report):
        found = getattr(import_module(part.module), "CHARTS", {}) if part.module else {}
        made |= {figure: _of(part.name, maker) for figure, maker in found.items()}
    return made


def _of(name: str, maker: Callable[..., Any]) -> Callable[..., Any]:
    def draw(report: Mapping[str, Any], *, narrow: bool) -> Any:
        return maker(report[name], narrow=narrow)

    return draw


def tables_of(report: Mapping[str, Any]) -> Iterator[RenderableType]:
    """What each section prints on a terminal."""
    for part in parts_in(report):
        prints = getattr(import_module(part.module), "tables", None) if part.module else None
        if prints is not None:
            yield from prints(report[part.name])
