"""The report's charts as Altair objects, from the same specifications: ``eh.charts``.

    eh.charts.forest(comparison)            estimates on the primary metric, with their intervals
    eh.charts.differences(outcome)          paired differences
    eh.charts.every("results/")             all charts of a report, by name

Each takes a report (its JSON, an `Outcome`, a results folder) or what a report is made of (a `Comparison`,
or `Measurements` with a metric). Needs the extra ``notebook``.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from evenhand.errors import InputError
from evenhand.model.comparison import Comparison
from evenhand.model.result import Measurements
from evenhand.plugins import need
from evenhand.report.sections.comparison import charts

if TYPE_CHECKING:
    from altair import LayerChart

__all__ = ["differences", "every", "forest"]

# the report colours its pictures by the page's style; a chart of its own has a paper of its own
COLOURS = {
    charts.INK: "#1c2126",
    charts.MUTED: "#5a626b",
    charts.RULE: "#dcd8cf",
    charts.ACCENT: "#1b5e8a",
    charts.PAPER: "#ffffff",
}


def forest(thing: Any, metric: str | None = None, *, narrow: bool = False) -> LayerChart:
    """Each system with its interval, best first; *metric*: of Measurements, which have no primary one."""
    return _one(charts.forest, thing, metric, narrow, "there is no estimate to draw")


def differences(thing: Any, metric: str | None = None, *, narrow: bool = False) -> LayerChart:
    """Each pair's difference with its interval; strong where the verdict is better or worse."""
    return _one(charts.differences, thing, metric, narrow, "there is no pair to draw")


def every(thing: Any) -> dict[str, LayerChart]:
    """All charts of a report, by the names of its figures; each also ``-narrow``."""
    return {name: _chart(*plan) for name, plan in charts.plans(_report(thing, None, whole=True)).items()}


def _one(maker: Any, thing: Any, metric: str | None, narrow: bool, nothing: str) -> LayerChart:
    made = maker(_report(thing, metric), narrow=narrow)
    if made is None:
        raise InputError(nothing, mend="compare two systems or more, on questions where they have values")
    return _chart(*made)


def _chart(spec: Mapping[str, Any], title: str, told: str) -> LayerChart:
    altair = need("altair", extra="notebook")
    coloured = _coloured(spec) | {"background": COLOURS[charts.PAPER]}
    # what a screen reader says of a picture; without a title drawn, which stands around it on the page
    coloured |= {"description": f"{title}: {told}"}
    kind = altair.LayerChart if "layer" in coloured else altair.Chart
    chart: LayerChart = kind.from_dict(coloured, validate=False)  # it is ours; tests validate it
    return chart


def _coloured(thing: Any) -> Any:
    if isinstance(thing, Mapping):
        # of the data nothing is a colour, whatever it looks like
        return {key: inner if key == "values" else _coloured(inner) for key, inner in thing.items()}
    if isinstance(thing, list):
        return [_coloured(inner) for inner in thing]
    return COLOURS.get(thing, thing) if isinstance(thing, str) else thing


def _report(thing: Any, metric: str | None, *, whole: bool = False) -> Mapping[str, Any]:
    """The parts of a report that a chart is made from."""
    if isinstance(thing, str | os.PathLike):
        from pathlib import Path

        from evenhand.formats.results.folder import read_report

        thing = read_report(Path(thing))[1]
    thing = getattr(thing, "report", thing)
    if isinstance(thing, Measurements) and not whole:
        from evenhand.metrics.comparison.summary import compare

        if metric is None:
            raise InputError(
                "measurements have no primary metric", mend=f"name one: {', '.join(thing.metrics)}"
            )
        thing = compare(thing, primary=metric, exploratory_metrics=())
    if isinstance(thing, Comparison) and not whole:
        return {
            "study": {"primary": metric or thing.primary},
            "estimates": [asdict(one) for one in thing.estimates],
            "contrasts": [asdict(one) for one in thing.contrasts],
            "standing": asdict(thing.standing) if thing.standing is not None else None,
        }
    if isinstance(thing, Mapping) and "study" in thing:
        return thing if metric is None else {**thing, "study": {**thing["study"], "primary": metric}}
    raise InputError(
        f"there is no chart of {type(thing).__name__}",
        mend="give a report, an outcome or a results folder"
        + ("" if whole else "; or a comparison, or measurements with a metric"),
    )
