"""``[criteria]``: named conditions on reported numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from evenhand.errors import InputError, nearest
from evenhand.formats.study_file.toml_reader import Book, Table
from evenhand.model.plan.sections import BOUNDS, CRITERIA, CriterionPlan

__all__ = ["read"]

DESCRIPTIVE = ("gate.decision_accuracy",)
EXAMPLE = 'precision = { on = "gate.answered_precision", at_least = 0.75 }'


def read(
    book: Book,
    content: Any,
    folder: Path,  # noqa: ARG001 - the shape of all sections
    *,
    systems: Sequence[str],
) -> tuple[CriterionPlan, ...] | None:
    """One criterion a key: ``NAME = { on, at_least | at_most, by, level, role }``."""
    if not isinstance(content, Mapping) or any(not isinstance(one, Mapping) for one in content.values()):
        book.wrong("criteria", "", "expected a table for each criterion", mend=f"write {EXAMPLE}")
        return None
    made = [one for name, inner in content.items() if (one := _criterion(book, name, inner, systems))]
    return tuple(made)


def _criterion(book: Book, name: str, content: Any, systems: Sequence[str]) -> CriterionPlan | None:
    line = Table(book, "criteria", content)
    table = _Inner(line, name)
    before = len(book.problems)
    on = table.take("on", str, "")
    if not on and "on" not in line:
        book.wrong("criteria", name, "does not say which number it is on", mend=f"write {EXAMPLE}")
    elif on:
        on = _number(book, name, on, systems)
    least = table.take("at_least", float)
    most = table.take("at_most", float)
    by = table.word("by", BOUNDS, "point")
    level = table.take("level", float, 0.95)
    role = table.word("role", CRITERIA, "success")
    if on in DESCRIPTIVE and role != "descriptive":
        table.wrong(
            "on",
            f"{on} describes this gold set and is no criterion: it depends on how many questions of each "
            "kind somebody put in",
            mend='set a criterion on another rate; or show it beside them: role = "descriptive"',
        )
    if not 0.5 <= level < 1:
        table.wrong("level", f"found {level!r}, expected at least 0.5 and below 1", mend="level = 0.95")
    if (least is None) == (most is None) and len(book.problems) == before:
        both = "needs one of at_least and at_most, and has " + ("neither" if least is None else "both")
        book.wrong("criteria", name, both, mend="write at_least = 0.75, or at_most = 0.5")
    elif by == ("upper" if least is not None else "lower"):
        right = "lower" if least is not None else "upper"
        table.wrong(
            "by",
            f"the {by} bound of little data fulfils every {'at_least' if least is not None else 'at_most'}",
            mend=f'by = "{right}", or by = "point"',
        )
    for key in line.content:
        if key not in line.known:
            table.wrong(key, f"{name} has no key {key!r}", mend=nearest(key, line.known))
    if len(book.problems) > before:
        return None
    return CriterionPlan(
        name=name, on=on, at_least=_plain(least), at_most=_plain(most), by=by, level=float(level), role=role
    )


class _Inner:
    """The keys of one inline table; its problems are told at its own line."""

    def __init__(self, table: Table, name: str) -> None:
        self.table, self.name = table, name

    def wrong(self, key: str, what: str, *, mend: str) -> None:
        self.table.book.wrong("criteria", self.name, f"{key}: {what}", mend=mend)

    def take(self, key: str, kind: type, default: Any = None) -> Any:
        self.table.known.add(key)
        value = self.table.content.get(key, default)
        fits = isinstance(value, kind) or (kind is float and isinstance(value, int))
        if key in self.table.content and (not fits or isinstance(value, bool)):
            told = "a text in quotes" if kind is str else "a number"
            self.wrong(key, f"found {value!r}, expected {told}", mend=f"give {key} {told}")
            return default
        return value

    def word(self, key: str, known: Sequence[str], default: str) -> str:
        value = self.take(key, str, default)
        if value not in known:
            self.wrong(key, f"found {value!r}, which is not known", mend=nearest(value, known))
            return default
        return str(value)


def _plain(value: Any) -> float | None:
    return None if value is None else float(value)


def _number(book: Book, name: str, on: str, systems: Sequence[str]) -> str:
    """*on* with its metric in the one spelling; noted where it can name nothing."""
    from evenhand.formats.study_file.sections import ANALYSES
    from evenhand.metrics.catalogue.names import parse

    first, dot, rest = on.partition(".")
    if dot and rest and first in ANALYSES:
        return on
    # system names may hold dots, and be followed by the name of a chunking
    starts = sorted((s for s in systems if on.startswith((f"{s}.", f"{s}/", f"{s}-minus-"))), key=len)
    if starts and dot:
        head, metric = _cut(on, systems)
        if not metric:
            book.wrong("criteria", name, f"on: {on!r} names no metric", mend='write on = "bm25.nDCG@10"')
            return on
        try:
            return f"{head}.{parse(metric)}"
        except InputError as error:
            book.wrong("criteria", name, f"on: {error.what}", mend=error.mend)
            return on
    known = [*ANALYSES, *systems]
    book.wrong(
        "criteria",
        name,
        f"on: {on!r} begins with no section and no system",
        mend=f"{nearest(first, known)}; write section.number, SYSTEM.METRIC or SYSTEM-minus-OTHER.METRIC",
    )
    return on


def _cut(on: str, systems: Sequence[str]) -> tuple[str, str]:
    """System (or pair) and metric: the metric begins behind the longest system name that fits."""
    tail = on.rpartition("-minus-")[2]
    for system in sorted(systems, key=len, reverse=True):
        if tail.startswith(f"{system}."):
            return on[: len(on) - len(tail) + len(system)], tail[len(system) + 1 :]
        if tail.startswith(f"{system}/") and "." in tail[len(system) :]:
            head, _, metric = tail[len(system) :].partition(".")
            return on[: len(on) - len(tail) + len(system) + len(head)], metric
    return on, ""
