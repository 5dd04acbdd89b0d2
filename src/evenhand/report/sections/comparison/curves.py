"""Curves over the number of questions, as Vega-Lite specs: how a study settles, and what n would find."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import floor, log10
from typing import Any

from evenhand.report.output.number_format import count, number, signed, signed_interval
from evenhand.report.sections.comparison.charts import (
    ACCENT,
    CONFIG,
    INK,
    MUTED,
    NARROW,
    WIDE,
    fold,
    ticks_for,
)

__all__ = ["gap", "power_curves", "standings"]

LINES = 6  # systems drawn at most
APART = 16  # pixels between the middles of two labels

Made = tuple[dict[str, Any], str, str]


def standings(report: Mapping[str, Any], *, narrow: bool = False) -> Made | None:
    """Spec, title and description of running means as questions are added; the leader with its interval."""
    found = report.get("stability")
    if not found or len(found["sizes"]) < 3:
        return None
    curves = found["curves"][:LINES]
    rows, bands = [], []
    for i, one in enumerate(curves):
        c = one["curve"]
        for n, mean in zip(found["sizes"], c["mean"], strict=True):
            rows.append({"n": n, "value": mean, "name": one["system"], "lead": i == 0})
        if i == 0:
            bands = _bands(found["sizes"], c)
    ends = [
        {"name": one["system"], "value": one["curve"]["mean"][-1], "lead": i == 0}
        for i, one in enumerate(curves)
    ]
    told = "; ".join(
        f"{one['name']}: {number(one['value'])} at {count(found['n'])} questions" for one in ends
    )
    title = f"{found['metric']} as questions are added in random order"
    settled = [b for b in bands if b["n"] >= found["n"] / 6]
    reach = [
        *({"point": r["value"], "low": None, "high": None} for r in rows if r["n"] >= found["n"] / 12),
        *({"point": b["low"], "low": None, "high": b["high"]} for b in settled),
    ]
    spec = _spec(
        rows, bands, reach, found["n"], found["metric"], ends=ends, zero=False, narrow=narrow, height=260
    )
    return spec, title, told


def gap(report: Mapping[str, Any], *, narrow: bool = False) -> Made | None:
    """Spec, title and description of the leader minus its closest rival, with interval and sequence."""
    found = report.get("stability")
    if not found or not found["gap"] or len(found["sizes"]) < 3:
        return None
    g = found["gap"]
    c, pair = g["curve"], f"{g['a']} − {g['b']}"
    rows = [
        {"n": n, "value": mean, "name": pair, "lead": True}
        for n, mean in zip(found["sizes"], c["mean"], strict=True)
    ]
    bands = _bands(found["sizes"], c)
    end = f"{signed(c['mean'][-1])} {signed_interval(c['low'][-1], c['high'][-1])}".strip()
    title = f"Difference in {found['metric']}, {pair}, as questions are added in random order"
    settled = [b for b in bands if b["n"] >= found["n"] / 4] or bands
    reach = [
        {"point": b["low"], "low": b["seq_low"], "high": b[key]}
        for b in settled
        for key in ("high", "seq_high")
    ]
    spec = _spec(
        rows, bands, reach, found["n"], f"difference in {found['metric']}", ends=[], zero=True, narrow=narrow,
        height=220,
    )  # fmt: skip
    return spec, title, f"{pair} at {count(found['n'])} questions: {end}"


def power_curves(
    lines: Sequence[Mapping[str, Any]],
    *,
    target: float,
    measure: str,
    title: str,
    unit: str = "questions",
    narrow: bool = False,
) -> Made:
    """Spec, title and description of what several designs reach over n.

    *lines*: ``name``, ``sizes``, ``power`` (the *measure* at each size: power, half-width, lower bound) and
    ``needed``, the n at which the line reaches *target*, or None.
    """
    rows = [
        {"n": n, "value": p, "name": one["name"], "lead": i == 0}
        for i, one in enumerate(lines)
        for n, p in zip(one["sizes"], one["power"], strict=True)
    ]
    most = max(row["n"] for row in rows)
    ends = [
        {
            "name": one["name"] + (f": {count(one['needed'])}" if one["needed"] else ""),
            "value": one["power"][-1],
            "lead": i == 0,
        }
        for i, one in enumerate(lines)
    ]
    told = "; ".join(
        f"{one['name']}: {count(one['needed'])}" if one["needed"] else f"{one['name']}: not reached"
        for one in lines
    )
    tops = (
        (0.0, 1.0) if measure == "power" else (target, *(row["value"] for row in rows if row["n"] > most / 8))
    )
    reach = [{"point": p, "low": None, "high": None} for p in tops]
    shown = f"{target:.0%}" if measure == "power" else f"{target:g}"
    head = f"{measure} (line at {shown})"
    spec = _spec(rows, [], reach, most, head, ends=ends, zero=False, narrow=narrow, height=260)
    dots = [{"n": one["needed"], "value": target} for one in lines if one["needed"]]
    x, y = spec["layer"][0]["encoding"]["x"], spec["layer"][0]["encoding"]["y"]
    x["axis"]["title"] = unit
    rule = {"type": "rule", "color": INK, "strokeWidth": 1}
    dot = {"type": "point", "shape": "circle", "size": 60, "filled": True, "color": INK, "opacity": 1}
    spec["layer"] += [
        {"data": {"values": [{"value": target}]}, "mark": rule, "encoding": {"y": y}},
        {"data": {"values": dots}, "mark": dot, "encoding": {"x": x, "y": y}},
    ]
    return spec, title, told


def _bands(sizes: Sequence[int], c: Mapping[str, Any]) -> list[dict[str, Any]]:
    columns = (c[name] for name in ("low", "high", "seq_low", "seq_high"))
    names = ("n", "low", "high", "seq_low", "seq_high")
    return [dict(zip(names, row, strict=True)) for row in zip(sizes, *columns, strict=True)]


def _spec(
    rows: list[dict[str, Any]],
    bands: list[dict[str, Any]],
    reach: list[dict[str, Any]],
    most: int,
    title: str,
    *,
    ends: list[dict[str, Any]],
    zero: bool,
    narrow: bool,
    height: int,
) -> dict[str, Any]:
    ticks = ticks_for(reach, zero=zero, most=6)
    places = max(2, -floor(log10(ticks[1] - ticks[0]) + 1e-9))
    whole = [{"point": most, "low": None, "high": None}]
    steps = [t for t in ticks_for(whole, zero=True, most=5 if narrow else 10) if t <= most and t == int(t)]
    labels = _labels(ends, ticks[0], ticks[-1], height, width=16 if narrow else 30)
    longest = max((len(part) for one in labels for part in one["name"].split("\n")), default=0)
    left, right = (44, 12) if narrow else (60, 20)
    right += 8 + int(7.4 * longest) if labels else 0
    width = NARROW if narrow else WIDE
    x: dict[str, Any] = {
        "field": "n",
        "type": "quantitative",
        "scale": {"domain": [0, most], "nice": False},
        "axis": {"title": "questions", "grid": False, "values": steps, "format": ",d"},
    }
    y: dict[str, Any] = {
        "field": "value",
        "type": "quantitative",
        "scale": {"domain": [ticks[0], ticks[-1]], "nice": False, "zero": False},
        "axis": {
            "title": None,
            "grid": True,
            "values": ticks,
            "format": f"{'+' if zero else ''}.{places}f",
            "labelExpr": "datum.value === 0 ? '0' : datum.label" if zero else "datum.label",
        },
    }
    colour = {"condition": {"test": "datum.lead", "value": ACCENT}, "value": MUTED}
    layers: list[dict[str, Any]] = []
    for low, high, look in (
        ("seq_low", "seq_high", {"color": MUTED, "opacity": 0.14}),
        ("low", "high", {"color": ACCENT, "opacity": 0.24}),
    ):
        values = [b for b in bands if b[low] is not None and b[high] is not None]
        if values:
            layers.append(
                {
                    "data": {"values": values},
                    "mark": {"type": "area", "clip": True, **look},
                    "encoding": {"x": x, "y": {**y, "field": low}, "y2": {"field": high}},
                }
            )
    if zero:
        rule = {"type": "rule", "color": INK, "strokeWidth": 1}
        layers.append({"data": {"values": [{"value": 0}]}, "mark": rule, "encoding": {"y": y}})
    layers.append(
        {
            "mark": {"type": "line", "clip": True, "strokeWidth": 2, "strokeJoin": "round"},
            "encoding": {
                "x": x,
                "y": y,
                "detail": {"field": "name"},
                "stroke": colour,
                "strokeWidth": {"condition": {"test": "datum.lead", "value": 2.5}, "value": 1.25},
            },
        }
    )
    if labels:
        layers.append(
            {
                "data": {"values": labels},
                "mark": {
                    "type": "text",
                    "align": "left",
                    "baseline": "middle",
                    "fontSize": 13,
                    "lineBreak": "\n",
                    "lineHeight": 15,
                    "clip": False,
                },
                "encoding": {
                    "x": {"value": width - left - right + 8},
                    "y": {**y, "field": "place"},
                    "text": {"field": "name"},
                    "color": {"condition": {"test": "datum.lead", "value": ACCENT}, "value": INK},
                },
            }
        )
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
        "width": width - left - right,
        "height": height,
        "autosize": "none",
        "padding": {"left": left, "right": right, "top": 26, "bottom": 44},
        "background": None,
        "title": {
            "text": title, "anchor": "start", "frame": "group", "fontSize": 12, "fontWeight": "normal",
            "color": MUTED, "offset": 8, "dx": 0,
        },
        "data": {"values": rows},
        "layer": layers,
        "config": CONFIG,
    }  # fmt: skip


def _labels(
    ends: list[dict[str, Any]], low: float, high: float, height: int, *, width: int
) -> list[dict[str, Any]]:
    """Names at the ends of their lines, moved apart where they would touch."""
    made = [{**one, "name": fold(one["name"], width)} for one in ends]
    made.sort(key=lambda one: -one["value"])
    at, edge = [], -1e9
    for one in made:
        tall = 15 * one["name"].count("\n")
        middle = height * (high - min(high, max(low, one["value"]))) / (high - low)
        middle = max(middle, edge + APART + tall / 2)
        at.append(middle)
        edge = middle + tall / 2
    over = edge - (height + 4)
    for i in range(len(made) - 1, -1, -1):  # what ran over the lower edge pushes the others up again
        if over <= 0:
            break
        at[i] -= over
        over = 0 if i == 0 else at[i - 1] + APART - at[i]
    return [{**one, "place": high - y * (high - low) / height} for one, y in zip(made, at, strict=True)]
