"""A panel held against people: tables for the terminal, rates and agreement as pictures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from evenhand.report.output.number_format import count, interval, number, share
from evenhand.report.output.terminal import clean
from evenhand.report.sections.comparison.charts import bars

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

__all__ = ["CHARTS", "agreement_bars", "rate_bars", "tables"]

STYLES = {"pass": "green", "fail": "bold red", "cannot be decided": "bold yellow"}
Chart = tuple[dict[str, Any], str, str]


def rate_bars(part: Mapping[str, Any], *, narrow: bool = False) -> Chart | None:
    """The rate by each way of correcting it, beside what panel and people say alone."""
    panel, rate = part["panel_rate"], part["rate"] or {}
    rows: list[dict[str, Any]] = []
    if panel["value"] is not None:
        near = {end: panel.get(end) for end in ("low", "high")}  # reports made before have none
        rows.append({"name": "panel alone", "point": panel["value"], **near})
    rows += [
        {"name": row["name"], "point": row["point"], "low": row["low"], "high": row["high"]}
        for row in part["rates"]
        if row["point"] is not None
    ]
    if len(rows) < 2:
        return None
    for row in rows:
        row["label"] = f"{number(row['point'])} {interval(row['low'], row['high'])}".strip()
        row["strong"] = row["name"] == rate.get("name") and not part["withheld"]
    title = "Rate of yes by panel, by people, and corrected"
    return bars(rows, "rate of yes", narrow=narrow, title=title)


def agreement_bars(part: Mapping[str, Any], *, narrow: bool = False) -> Chart | None:
    """How often panel and people agree: in all, by stratum, and by a judge who always says the same."""
    whole = part["agreement"]
    if whole["value"] is None:
        return None
    found = [("all", whole), *((row["stratum"], row["agreement"]) for row in part["by_stratum"])]
    found.append(("always the commonest", part["no_skill"]))
    rows = [
        {
            "name": name,
            "point": one["value"],
            "low": one["low"],
            "high": one["high"],
            "label": f"{number(one['value'])} {interval(one['low'], one['high'])} n={one['n']}",
            "strong": name == "all",
        }
        for name, one in found
        if one["value"] is not None
    ]
    title = "Agreement of panel and people, in all and by stratum"
    return bars(rows, "share of items on which they agree", narrow=narrow, title=title)


CHARTS = {"panel-rates": rate_bars, "panel-agreement": agreement_bars}


def _table(*heads: str) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(
        box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), show_edge=False, header_style="bold"
    )
    for i, head in enumerate(heads):
        table.add_column(head, justify="right" if i else "left", overflow="fold")
    return table


def tables(part: Mapping[str, Any]) -> Iterator[RenderableType]:
    """Lines of trust, the confusion, agreement by stratum, rates; then what it comes to in words."""
    from rich.console import Group
    from rich.text import Text

    yield _trust(part["trust"])
    if part["confusion"]["n"]:
        yield _confusion(part["confusion"])
        if undecided := part["confusion"]["panel_undecided"]:
            yield Text(f"{count(undecided)} more labelled items have no decision of the panel")
        yield _strata(part["by_stratum"])
    if len((part.get("raters") or {}).get("raters", ())) > 1:
        yield _raters(part["raters"]["raters"])
    if part["rates"]:
        yield _rates(part["rates"], part["rate"], withheld=part["withheld"])
    lines = [Text(clean(line), style="" if i else "bold") for i, line in enumerate(part["sentences"])]
    lines += [Text(clean(f"next: {line}"), style="cyan") for line in part["next"]]
    yield Group(*lines)


def _trust(found: Mapping[str, Any]) -> RenderableType:
    from rich.text import Text

    table = _table("trust", "asked for", "value", "bound", "n", "")
    for row in found["lines"]:
        table.add_row(
            Text(clean(f"{row['code']} {row['name']}".strip())),
            asked(row),
            beside(row["value"], row),
            "" if row["by"] == "point" else beside(row["bound"], row),
            count(row["n"]),
            Text(row["state"], style=STYLES[row["state"]]),
        )
    return table


def beside(value: float | None, row: Mapping[str, Any]) -> str:
    """A value with as many digits as it takes to tell it from what is asked for."""
    limit = row["at_most"] if row["at_most"] is not None else row["at_least"]
    near = value is not None and limit is not None and abs(value - limit) < 0.0005
    return number(value, digits=4 if near else 3)


def asked(row: Mapping[str, Any]) -> str:
    """What a line asks for: ``lower bound ≥ 0.75``."""
    if row["at_most"] is not None:
        side, limit = "≤", row["at_most"]
    else:
        side, limit = ">" if row["beats"] else "≥", row["at_least"]
    return f"{'' if row['by'] == 'point' else row['by'] + ' bound '}{side} {number(limit, digits=2)}"


def _confusion(counts: Mapping[str, Any]) -> RenderableType:
    table = _table("people ↓  panel →", "yes", "no")
    table.add_row("yes", count(counts["both_yes"]), count(counts["people_only"]))
    table.add_row("no", count(counts["panel_only"]), count(counts["both_no"]))
    return table


def _strata(rows: Sequence[Mapping[str, Any]]) -> RenderableType:
    from rich.text import Text

    table = _table("panel was", "items", "labels", "agreement", "", "people's rate", "")
    for row in rows:
        one = row["agreement"]
        table.add_row(
            Text(clean(row["stratum"])),
            count(row["items"]),
            count(row["labelled"]),
            share(one["value"]),
            interval(one["low"], one["high"], digits=2),
            share(row["human_rate"]["value"]),
            interval(row["human_rate"]["low"], row["human_rate"]["high"], digits=2),
        )
    return table


def _raters(rows: Sequence[Mapping[str, Any]]) -> RenderableType:
    from rich.text import Text

    table = _table("person", "says yes", "interval", "n")
    for row in rows:
        table.add_row(
            Text(clean(row["judge"])),
            share(row["value"]),
            interval(row["low"], row["high"], digits=2),
            count(row["n"]),
        )
    return table


def _rates(
    rows: Sequence[Mapping[str, Any]], headline: Mapping[str, Any] | None, *, withheld: bool
) -> RenderableType:
    from rich.text import Text

    table = _table("rate of yes", "", "interval", "n", "gain", "flags")
    for row in rows:
        first = headline is not None and row["name"] == headline["name"] and not withheld
        table.add_row(
            Text(row["name"], style="bold" if first else ""),
            number(row["point"]),
            interval(row["low"], row["high"]) or clean(row["reason"] or ""),
            count(row["n"]),
            "" if row["gain"] is None else number(row["gain"], digits=2),
            ", ".join(flag.replace("_", " ") for flag in row["flags"]),
        )
    return table
