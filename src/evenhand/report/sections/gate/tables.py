"""A gate: its tables for the terminal, its pictures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from evenhand.report.output.number_format import count, interval, number, share
from evenhand.report.output.table_model import Grid
from evenhand.report.output.terminal import clean
from evenhand.report.sections.gate.charts import cost_bars, rate_bars, risk_panels

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

__all__ = ["CHARTS", "grids", "tables"]

CHARTS = {"gate-rates": rate_bars, "gate-risk": risk_panels, "gate-costs": cost_bars}
SHOWN = 6  # errors and failures on a terminal; the report has all
NAMES = (
    ("answered_precision", "precision"),
    ("answerable_coverage", "coverage of answerable"),
    ("false_answer_rate", "false answers"),
    ("coverage", "answered"),
)


def grids(part: Mapping[str, Any]) -> Iterator[Grid]:
    """The decision table of every rule, and the signals, in plain cells."""
    rows = []
    for rule in part["rules"]:
        rates = {one["name"]: one for one in rule["rates"]}
        rows.append((rule["name"], *(_cell(rates.get(name)) for name, _ in NAMES), rule["how"]))
    yield Grid(
        name="gate",
        title=f"Decisions of {part['rule']} over {', '.join(part['of'])} on {part['split']}",
        heads=("rule", *(label for _, label in NAMES), "made"),
        rows=tuple(rows),
        notes=(
            f"n = {part['questions']['n']}; Wilson intervals at {part['level']:.0%}.",
            f"It does not show: {'; '.join(part['not_shown'])}.",
        ),
    )
    apart = {(one["signal"], one["of"]): one for one in part["separation"]}
    signals = []
    for one in part["curves"]:
        area, found = one["aurc"], apart.get((one["signal"], "answering is right"))
        auc = "–" if found is None else f"{number(found['auc'])} {interval(found['low'], found['high'])}"
        signals.append((one["signal"], f"{number(area['point'])} {interval(area['low'], area['high'])}", auc))
    if signals:
        yield Grid(
            name="gate-signals",
            title="Signals: risk against coverage, and AUC for answering being right",
            heads=("signal", "AURC", "AUC"),
            rows=tuple(signals),
            notes=(_how(part),),
        )


def _how(part: Mapping[str, Any]) -> str:
    """How the intervals of signals and costs were made."""
    areas = dict.fromkeys(one["aurc"]["method"] for one in part["curves"])
    return (
        f"Intervals at {part['level']:.0%}: AURC by {' or '.join(areas)}, seed {part['seed']}; AUC by "
        "DeLong, as if the questions were independent."
    )


def _cell(one: Mapping[str, Any] | None) -> str:
    if one is None or one["rate"] is None:
        return "–"
    return f"{number(one['rate'], digits=3)} ({one['k']}/{one['n']}) {interval(*one['wilson'])}"


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
    """The decision table of every rule, signals, costs, promises, errors; then what it comes to in words."""
    from rich.console import Group
    from rich.text import Text

    yield _rules(part)
    yield Text(f"[low, high]: {part['level']:.0%} Wilson; the exact ones are on the page", style="dim")
    if part["curves"]:
        yield _signals(part)
        yield Text(clean(_how(part)), style="dim")
    if part["costs"] and part["costs"]["best"] is not None:
        yield _costs(part["costs"])
        yield Text(
            f"[low, high] at {part['level']:.0%}, and shares: clusters resampled, all rules together",
            style="dim",
        )
    if part["promises"]:
        yield _promises(part["promises"])
    wrong = [*part["errors"]]
    if wrong:
        yield _errors(wrong)
    lines = [Text(clean(line), style="" if i else "bold") for i, line in enumerate(part["sentences"])]
    lines.append(Text(f"{count(part['queue']['n'])} deferred questions for people: queue.jsonl"))
    lines.append(Text("Complete before real use: " + "; ".join(part["before_use"]) + "."))
    lines.append(Text("It does not show: " + "; ".join(part["not_shown"]) + "."))
    yield Group(*lines)


def _rules(part: Mapping[str, Any]) -> RenderableType:
    from rich.text import Text

    table = _table(f"rule (n={part['questions']['n']})", *(label for _, label in NAMES), "made")
    for rule in part["rules"]:
        rates = {one["name"]: one for one in rule["rates"]}
        cells = []
        for name, _ in NAMES:
            one = rates.get(name)
            if one is None or one["rate"] is None:
                cells.append("–")
                continue
            told = interval(*one["wilson"], digits=2)
            cells.append(f"{number(one['rate'], digits=2)} ({one['k']}/{one['n']})\n{told}")
        style = "bold" if rule["planned"] else ""
        table.add_row(Text(clean(rule["name"]), style=style), *cells, Text(rule["how"]))
    return table


def _signals(part: Mapping[str, Any]) -> RenderableType:
    from rich.text import Text

    apart = {(one["signal"], one["of"]): one for one in part["separation"]}
    table = _table("signal", "AURC", "", "AUC answerable", "AUC answering is right", "no value")
    for one in part["curves"]:
        if not one["varies"]:
            continue
        cells = []
        for of in ("answerable", "answering is right"):
            found = apart.get((one["signal"], of))
            cells.append(
                "–"
                if found is None
                else f"{number(found['auc'], digits=2)} {interval(found['low'], found['high'], digits=2)}"
            )
        area = one["aurc"]
        table.add_row(
            Text(clean(one["signal"])),
            number(area["point"]),
            interval(area["low"], area["high"], digits=2),
            *cells,
            count(sum(one["undefined"].values())),
        )
    return table


def _costs(costs: Mapping[str, Any]) -> RenderableType:
    from rich.text import Text

    table = _table("rule", "cost a question", "", "cheapest in")
    for one in sorted(costs["rules"], key=lambda row: (row["cost"] is None, row["cost"])):
        table.add_row(
            Text(clean(one["rule"]), style="bold" if one["rule"] == costs["best"] else ""),
            number(one["cost"]),
            interval(one["low"], one["high"]),
            share(one["best"]),
        )
    return table


def _promises(rows: list[Mapping[str, Any]]) -> RenderableType:
    from rich.text import Text

    table = _table("signal", "threshold", "a promise by Learn-then-Test")
    table.columns[2].justify = "left"
    for row in rows:
        at = "none" if row["threshold"] is None else f"{row['threshold']:.4g}"
        table.add_row(Text(clean(row["signal"])), at, Text(clean(row["says"])))
    return table


def _errors(rows: list[Mapping[str, Any]]) -> RenderableType:
    from rich.text import Text

    table = _table("wrong answers", "question", "answered from")
    table.columns[1].justify = table.columns[2].justify = "left"
    for row in rows[:SHOWN]:
        table.add_row(
            Text(row["kind"].replace("_", " ")),
            Text(clean(f"{row['question']} {row['text']}")),
            Text(clean(row["top"] or "")),
        )
    if len(rows) > SHOWN:
        table.add_row(Text(f"… {len(rows) - SHOWN} more"), "", "")
    return table
