"""Pictures of generated answers: the rate of each check, and retrieval good or bad × answer good or bad."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evenhand.report.output.number_format import count, interval, number, share
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

__all__ = ["check_bars", "quadrant"]

Chart = tuple[dict[str, Any], str, str]
# cell -> (column, row): retrieval good on the left, answer good on top
PLACES = {"working": (0, 0), "fragile": (1, 0), "generation": (0, 1), "retrieval": (1, 1)}
HEIGHT, HEAD = 78, 26  # of a cell, and of what stands above the cells


def check_bars(part: Mapping[str, Any], *, narrow: bool = False) -> Chart | None:
    """The share of items that pass each check, of the first system that has any."""
    own = next((one for one in part["accounts"] if any(row["n"] for row in one["rates"])), None)
    if own is None:
        return None
    rows = [
        {
            "name": row["check"].replace("-", " "),
            "point": row["point"],
            "low": row["low"],
            "high": row["high"],
            "label": f"{count(row['k'])}/{count(row['n'])} "
            f"{interval(row['low'], row['high'], digits=2)}".rstrip(),
            "strong": True,
        }
        for row in own["rates"]
        if row["n"]
    ]
    title = f"Share of items of {own['system']} that pass each check, with its interval"
    return bars(rows, "share that passes", title=title, narrow=narrow)


def quadrant(part: Mapping[str, Any], *, narrow: bool = False) -> Chart | None:
    """Four cells, each as dark as it is full, with its count and share."""
    one = next((d for d in part["diagnosis"] if sum(c["count"] for c in d["cells"])), None)
    if one is None:
        return None
    held = {row["name"]: row for row in one["cells"]}
    if not held["working"]["share"]["n"]:
        return None
    width = NARROW if narrow else WIDE
    left, right = (66, 8) if narrow else (130, 8)
    half = (width - left - right - 8) / 2
    cells: list[dict[str, Any]] = []
    texts: list[dict[str, Any]] = []
    for name, (column, row) in PLACES.items():
        x, y = left + column * (half + 8), HEAD + row * (HEIGHT + 8)
        found = held[name]["share"]
        told = f"{count(found['k'])} of {count(found['n'])}, {share(found['point'])}"
        cells.append(
            {"x": x, "x2": x + half, "y": y, "y2": y + HEIGHT, "full": 0.06 + 0.5 * (found["point"] or 0)}
        )
        lines = [(name, 22, 15, INK), (told, 43, 12, INK)]
        lines.append((interval(found["low"], found["high"], digits=2), 60, 12, MUTED))
        texts += [
            {"x": x + 10, "y": y + down, "text": line, "size": size, "ink": ink}
            for line, down, size, ink in lines
        ]
    heads = [("retrieval good", left, 14), ("retrieval bad", left + half + 8, 14)]
    texts += [{"x": x, "y": y, "text": word, "size": 12, "ink": MUTED} for word, x, y in heads]
    for below, word in enumerate(("answer good", "answer bad")):
        for i, line in enumerate(fold(word, 8 if narrow else 20).split("\n")):
            middle = HEAD + below * (HEIGHT + 8) + HEIGHT / 2 + 15 * i
            texts.append({"x": 0, "y": middle, "text": line, "size": 12, "ink": MUTED})
    title = f"Retrieval good or bad, answer good or bad: {one['system']}"
    said = "; ".join(
        f"{name}: {count(held[name]['share']['k'])} of {count(held[name]['share']['n'])} "
        f"({number(held[name]['share']['point'])})"
        for name in PLACES
    )
    return _laid(cells, texts, width, HEAD + 2 * HEIGHT + 14), title, said


def _laid(
    cells: list[dict[str, Any]], texts: list[dict[str, Any]], width: float, height: float
) -> dict[str, Any]:
    """A picture by pixels, so that nothing is laid out by the width of a text."""
    x = {"field": "x", "type": "quantitative", "scale": {"domain": [0, width]}, "axis": None}
    y = {"field": "y", "type": "quantitative", "scale": {"domain": [height, 0]}, "axis": None}
    layers: list[dict[str, Any]] = [
        {
            "data": {"values": cells},
            "mark": {"type": "rect", "color": ACCENT, "stroke": RULE, "cornerRadius": 2},
            "encoding": {
                "x": x,
                "x2": {"field": "x2"},
                "y": y,
                "y2": {"field": "y2"},
                "fillOpacity": {"field": "full", "type": "quantitative", "scale": None, "legend": None},
            },
        }
    ]
    for size in (12, 15):
        for ink in (INK, MUTED):
            own = [one for one in texts if one["size"] == size and one["ink"] == ink]
            if own:
                mark = {"type": "text", "align": "left", "baseline": "middle", "color": ink, "fontSize": size}
                layers.append(
                    {
                        "data": {"values": own},
                        "mark": mark,
                        "encoding": {"x": x, "y": y, "text": {"field": "text"}},
                    }
                )
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
        "width": width,
        "height": height,
        "autosize": "none",
        "padding": 4,
        "background": None,
        "layer": layers,
        "config": CONFIG,
    }
