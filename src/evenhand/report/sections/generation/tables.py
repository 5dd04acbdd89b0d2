"""Generated answers: tables for the terminal, plain cells for Markdown and LaTeX, pictures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from evenhand.report.output.number_format import count, interval, number, share
from evenhand.report.output.table_model import Grid
from evenhand.report.output.terminal import clean
from evenhand.report.sections.generation.charts import check_bars, quadrant

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

__all__ = ["CHARTS", "accounts_table", "diagnosis_tables", "grids", "tables"]

CHARTS = {"answer-checks": check_bars, "answer-quadrant": quadrant}
SHOWN = 3  # questions of a cell that are named


def told(one: Mapping[str, Any]) -> str:
    """``31/56 0.554 [0.42, 0.68]``; a dash where nothing can be counted."""
    if one["point"] is None:
        return "–"
    found = interval(one["low"], one["high"], digits=2)
    return f"{count(one['k'])}/{count(one['n'])} {number(one['point'], digits=2)} {found}".strip()


def grids(part: Mapping[str, Any]) -> Iterator[Grid]:
    """Rates of checks, the cells of the diagnosis, and claims, in plain cells."""
    systems = [one for one in part["accounts"] if one["rates"]]
    names = list(dict.fromkeys(row["check"] for one in systems for row in one["rates"]))
    held = {(one["system"], row["check"]): row for one in systems for row in one["rates"]}
    if systems:
        yield Grid(
            name="answers",
            title="Share of items that pass each check, over topics that gave some",
            heads=("check", *(one["system"] for one in systems)),
            rows=(
                ("valid topics", *(told(one["valid"]) for one in systems)),
                *(
                    (
                        name,
                        *(
                            told(held[s["system"], name]) if (s["system"], name) in held else "–"
                            for s in systems
                        ),
                    )
                    for name in names
                ),
            ),
            notes=tuple(one["sentence"] for one in systems),
        )
    for one in part["diagnosis"]:
        yield Grid(
            name=f"answers-diagnosis-{one['system']}",
            title=f"{one['system']}: retrieval and answer, good or bad",
            heads=("cell", "share", "likely causes"),
            rows=tuple(
                (row["name"], told(row["share"]), _causes(row)) for row in one["cells"] if row["count"]
            ),
            notes=tuple(f"{row['says']}: {told(row)}." for row in one["rates"]),
        )
    if part["claims"] is not None:
        yield Grid(
            name="answers-claims",
            title="Claims, as the panel decided them (definitions of RAGChecker)",
            heads=("rate", "mean", "answers"),
            rows=tuple((row["name"], _mean(row), count(row["n"])) for row in part["claims"]["rates"]),
        )


def _mean(row: Mapping[str, Any]) -> str:
    return f"{number(row['point'])} {interval(row['low'], row['high'])}".strip()


def _causes(row: Mapping[str, Any]) -> str:
    return "; ".join(f"{one['n']} × {one['cause']}" for one in row["causes"])


def tables(part: Mapping[str, Any]) -> Iterator[RenderableType]:
    """Accounts with the rate of each check, the diagnosis, claims; then what it comes to in words."""
    from rich.console import Group
    from rich.text import Text

    yield from accounts_table(part)
    yield from diagnosis_tables(part)
    if part["claims"] is not None:
        yield _claims(part["claims"])
    yield Group(*(Text(clean(line)) for line in part["sentences"]))


def accounts_table(part: Mapping[str, Any]) -> Iterator[RenderableType]:
    """The rate of each check, of every system that has items; the share of valid topics first."""
    from rich.text import Text

    for one in part["accounts"]:
        if not one["rates"]:
            continue
        states = ", ".join(f"{n} {name}" for name, n in one["states"].items())
        table = _table(clean(f"{one['system']} ({states})"), "passes", "rate", "", "undecided")
        table.add_row(Text("valid topics", style="bold"), *_cells(one["valid"]), "")
        for row in one["rates"]:
            undecided = count(row["undecided"]) if row["undecided"] else ""
            table.add_row(Text(row["check"]), *_cells(row), undecided)
        yield table


def _cells(row: Mapping[str, Any]) -> tuple[str, str, str]:
    if row["point"] is None:
        return "–", "–", ""
    return (
        f"{count(row['k'])}/{count(row['n'])}",
        number(row["point"], digits=2),
        interval(row["low"], row["high"], digits=2),
    )


def diagnosis_tables(part: Mapping[str, Any]) -> Iterator[RenderableType]:
    """The cells of each system with causes and the first questions; sufficient context × what was done."""
    from rich.text import Text

    for one in part["diagnosis"]:
        table = _table(clean(one["system"]), "share", "", "likely causes, and the first questions")
        table.columns[3].justify = "left"
        for row in one["cells"]:
            if not row["count"]:
                continue
            first = [case["question"] for case in one["cases"] if case["cell"] == row["name"]]
            named = ", ".join(list(dict.fromkeys(first))[:SHOWN]) + (" …" if len(set(first)) > SHOWN else "")
            found = row["share"]
            rate = f"{count(row['count'])}" + (
                f" {share(found['point'])}" if row["name"] != "undecided" else ""
            )
            range_ = interval(found["low"], found["high"], digits=2) if row["name"] != "undecided" else ""
            causes = f"{_causes(row)}\n" if row["causes"] and row["name"] != "working" else ""
            name = Text(row["name"], style="bold" if row["name"] == "fragile" else "")
            table.add_row(name, rate, range_, Text(clean(causes, lines=True) + clean(named)))
        yield table
        if one["sufficient"]:
            yield _sufficient(one)


def _sufficient(one: Mapping[str, Any]) -> RenderableType:
    from rich.text import Text

    columns = [each["did"] for each in one["sufficient"][0]["counts"]]
    table = _table("context", "n", *columns, "right of those that can be said")
    for row in one["sufficient"]:
        if row["n"]:
            cells = (count(each["n"]) for each in row["counts"])
            table.add_row(Text(row["name"]), count(row["n"]), *cells, told(row["right"]))
    return table


def _claims(claims: Mapping[str, Any]) -> RenderableType:
    from rich.text import Text

    table = _table("claims", "mean", "", "answers", "undefined")
    for row in claims["rates"]:
        table.add_row(
            Text(row["name"].replace("_", " ")),
            number(row["point"]),
            interval(row["low"], row["high"]),
            count(row["n"]),
            count(row["undefined"]),
        )
    return table


def _table(*heads: str) -> Table:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(
        box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), show_edge=False, header_style="bold"
    )
    for i, head in enumerate(heads):
        table.add_column(Text(head), justify="right" if i else "left", overflow="fold")
    return table
