"""What ``evenhand power --plot`` draws."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evenhand.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from evenhand.metrics.planning.designs import Design

__all__ = ["draw"]

UNITS = {"means": "questions", "hits": "questions", "labels": "human labels"}
LINES = 6  # curves in one picture


def draw(designs: Sequence[Design], file: Path) -> None:
    """One picture of the curves of the first measure asked for."""
    import json

    from evenhand.formats.results.report_file import write_text
    from evenhand.report.sections.comparison.charts import pictures
    from evenhand.report.sections.comparison.curves import power_curves

    drawn = [d for d in designs if d.measure == designs[0].measure and d.curve]
    if len({d.target for d in drawn}) > 1 or len({d.measure for d in designs}) > 1:
        raise InputError("one picture shows one kind of curve", mend="leave --plot out, or ask for one kind")
    if file.suffix not in (".svg", ".json"):
        raise InputError(f"--plot {file} is neither .svg nor .json", mend="name the file with one of the two")
    made = power_curves(
        [
            {"name": _short(d), "sizes": d.curve_n, "power": d.curve, "needed": d.needed}
            for d in drawn[:LINES]
        ],
        target=designs[0].target,
        measure=designs[0].measure,
        title=f"{designs[0].measure} by number of {UNITS.get(designs[0].kind, 'items')}",
        unit=UNITS.get(designs[0].kind, "items"),
    )
    if file.suffix == ".svg":
        write_text(file, pictures({"power": made})["power"] + "\n")
    else:
        write_text(file, json.dumps(made[0], ensure_ascii=False, indent=1) + "\n")


def _short(one: Design) -> str:
    """The name of a curve: the width is a line in the picture, what was seen of labels is in the table."""
    if "n_as_seen" not in one.assumed:
        return one.says
    return one.says.partition(" (")[0].partition(" to ±")[0].removesuffix(": rate")
