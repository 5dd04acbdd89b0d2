"""``[calibration]``: the human sample that a panel is held against, and the lines of trust."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from evenhand.errors import InputError
from evenhand.formats.study_file.toml_reader import Book, Table
from evenhand.judge.calibration.trust_thresholds import lines_of
from evenhand.model.plan.sections import CalibrationPlan

__all__ = ["BY", "read"]

BY = ("uniform", "stratified")


def read(
    book: Book,
    content: Any,
    folder: Path,  # noqa: ARG001 - the shape of all sections
    *,
    systems: Sequence[str],  # noqa: ARG001
) -> CalibrationPlan | None:
    """The plan of a calibration; ``[calibration.trust]`` is read by `trust_thresholds.lines_of`."""
    if not isinstance(content, Mapping):
        book.wrong("calibration", "", f"found {content!r}, expected a section", mend="write [calibration]")
        return None
    table = Table(book, "calibration", content)
    plain = CalibrationPlan.__dataclass_fields__
    trust = table.take("trust", dict, {})
    try:
        lines_of(trust)
    except InputError as error:
        book.wrong("calibration.trust", "", error.what, mend=error.mend)
    half = table.take("half_width", float, plain["half_width"].default)
    if not 0 < half < 0.5:
        table.wrong("half_width", f"found {half!r}, expected above 0 and below 0.5", mend="half_width = 0.1")
    made = CalibrationPlan(
        n=table.take("n", int, plain["n"].default, least=1),
        by=table.name("by", BY, "uniform"),
        sample=table.take("sample", str, plain["sample"].default),
        labels=table.take("labels", str, plain["labels"].default),
        yes=table.take("yes", float, None),
        half_width=float(half),
        trust=trust,
    )
    table.close()
    return made
