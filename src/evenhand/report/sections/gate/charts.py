"""Pictures of a gate: risk against coverage, a panel a signal, and the decision table as bars."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from evenhand.report.output.number_format import count, interval, number
from evenhand.report.sections.comparison.charts import (
    ACCENT,
    CONFIG,
    INK,
    MUTED,
    NARROW,
    RULE,
    WIDE,
    bars,
    fold,
)

__all__ = ["cost_bars", "rate_bars", "risk_panels"]

Chart = tuple[dict[str, Any], str, str]
PANEL, GAP = 150, 54  # pixels of a panel's height, and between rows of panels
TICKS = (0.0, 0.5, 1.0)


def risk_panels(part: Mapping[str, Any], *, narrow: bool = False) -> Chart | None:
    """Risk (wrong of answered) against coverage: a panel for each signal that varies, with its interval."""
    curves = sorted(
        (one for one in part["curves"] if one["varies"] and one["aurc"]["point"] is not None),
        key=lambda one: (one["aurc"]["point"], one["signal"]),
    )
    if not curves:
        return None
    across = 2 if narrow else 4
    width = NARROW if narrow else WIDE
    left, right = 34, 10
    step = (width - left - right) / across
    wide = step - 34
    rows = -(-len(curves) // across)
    height = rows * (PANEL + GAP)
    line: list[dict[str, Any]] = []
    rules: list[dict[str, Any]] = []
    texts: list[dict[str, Any]] = []
    for i, one in enumerate(curves):
        x0, y0 = (i % across) * step, (i // across) * (PANEL + GAP) + 36

        def place(coverage: float, risk: float, x0: float = x0, y0: float = y0) -> tuple[float, float]:
            return x0 + coverage * wide, y0 + (1 - risk) * (PANEL - 36)

        for tick in TICKS:
            x, y = place(0, tick)
            rules.append({"x": x, "y": y, "x2": x + wide})
            texts.append({"x": x - 5, "y": y, "text": f"{tick:g}", "align": "right", "ink": 0})
            x, y = place(tick, 0)
            texts.append({"x": x, "y": y + 13, "text": f"{tick:g}", "align": "center", "ink": 0})
        area = one["aurc"]
        told = f"{number(area['point'])} {interval(area['low'], area['high'], digits=2)}".strip()
        name = fold(one["signal"], 16 if narrow else 28).split("\n")[0]
        texts.append({"x": x0, "y": y0 - 24, "text": name, "align": "left", "ink": 1})
        texts.append({"x": x0, "y": y0 - 10, "text": f"AURC {told}", "align": "left", "ink": 0})
        p = one["points"]
        for coverage, risk, low, high in zip(p["coverage"], p["risk"], p["low"], p["high"], strict=True):
            x, y = place(coverage, risk)
            line.append({
                "x": x, "y": y, "low": place(coverage, low)[1], "high": place(coverage, high)[1], "panel": i,
            })  # fmt: skip
    title = "Risk against coverage of each signal, with the interval of each point"
    told = "; ".join(
        f"{one['signal']}: AURC {number(one['aurc']['point'])} "
        f"{interval(one['aurc']['low'], one['aurc']['high'])}".strip()
        for one in curves
    )
    return _laid(line, rules, texts, (width - left - right, height, left, right)), title, told


def _laid(
    line: list[dict[str, Any]],
    rules: list[dict[str, Any]],
    texts: list[dict[str, Any]],
    size: tuple[float, float, float, float],
) -> dict[str, Any]:
    """A picture by pixels, so that nothing is laid out by the width of a text."""
    width, height, left, right = size
    x = {"field": "x", "type": "quantitative", "scale": {"domain": [0, width]}, "axis": None}
    y = {"field": "y", "type": "quantitative", "scale": {"domain": [height, 0]}, "axis": None}
    panel = {"field": "panel", "type": "nominal"}
    layers: list[dict[str, Any]] = [
        {"data": {"values": rules}, "mark": {"type": "rule", "color": RULE},
         "encoding": {"x": x, "x2": {"field": "x2"}, "y": y}},
        {"data": {"values": line}, "mark": {"type": "area", "color": ACCENT, "opacity": 0.16, "clip": True},
         "encoding": {"x": x, "y": {**y, "field": "high"}, "y2": {"field": "low"}, "detail": panel}},
        {"data": {"values": line}, "mark": {"type": "line", "color": ACCENT, "strokeWidth": 1.8},
         "encoding": {"x": x, "y": y, "detail": panel}},
        {"data": {"values": [one for one in line if _alone(line, one)]},
         "mark": {"type": "point", "shape": "circle", "filled": True, "size": 40, "color": ACCENT,
                  "opacity": 1},
         "encoding": {"x": x, "y": y}},
    ]  # fmt: skip
    for align in ("left", "center", "right"):
        for ink, colour in ((0, MUTED), (1, INK)):
            held = [one for one in texts if one["align"] == align and one["ink"] == ink]
            if held:
                mark = {"type": "text", "align": align, "color": colour, "fontSize": 12, "baseline": "middle"}
                layers.append({
                    "data": {"values": held}, "mark": mark,
                    "encoding": {"x": x, "y": y, "text": {"field": "text"}},
                })  # fmt: skip
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
        "width": width,
        "height": height,
        "autosize": "none",
        "padding": {"left": left, "right": right, "top": 4, "bottom": 4},
        "background": None,
        "layer": layers,
        "config": CONFIG,
    }


def _alone(line: Sequence[Mapping[str, Any]], one: Mapping[str, Any]) -> bool:
    """Whether a panel has so few points that each is marked."""
    return sum(bool(other["panel"] == one["panel"]) for other in line) <= 6


def rate_bars(part: Mapping[str, Any], *, narrow: bool = False) -> Chart | None:
    """The decision table of the planned rule."""
    rows = [
        {
            "name": one["name"].replace("_", " "),
            "point": one["rate"],
            "low": one["wilson"][0],
            "high": one["wilson"][1],
            "label": f"{count(one['k'])}/{count(one['n'])} {interval(*one['wilson'], digits=2)}".strip(),
            "strong": not one["descriptive"],
        }
        for one in part["rules"][0]["rates"]
        if one["rate"] is not None
    ]
    if not rows:
        return None
    return bars(rows, "rate", narrow=narrow, title=f"Decisions of {part['rule']}, with Wilson intervals")


def cost_bars(part: Mapping[str, Any], *, narrow: bool = False) -> Chart | None:
    """The expected cost a question of each rule."""
    costs = part["costs"] or {"rules": [], "best": None}
    rows = [
        {
            "name": one["rule"],
            "point": one["cost"],
            "low": one["low"],
            "high": one["high"],
            "label": f"{number(one['cost'])} {interval(one['low'], one['high'], digits=2)}".strip(),
            "strong": one["rule"] == costs["best"],
        }
        for one in costs["rules"]
        if one["cost"] is not None
    ]
    if not rows:
        return None
    return bars(rows, "expected cost a question", narrow=narrow, title="Expected cost of each rule")
