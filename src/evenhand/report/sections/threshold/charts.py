"""Pictures of a threshold study: the rate over thresholds with its ribbon, and the groups at the primary."""

from __future__ import annotations

from collections.abc import Mapping
from math import floor, log10
from typing import Any

from evenhand.report.output.number_format import interval, number, share, share_interval
from evenhand.report.sections.comparison.charts import (
    ACCENT,
    CONFIG,
    INK,
    MUTED,
    NARROW,
    PAPER,
    WIDE,
    bars,
    ticks_for,
)

__all__ = ["curve", "group_bars", "main_rows"]

Chart = tuple[dict[str, Any], str, str]
HEIGHT = 260


def main_rows(part: Mapping[str, Any], by: str = "all") -> list[dict[str, Any]]:
    """The rows of the main arm of one kind."""
    main = next(arm["name"] for arm in part["arms"] if arm["main"])
    return [row for row in part["rates"] if row["arm"] == main and row["by"] == by]


def curve(part: Mapping[str, Any], *, narrow: bool = False) -> Chart | None:
    """The macro rate over thresholds with its interval; values of the grid as dots, hollow where sparse."""
    line = [_point(row) for row in part["explorer"] if row["macro"]["point"] is not None]
    dots = [_point(row) for row in main_rows(part) if row["macro"]["point"] is not None]
    if not dots:
        return None
    ribbon = [one for one in line if one["low"] is not None]
    low, high = min(one["x"] for one in line), max(one["x"] for one in line)
    size = max(high - low, 0.1)
    ends = [{"point": low, "low": None, "high": low + size}]
    steps = ticks_for(ends, zero=False, most=5 if narrow else 9)
    places = max(1, -floor(log10(steps[1] - steps[0]) + 1e-9))
    left, right = (44, 20) if narrow else (60, 40)
    width = (NARROW if narrow else WIDE) - left - right
    x: dict[str, Any] = {
        "field": "x",
        "type": "quantitative",
        "scale": {"domain": [steps[0], steps[-1]], "nice": False, "zero": False},
        "axis": {"title": "threshold", "grid": False, "values": steps, "format": f".{places}f"},
    }
    y: dict[str, Any] = {
        "field": "y",
        "type": "quantitative",
        "scale": {"domain": [0, 1], "nice": False},
        "axis": {"title": None, "grid": True, "values": [0, 0.25, 0.5, 0.75, 1], "format": ".0%"},
    }
    fill = {"condition": {"test": "datum.sparse", "value": PAPER}, "value": ACCENT}
    primary = [{"x": part["primary"]}]
    layers: list[dict[str, Any]] = [
        {"data": {"values": ribbon}, "mark": {"type": "area", "color": ACCENT, "opacity": 0.2},
         "encoding": {"x": x, "y": {**y, "field": "low"}, "y2": {"field": "high"}}},
        {"data": {"values": primary}, "mark": {"type": "rule", "color": INK, "strokeDash": [3, 3]},
         "encoding": {"x": x}},
        {"data": {"values": line}, "mark": {"type": "line", "color": ACCENT, "strokeWidth": 1.5},
         "encoding": {"x": x, "y": y}},
        {"data": {"values": dots},
         "mark": {"type": "point", "shape": "circle", "size": 72, "strokeWidth": 2, "opacity": 1,
                  "stroke": ACCENT},
         "encoding": {"x": x, "y": y, "fill": fill}},
        {"data": {"values": dots},
         "mark": {"type": "text", "dy": -14, "fontSize": 12, "color": MUTED, "clip": False},
         "encoding": {"x": x, "y": y, "text": {"field": "label"}}},
    ]  # fmt: skip
    spec = {
        "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
        "width": width,
        "height": HEIGHT,
        "autosize": "none",
        "padding": {"left": left, "right": right, "top": 20, "bottom": 44},
        "background": None,
        "data": {"values": line},
        "layer": layers,
        "config": CONFIG,
    }
    title = "Share of passed units that cannot answer, by threshold, with its interval over sources"
    told = "; ".join(
        f"at {one['x']:g}: {share(one['y'])} {share_interval(one['low'], one['high'])} of n {one['n']}"
        + (" (sparse)" if one["sparse"] else "")
        for one in dots
    )
    return spec, title, told


def _point(row: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "x": row["threshold"],
        "y": row["macro"]["point"],
        "low": row["macro"]["low"],
        "high": row["macro"]["high"],
        "n": row["n"],
        "sparse": bool(row["sparse"]),
        "label": f"n {row['n']}",
    }


def group_bars(part: Mapping[str, Any], *, narrow: bool = False) -> Chart | None:
    """Roles, types and chunkings at the primary threshold, each with its interval; hollow where sparse."""
    at = part["primary"]
    rows: list[Mapping[str, Any]] = [
        row for by in ("all", "role", "type") for row in main_rows(part, by) if row["threshold"] == at
    ]
    main = next(arm["name"] for arm in part["arms"] if arm["main"])
    rows += [r for r in part["rates"] if r["arm"] != main and r["by"] == "all" and r["threshold"] == at]
    shown = [_bar(row, main) for row in rows if row["macro"]["point"] is not None]
    if len(shown) < 2:
        return None
    title = f"Share of passed units that cannot answer at {at:g}, by role, type and chunking"
    return bars(shown, "share that cannot answer, mean over sources", narrow=narrow, title=title)


def _bar(row: Mapping[str, Any], main: str) -> dict[str, Any]:
    macro = row["macro"]
    name = "all" if row["by"] == "all" else f"{row['by']}: {row[row['by']]}"
    if row["arm"] != main:
        name = f"chunking: {row['arm']}"
    near = f"{number(macro['point'], digits=2)} {interval(macro['low'], macro['high'], digits=2)}".strip()
    return {
        "name": name,
        "point": macro["point"],
        "low": macro["low"],
        "high": macro["high"],
        "label": f"{near} n={row['n']}",
        "strong": not row["sparse"],
    }
