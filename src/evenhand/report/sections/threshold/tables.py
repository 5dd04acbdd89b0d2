"""A threshold study: its tables for the terminal and in plain cells, its pictures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from evenhand.report.output.number_format import count, interval, number, share, share_interval
from evenhand.report.output.table_model import Grid
from evenhand.report.output.terminal import clean
from evenhand.report.sections.threshold.charts import curve, group_bars, main_rows

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

__all__ = ["CHARTS", "grids", "marks_of", "tables"]

CHARTS = {"threshold-curve": curve, "threshold-groups": group_bars}
HEADS = ("threshold", "questions", "pairs", "cannot answer", "mean over sources", "all pairs", "AUC", "")


def marks_of(part: Mapping[str, Any], value: float) -> str:
    """What a value of the grid is: planned, added, primary."""
    one = next(row for row in part["grid"] if row["threshold"] == value)
    words = [
        ("primary", one["primary"]),
        ("planned primary", one["planned_primary"] and not one["primary"]),
        ("added", one["added"]),
        ("withdrawn", one["withdrawn"]),
    ]
    return ", ".join(word for word, holds in words if holds)


def _cells(part: Mapping[str, Any], row: Mapping[str, Any], *, narrow: bool = False) -> tuple[str, ...]:
    area = next(
        (a for a in part["areas"] if (a["arm"], a["threshold"]) == (row["arm"], row["threshold"])), None
    )
    reached = next(arm for arm in part["arms"] if arm["name"] == row["arm"])
    found = next(one for one in reached["reached"] if one["threshold"] == row["threshold"])
    notes = [marks_of(part, row["threshold"]), "sparse" if row["sparse"] else ""]
    return (
        f"{row['threshold']:g}",
        f"{count(found['questions'])} of {count(reached['questions'])}",
        count(row["n"]) + (f" + {count(row['undecided'])} open" if row["undecided"] else ""),
        count(row["wrong"]),
        rate(row["macro"]),
        rate(row["pooled"]),
        "–" if area is None else _auc(area, narrow=narrow),
        ", ".join(word for word in notes if word),
    )


def _auc(area: Mapping[str, Any], *, narrow: bool) -> str:
    near = {"low": None, "high": None} if narrow else area["by_source"]
    return f"{number(area['auc'], digits=2)} {interval(near['low'], near['high'], digits=2)}".strip()


def rate(found: Mapping[str, Any]) -> str:
    """``43% [31%, 56%]``; where all sources have the same rate resampling them shows no interval."""
    if "zero_width" in found["flags"]:
        return f"{share(found['point'])} no variation seen"
    return f"{share(found['point'])} {share_interval(found['low'], found['high'])}".strip()


def grids(part: Mapping[str, Any]) -> Iterator[Grid]:
    """The rates by threshold of every arm, and by role and type at the primary, in plain cells."""
    notes = (
        *_how(part),
        part["sentences"][0],
        f"It does not claim: {'; '.join(part['does_not_claim'])}.",
    )
    for arm in part["arms"]:
        rows = [row for row in part["rates"] if row["arm"] == arm["name"] and row["by"] == "all"]
        where = f" ({arm['called']})" if arm["called"] else ""
        yield Grid(
            name=f"threshold-{arm['name']}",
            title=f"Share of passed units that cannot answer: {arm['name']}{where}",
            heads=HEADS,
            rows=tuple(_cells(part, row) for row in rows),
            notes=notes if arm["main"] else (),
        )
    yield Grid(
        name="threshold-groups",
        title=f"By content role and question type at {part['primary']:g}",
        heads=("group", "pairs", "sources", "mean over sources", "all pairs", ""),
        rows=tuple(_group(row) for row in groups(part)),
        notes=("Groups are compared by whether their intervals overlap, never by p-values.",),
    )


def _how(part: Mapping[str, Any]) -> tuple[str, ...]:
    """How the intervals of the tables were made, and what their marks mean."""
    return (
        "Two rates, never mixed: the mean over sources, sources resampled; all pairs, Wilson at effective n.",
        f"Intervals at {part['level']:.0%}; sources: {part['resamples']:,} resamples, seed {part['seed']}.",
        f"Sparse: n below {part['min_n']} or sources below {part['min_sources']}.",
    )


def groups(part: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Rows by role and by type of the main arm at the primary threshold."""
    return [
        row for by in ("role", "type") for row in main_rows(part, by) if row["threshold"] == part["primary"]
    ]


def _group(row: Mapping[str, Any]) -> tuple[str, ...]:
    return (
        f"{row['by']}: {row[row['by']]}",
        count(row["n"]),
        count(row["sources"]),
        rate(row["macro"]) if row["n"] else "nothing passes",
        rate(row["pooled"]),
        "sparse" if row["sparse"] else "",
    )


def _table(heads: Sequence[str]) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(
        box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), show_edge=False, header_style="bold"
    )
    for i, head in enumerate(heads):
        table.add_column(head, justify="right" if i and head else "left", overflow="fold")
    return table


def tables(part: Mapping[str, Any]) -> Iterator[RenderableType]:
    """Rates by threshold of each arm, groups at the primary; then what it comes to in words."""
    from rich.console import Group
    from rich.text import Text

    for arm in part["arms"]:
        rows = [row for row in part["rates"] if row["arm"] == arm["name"] and row["by"] == "all"]
        table = _table(HEADS)
        where = arm["called"] or ("its source alone" if part["scope"] == "source" else "the whole corpus")
        table.title = clean(f"{arm['name']}: {where}, top {part['k']}")
        table.title_justify = "left"
        for row in rows:
            style = "bold" if row["threshold"] == part["primary"] and arm["main"] else ""
            table.add_row(*(Text(clean(cell), style=style) for cell in _cells(part, row, narrow=True)))
        yield table
    found = groups(part)
    if found:
        table = _table((f"at {part['primary']:g}", "pairs", "sources", "mean over sources", "all pairs", ""))
        for row in found:
            table.add_row(*(Text(clean(cell)) for cell in _group(row)))
        yield table
    yield Group(*(Text(clean(line), style="dim") for line in _how(part)))
    lines = [Text(clean(line), style="" if i else "bold") for i, line in enumerate(part["sentences"])]
    lines.append(Text(clean(f"It does not claim: {'; '.join(part['does_not_claim'])}.")))
    lines.append(Text(f"{count(part['pairs']['of'])} pairs with every verdict: pairs.jsonl"))
    yield Group(*lines)
