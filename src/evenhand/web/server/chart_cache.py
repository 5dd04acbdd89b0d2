"""The pictures of a report: drawn once, beside the pages, which keep their place meanwhile."""

from __future__ import annotations

import threading
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from markupsafe import Markup, escape

from evenhand.errors import MissingExtra
from evenhand.report.output.escape import visible
from evenhand.report.sections.comparison.charts import pictures, plans

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evenhand.web.workbench.results_index import Study

__all__ = ["Pictures"]

Plans = dict[str, tuple[dict[str, Any], str, str]]


class Pictures:
    """Pictures by the hash of their report. Drawing takes a second or two and a process of its own."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._one = ThreadPoolExecutor(1, thread_name_prefix="pictures")
        self._drawn: dict[str, Future[dict[str, str]]] = {}
        self._plans: dict[str, Plans] = {}

    def begin(self, study: Study) -> Future[dict[str, str]]:
        """Have them drawn, unless they are already."""
        with self._lock:
            if study.digest not in self._drawn:
                self._plans[study.digest] = plans(study.report)
                self._drawn[study.digest] = self._one.submit(pictures, self._plans[study.digest])
            return self._drawn[study.digest]

    def of(self, study: Study) -> tuple[Mapping[str, Markup], bool]:
        """The pictures, or empty ones of the same size; and whether some are still being drawn."""
        drawing = self.begin(study)
        if not drawing.done():
            return {name: _empty(name, *plan) for name, plan in self._plans[study.digest].items()}, True
        try:
            made = drawing.result()
        except MissingExtra:
            return {}, False
        # made and escaped by charts
        return {name: Markup(svg) for name, svg in made.items()}, False  # noqa: S704

    def wait(self, study: Study) -> dict[str, str]:
        """The pictures, when they are there; none where the extra ``plots`` is not installed."""
        try:
            return self.begin(study).result(timeout=60)
        except MissingExtra:
            return {}


def _empty(name: str, spec: Mapping[str, Any], title: str, told: str) -> Markup:
    room = spec["padding"]  # one number, or one for each side
    room = room if isinstance(room, dict) else dict.fromkeys(("left", "right", "top", "bottom"), room)
    width = round(spec["width"] + room["left"] + room["right"])
    height = round(spec["height"] + room["top"] + room["bottom"])
    said = escape(visible(f"{title}: {told}"))
    return Markup(  # noqa: S704 - numbers, our own name, and escaped words
        f'<svg class="chart" role="img" data-figure="{name}" aria-label="{said}" width="{width}" '
        f'height="{height}" viewBox="0 0 {width} {height}"></svg>'
    )
