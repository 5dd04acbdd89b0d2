"""Forest plot and paired differences as static SVG, from hand-written Vega-Lite specs."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import textwrap
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from math import ceil, floor, log10
from typing import Any

from evenhand.model.json_text import loads
from evenhand.plugins import need
from evenhand.report.output.number_format import interval, number, signed, signed_interval

__all__ = [
    "PAIRS",
    "bars",
    "differences",
    "draw",
    "fold",
    "forest",
    "pictures",
    "plans",
    "shown_pairs",
    "ticks_for",
]

PAIRS = 24  # pairs drawn at most: with more, only those with the leader are
WIDE, NARROW = 1008, 344
LINE = 34  # characters of a name on one line
LINES = 3
# Colours of the specs are placeholders; in the SVG each becomes a variable of the page's style sheet,
# with a fallback for those who take the picture out of the page.
INK, MUTED, RULE, ACCENT, PAPER = "#101010", "#202020", "#303030", "#404040", "#505050"
_VARIABLES = {
    INK: "var(--ink,#1c2126)",
    MUTED: "var(--muted,#5a626b)",
    RULE: "var(--rule,#dcd8cf)",
    ACCENT: "var(--accent,#1b5e8a)",
    PAPER: "var(--paper,#fff)",
}

CONFIG: dict[str, Any] = {
    "aria": False,
    "font": "system-ui, sans-serif",
    "view": {"stroke": None},
    "axis": {
        "gridColor": RULE,
        "domain": False,
        "ticks": False,
        "labelColor": MUTED,
        "labelFontSize": 12,
        "labelPadding": 6,
        "labelOverlap": False,
        "labelFlush": False,
        "titleColor": MUTED,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "titlePadding": 8,
    },
}


def draw(report: Mapping[str, Any]) -> dict[str, str]:
    """All charts of *report* as SVG, by name, each also ``-narrow``.

    ``estimates``, ``differences``, ``stability``, ``gap`` and those of the other sections; a chart without
    anything to show is left out.
    Raises `MissingExtra` when vl-convert is not installed.
    """
    return pictures(plans(report))


def plans(report: Mapping[str, Any]) -> dict[str, tuple[dict[str, Any], str, str]]:
    """Specification, title and description of each chart of *report*, by name; nothing is drawn yet."""
    from evenhand.report.sections.comparison.curves import gap, standings
    from evenhand.report.sections.registry import charts_of

    makers: dict[str, Callable[..., Any]] = {
        "estimates": forest,
        "differences": differences,
        "stability": standings,
        "gap": gap,
        **charts_of(report),
    }
    made_of: dict[str, tuple[dict[str, Any], str, str]] = {}
    for name, maker in makers.items():
        for suffix, narrow in (("", False), ("-narrow", True)):
            made = maker(report, narrow=narrow)
            if made is not None:
                made_of[name + suffix] = made
    return made_of


def pictures(plans: Mapping[str, tuple[dict[str, Any], str, str]]) -> dict[str, str]:
    """SVG of each spec with its title and description; the names make ids unique on a page."""
    if find_spec("vl_convert") is None:
        need("vl_convert", extra="plots")
    drawn = _svgs([spec for spec, _, _ in plans.values()])
    return {
        name: _dress(svg, f"chart-{name}", title, told)
        for (name, (_, title, told)), svg in zip(plans.items(), drawn, strict=True)
    }


_DRAW = (
    "import json, sys, vl_convert as v; "
    "json.dump([v.vegalite_to_svg(s, allowed_base_urls=[]) for s in json.load(sys.stdin)], sys.stdout)"
)


def _svgs(specs: Sequence[Mapping[str, Any]]) -> list[str]:
    """SVG of Vega-Lite specs.

    Drawn by a second Python: the engine inside vl-convert takes 65 MB and keeps them until its process ends.
    """
    if not specs:
        return []
    if sys.executable:
        ran = subprocess.run(  # -P: nothing is imported from the folder we happen to be in
            [sys.executable, "-P", "-c", _DRAW],
            input=json.dumps(specs).encode(),
            capture_output=True,
            check=False,
        )
        if not ran.returncode:
            return list(loads(ran.stdout))
    convert = need("vl_convert", extra="plots")  # embedded, or not allowed to start a process
    return [convert.vegalite_to_svg(dict(spec), allowed_base_urls=[]) for spec in specs]


def forest(report: Mapping[str, Any], *, narrow: bool = False) -> tuple[dict[str, Any], str, str] | None:
    """Spec, title and description of the estimates of the primary metric, best first."""
    metric = report["study"]["primary"]
    estimates = [e for e in report["estimates"] if e["metric"] == metric and e["point"] is not None]
    if not estimates:
        return None
    estimates.sort(key=lambda e: (-e["point"], e["system"]))
    standing = report["standing"]
    playing = standing["in_play"] if standing and standing["metric"] == metric else None
    rows = [
        {
            "name": e["system"],
            "point": e["point"],
            "low": e["low"],
            "high": e["high"],
            "label": f"{number(e['point'])} {interval(e['low'], e['high'])}".strip(),
            "strong": playing is None or e["system"] in playing,
        }
        for e in estimates
    ]
    title = f"{metric} of each system with its interval"
    return _spec(rows, metric, narrow=narrow, zero=False), title, _told(rows)


def bars(
    rows: Sequence[dict[str, Any]], axis: str, *, title: str, narrow: bool, zero: bool = False
) -> tuple[dict[str, Any], str, str]:
    """Spec, title and description of *rows*: name, point, low and high (or None), label, strong."""
    return _spec(rows, axis, narrow=narrow, zero=zero), title, _told(rows)


def shown_pairs(report: Mapping[str, Any]) -> tuple[list[dict[str, Any]], int]:
    """The declared contrasts on the primary metric that are drawn, and how many there are in all."""
    metric = report["study"]["primary"]
    every = [c for c in report["contrasts"] if c["metric"] == metric]
    pairs = [c for c in every if not c["exploratory"]] or every
    if len(pairs) <= PAIRS:
        return pairs, len(pairs)
    standing = report["standing"]
    leader = standing["leader"] if standing else pairs[0]["a"]
    return [c for c in pairs if leader in (c["a"], c["b"])][:PAIRS], len(pairs)


def differences(report: Mapping[str, Any], *, narrow: bool = False) -> tuple[dict[str, Any], str, str] | None:
    """Spec, title and description of the paired differences on the primary metric."""
    pairs = [c for c in shown_pairs(report)[0] if c["difference"] is not None]
    if not pairs:
        return None
    rows = [
        {
            "name": f"{c['a']}\n− {c['b']}",
            "point": c["difference"],
            "low": c["low"],
            "high": c["high"],
            "label": f"{signed(c['difference'])} {signed_interval(c['low'], c['high'])}".strip(),
            "strong": c["verdict"] in ("better", "worse"),
        }
        for c in pairs
    ]
    metric = report["study"]["primary"]
    title = f"Paired differences in {metric}, each with its interval"
    return _spec(rows, f"difference in {metric}", narrow=narrow, zero=True), title, _told(rows)


def _told(rows: Sequence[Mapping[str, Any]]) -> str:
    return "; ".join(f"{' '.join(row['name'].split())}: {row['label']}" for row in rows)


def _spec(rows: Sequence[dict[str, Any]], title: str, *, narrow: bool, zero: bool) -> dict[str, Any]:
    names = [row["name"] for row in rows]
    if not narrow and all(len(name) <= LINE for name in names):  # each pair on one line if all fit
        names = [name.replace("\n", " ") for name in names]
    names = [fold(name, LINE + 10 * narrow) for name in names]
    lines = max(name.count("\n") + 1 for name in names)
    width = NARROW if narrow else WIDE
    longest = max(len(part) for name in names for part in name.split("\n"))
    left, right = (20, 20) if narrow else (min(300, 28 + int(7.6 * longest)), 184)
    step = 26 + 15 * lines if narrow else max(30 if len(rows) <= 16 else 24, 12 + 15 * lines)
    height = step * len(rows)
    ticks = ticks_for(rows, zero=zero, most=5 if narrow else 8)
    places = max(2, -floor(log10(ticks[1] - ticks[0]) + 1e-9))
    values = []
    for i, (row, name) in enumerate(zip(rows, names, strict=True)):
        centre = step * i + (step - 9 if narrow else step / 2)
        low = row["low"] if row["low"] is not None else row["point"]
        high = row["high"] if row["high"] is not None else row["point"]
        # of several lines the first is placed: above the bar there must be room for the others
        first = centre - 15 * name.count("\n") if narrow else centre - 7.5 * name.count("\n")
        values.append({**row, "name": name, "y": centre, "first": first, "low": low, "high": high})
    x: dict[str, Any] = {
        "type": "quantitative",
        "scale": {"domain": [ticks[0], ticks[-1]], "nice": False, "zero": False},
        "axis": {
            "title": title,
            "grid": True,
            "values": ticks,
            "format": f"{'+' if zero else ''}.{places}f",
            "labelExpr": "datum.value === 0 ? '0' : datum.label" if zero else "datum.label",
        },
    }
    y = {"field": "y", "type": "quantitative", "scale": {"domain": [height, 0]}, "axis": None}
    colour = {"condition": {"test": "datum.strong", "value": ACCENT}, "value": MUTED}
    filled = {"condition": {"test": "datum.strong", "value": ACCENT}, "value": PAPER}
    text = {"type": "text", "fontSize": 13, "color": INK, "lineBreak": "\n", "lineHeight": 15, "clip": False}
    place = {"baseline": "line-bottom", "dy": -10} if narrow else {"baseline": "middle"}
    called = {"x": {"value": 0 if narrow else -left}, "y": {**y, "field": "first"}, "text": {"field": "name"}}
    dot = {"type": "point", "shape": "circle", "size": 72, "strokeWidth": 2, "opacity": 1}
    layers: list[dict[str, Any]] = [
        {"mark": {"type": "rule", "strokeWidth": 2.5, "strokeCap": "round"}, "encoding": {
            "x": {**x, "field": "low"}, "x2": {"field": "high"}, "y": y, "color": colour}},
        {"mark": dot, "encoding": {
            "x": {**x, "field": "point"}, "y": y, "stroke": colour, "fill": filled}},
        {"mark": {**text, **place, "align": "left"}, "encoding": called},
    ]  # fmt: skip
    if narrow:  # a halo keeps grid and zero line out of the names
        halo = {**text, **place, "align": "left", "color": PAPER, "stroke": PAPER, "strokeWidth": 5}
        layers.insert(0, {"mark": halo, "encoding": called})
    else:
        beside = {"x": {"value": width - left}, "y": y, "text": {"field": "label"}}
        layers.append({"mark": {**text, "align": "right", "baseline": "middle"}, "encoding": beside})
    if zero:
        layers.insert(
            0,
            {"mark": {"type": "rule", "color": INK, "strokeWidth": 1}, "encoding": {"x": {**x, "datum": 0}}},
        )
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
        "width": width - left - right,
        "height": height,
        # nothing is laid out by the width of a text, which depends on the fonts of a machine
        "autosize": "none",
        "padding": {"left": left, "right": right, "top": 4, "bottom": 44},
        "background": None,
        "data": {"values": values},
        "layer": layers,
        "config": CONFIG,
    }


def fold(name: str, width: int) -> str:
    """A name on at most `LINES` lines a part; what is left is an ellipsis (the tables have it whole)."""
    from evenhand.report.output.escape import visible

    parts = []
    for part in name.split("\n"):
        lines = textwrap.wrap(visible(part), width, break_on_hyphens=False) or [""]
        if len(lines) > LINES:
            lines = [*lines[: LINES - 1], lines[LINES - 1][: width - 1] + "…"]
        parts += lines
    return "\n".join(parts)


def ticks_for(rows: Sequence[Mapping[str, Any]], *, zero: bool, most: int) -> list[float]:
    """Round positions that enclose all intervals, in steps of 1, 2 or 5 times a power of ten.

    *rows* hold ``point``, ``low`` and ``high`` or None; at most *most* steps; with *zero* 0 is enclosed.
    """
    ends = [row[key] for row in rows for key in ("low", "high", "point") if row[key] is not None]
    low, high = min(ends), max(ends)
    if zero:
        low, high = min(low, 0.0), max(high, 0.0)
    reach = max(high - low, 0.02)
    scale = 10 ** floor(log10(reach / most))
    step = next(scale * m for m in (1, 2, 5, 10, 20) if reach / (scale * m) <= most - 1)
    first, last = floor(low / step + 1e-9), ceil(high / step - 1e-9)
    last = max(last, first + 1)
    return [round(step * i, 10) for i in range(first, last + 1)]


_TAG = re.compile("<[^>]*>")
_COLOUR = re.compile(r'"(#(?:10|20|30|40|50){3})"')
# groups inside are no pictures of their own: the whole has the name
_PARTS = re.compile(r' (?:role="graphics-(?:symbol|object)"|aria-roledescription="[^"]*")')


def _dress(svg: str, name: str, title: str, told: str) -> str:
    """Give the picture its colours by variable, a size that follows the page, a title and a description."""
    from markupsafe import escape

    from evenhand.report.output.escape import visible

    # only inside tags: a name that looks like a colour stays a name
    svg = _TAG.sub(
        lambda tag: _PARTS.sub(
            "", _COLOUR.sub(lambda found: f'"{_VARIABLES.get(found[1], found[1])}"', tag[0])
        ),
        svg,
    )
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="chart" role="img" '
        f'aria-labelledby="{name}-t {name}-d" '
    )
    svg = re.sub(r'^<svg xmlns="[^"]*" xmlns:xlink="[^"]*" version="1\.1" class="marks" ', head, svg, count=1)
    inside = (
        f'<title id="{name}-t">{escape(visible(title))}</title>'
        f'<desc id="{name}-d">{escape(visible(told))}</desc>'
    )
    end = svg.index(">") + 1
    return svg[:end] + inside + svg[end:]
