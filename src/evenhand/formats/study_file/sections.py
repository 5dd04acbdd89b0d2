"""Sections of a study file beside the comparison: each is read by a module of its own, when it is there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from evenhand.formats.study_file.toml_reader import Book

__all__ = ["ANALYSES", "read_analyses"]

# section -> the module whose `read(book, content, folder, systems=names)` makes the field of the same name
# of `evenhand.model.plan.study.Plan`
ANALYSES: Mapping[str, str] = {
    "criteria": "evenhand.formats.study_file.criteria",
    "panel": "evenhand.formats.study_file.panel",
    "calibration": "evenhand.formats.study_file.calibration",
    "threshold": "evenhand.formats.study_file.threshold",
    "gate": "evenhand.formats.study_file.gate",
    "stress": "evenhand.formats.study_file.stress",
    "draft": "evenhand.formats.study_file.draft",
    "answers": "evenhand.formats.study_file.answers",
}


def read_analyses(
    book: Book, tables: Mapping[str, Any], folder: Path, *, systems: Sequence[str]
) -> dict[str, Any]:
    """The fields of the plan that the sections of *tables* give; problems are noted in *book*."""
    made: dict[str, Any] = {}
    for section, module in ANALYSES.items():
        if section in tables:
            found = import_module(module).read(book, tables[section], folder, systems=systems)
            if found is not None:
                made[section] = found
    return made
