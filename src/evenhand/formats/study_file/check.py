"""``evenhand-check.toml``: margins and policy, declared in a file that git keeps; and margins of a line."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from evenhand.errors import InputError
from evenhand.formats.study_file.toml_reader import load_toml
from evenhand.model.plan.check import ADJUST, POLICIES, TESTS

__all__ = ["FILE", "read_check", "read_margins"]

FILE = "evenhand-check.toml"
FORM = 'write --margin "nDCG@10=0.02", or --margin 0.02 for the primary metric'


def read_margins(given: Iterable[str]) -> dict[str, float]:
    """Margins by metric of ``METRIC=MARGIN``; a number alone is the margin of the primary, named ``""``."""
    found: dict[str, float] = {}
    for text in given:
        # a metric's parameters hold "=" too: the margin stands behind the last one
        name, _, number = text.strip().rpartition("=")
        metric = _metric(name)
        try:
            margin = float(number)
        except ValueError:
            margin = float("nan")
        if not abs(margin) < float("inf"):
            raise InputError(f"--margin {text!r} is no margin", mend=FORM)
        if metric in found:
            raise InputError(f"--margin is given twice for {metric or 'the primary metric'}", mend=FORM)
        found[metric] = margin
    return found


def read_check(path: Path) -> tuple[dict[str, Any], dict[str, int]]:
    """The fields of a `CheckPlan` that ``[check]`` declares, and the line of each margin by metric.

        [check]
        systems = ["hybrid"]
        alpha = 0.05
        inconclusive = "4"
        [check.margins]
        "nDCG@10" = 0.02

    Also ``baseline``, a path from the folder of the file. Raises `InputError` with the line of every problem.
    """
    content, book = load_toml(path)
    from evenhand.formats.study_file.toml_reader import Table

    whole = Table(book, "", content)
    table = Table(book, "check", whole.take("check", dict, {}))
    whole.close()
    made: dict[str, Any] = {
        "systems": table.texts("systems"),
        "against": table.take("against", str, ""),
        "alpha": float(table.take("alpha", float, 0.05)),
        "adjust": table.name("adjust", ADJUST, "none"),
        "test": table.name("test", TESTS, "auto"),
        "inconclusive": table.name("inconclusive", POLICIES, "4"),
        "common": bool(table.take("common", bool)),
        "criteria": bool(table.take("criteria", bool)),
    }
    baseline = table.take("baseline", str, "")
    margins = Table(book, "check.margins", table.take("margins", dict, {}))
    found: dict[str, float] = {}
    lines: dict[str, int] = {}
    for name in list(margins.content):
        value = margins.take(name, float, None)
        if value is None:
            continue
        try:
            metric = _metric(name)
        except InputError as error:
            book.note("check.margins", error, name)
            continue
        found[metric] = float(value)
        lines[metric] = book.lines.get(("check.margins", name)) or book.lines.get(("check.margins", ""), 0)
    table.close()
    book.close()
    if baseline:
        made["baseline"] = path.parent / baseline
    return {**made, "margins": found}, lines


def _metric(name: str) -> str:
    """The metric's own name; one that the catalogue does not know is measured elsewhere."""
    from evenhand.metrics.catalogue.names import parse

    if name.strip() in ("", "primary"):
        return ""
    return str(parse(name))
