"""What ``evenhand power`` prints: a table and sentences, or one JSON object."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evenhand.text.plural import many

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from rich.table import Table

    from evenhand.metrics.planning.designs import Design, Wish

__all__ = ["print_json", "print_table"]

SCHEMA = "evenhand.power/1"
ROWS = 24  # designs printed; --json holds all
SEEN = {"by spread seen": "n_by_spread_seen", "as seen": "n_as_seen"}
RULES = {
    "spread": "Planned with the upper 80% limit of each spread seen. The gaps of a pilot are no effects to "
    "plan by: those that look large are often lucky.",
    "limit": "Planned with the 80% limit of each value seen, on the side that asks for more.",
    "clusters": "Items of one question are alike: plan with the number in clusters, for as many items a "
    "question as in the pilot (--per-cluster, --icc).",
    "sample": "People must label a random sample of the items, drawn before the judge's labels are looked "
    "at; the judge labels {items} (--items).",
}


def print_json(designs: Sequence[Design], wish: Wish) -> None:
    """Print one object: what all designs share, and each with its curve and its sentence."""
    import json
    from dataclasses import asdict

    from evenhand.metrics.planning.text import sentence

    thing = {
        "schema": SCHEMA,
        **asdict(wish),
        "alpha_each": wish.each,
        "designs": [asdict(d) | {"sentence": sentence(d, wish)} for d in designs],
        "largest": max((d.needed for d in designs if d.needed is not None), default=None),
    }
    print(json.dumps(thing, ensure_ascii=False, allow_nan=False, indent=1))


def print_table(designs: Sequence[Design], wish: Wish, *, plot: Path | None) -> None:
    """Print a row a design, then sentences: of each of a few, of the one that asks for most of many."""
    from textwrap import fill

    from evenhand.metrics.planning.designs import MORE
    from evenhand.metrics.planning.text import sentence
    from evenhand.report.output.number_format import count
    from evenhand.report.output.terminal import clean, console

    on = console()
    tested = any(d.measure == "power" for d in designs)
    columns = ["design", f"n at {wish.power:.0%}" if tested else "n"]
    if tested and wish.power < MORE:
        columns.append(f"at {MORE:.0%}")
    if wish.comparisons > 1 and tested:
        columns.append("one test alone")
    columns += [name for name, key in SEEN.items() if any(key in d.assumed for d in designs)]
    if any(d.kind == "labels" and d.assumed["rho"] for d in designs):
        columns.append("without judge")
    if any(d.n_clustered for d in designs):
        columns.append("in clusters")
    rows = []
    for d in designs[:ROWS]:
        cells = {
            "design": clean(d.says),
            columns[1]: count(d.n),
            f"at {MORE:.0%}": count(d.n_more),
            "one test alone": count(d.n_alone if d.measure == "power" else None),
            **{name: count(d.assumed.get(key)) for name, key in SEEN.items()},
            "without judge": count(d.n_alone if d.kind == "labels" else None),
            "in clusters": count(d.n_clustered),
        }
        rows.append([cells[name] for name in columns])
    on.print(_table(columns, rows))
    if len(designs) > ROWS:
        on.print(f"… and {len(designs) - ROWS} more (--json holds all)")
    on.print()
    width = min(on.width, 110)
    for d in designs if len(designs) <= 4 else [max(designs, key=lambda d: d.needed or 0)]:
        on.print(fill(clean(sentence(d, wish)), width))
    for rule in _rules(designs):
        on.print(fill(rule, width))
    if plot is not None:
        on.print(f"curves: {plot}")


def _rules(designs: Sequence[Design]) -> list[str]:
    """How a pilot was read, once a kind of design."""
    pilot = [d for d in designs if "pilot_n" in d.assumed]
    said = [RULES["spread"]] if any(d.measure == "power" for d in pilot) else []
    labelled = [d for d in pilot if d.measure != "power"]
    if labelled:
        said.append(RULES["limit"])
        said += [RULES["clusters"]] if any(d.n_clustered for d in labelled) else []
    judged = [d for d in labelled if d.kind == "labels"]
    if judged:
        items = judged[0].assumed["items"]
        said.append(
            RULES["sample"].format(
                items="as many items as one likes" if items is None else many(items, "item")
            )
        )
    return said


def _table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for i, name in enumerate(columns):
        table.add_column(name, justify="right" if i else "left", no_wrap=bool(i), overflow="fold")
    for row in rows:
        table.add_row(*row)
    return table
