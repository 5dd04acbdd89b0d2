"""Judgements in and out of labelling tools, by the name of the tool."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from evenhand.errors import InputError, nearest
from evenhand.formats.encoding import decode
from evenhand.formats.exported import Exported
from evenhand.formats.guests.labels import argilla, doccano, label_studio, langfuse, langsmith, phoenix
from evenhand.formats.guests.labels import table as labels_csv
from evenhand.formats.guests.labels.tasks import Reading, Taken
from evenhand.formats.labels.judgements import labels_text, parse_labels
from evenhand.formats.raw_bytes import read_bytes, write_bytes
from evenhand.formats.runs.trec import read_qrels
from evenhand.text.plural import counted

if TYPE_CHECKING:
    from evenhand.model.label import Label, Shown
    from evenhand.model.sheet import Sheet

__all__ = ["TOOLS", "export_labels", "import_labels"]

GUESTS = {
    "label-studio": label_studio,
    "argilla": argilla,
    "doccano": doccano,
    "langsmith": langsmith,
    "langfuse": langfuse,
    "phoenix": phoenix,
    "csv": labels_csv,
}
TOOLS = (*GUESTS, "jsonl", "qrels")
LOSSES = {  # what a tool has no place for, said when labels go out
    "argilla": ("at", "active_ms", "sheet"),
}


def export_labels(
    path: str | os.PathLike[str], tool: str, shown: Iterable[Shown], labels: Iterable[Label] = ()
) -> Exported:
    """Write items (and what was said of them) for *tool*: how many of each, and what its format cannot carry.

    ``jsonl`` holds labels alone; other tools no label of an item that is not among those *shown*.
    """
    labels, shown = list(labels), list(shown)
    if tool == "jsonl":
        write_bytes(path, labels_text(labels).encode())
        return Exported({"items": 0, "labels": len(labels)}, ())
    if tool not in GUESTS:
        raise InputError(f"nothing is written for {tool!r}", mend=nearest(tool, [*GUESTS, "jsonl"]))
    text: str = GUESTS[tool].write(shown, labels)
    write_bytes(path, text.encode("utf-8", "surrogatepass"))
    without = {
        name: sum(getattr(one, name) not in (None, "") for one in labels) for name in LOSSES.get(tool, ())
    }
    items = {one.item for one in shown}
    held = sum(label.item in items for label in labels)
    lost = (
        [counted(len(labels) - held, "labels are of items that are not written")]
        if held < len(labels)
        else []
    )
    lost += [
        f"{n} labels lose their {name!r}: {tool} has no place for it" for name, n in without.items() if n
    ]
    return Exported({"items": len(shown), "labels": held}, tuple(lost))


def _words(sheet: Sheet | None) -> dict[str, float]:
    """The label of each level, where no two are the same."""
    levels = sheet.levels if sheet is not None else ()
    found = {level.label.strip().casefold(): level.grade for level in levels}
    return found if len(found) == len(levels) else {}


def import_labels(
    path: str | os.PathLike[str],
    tool: str,
    shown: Iterable[Shown],
    *,
    grades: Mapping[str, float] | None = None,
    judge: str = "",
    sheet: Sheet | None = None,
    control: str = "",
) -> Taken:
    """The labels of a tool's export, for the items of a pool; ``lost`` says what it could not carry.

    *grades* spells the tool's own choices (``{"relevant": 2}``); *judge* names who labelled, where the
    file does not say; the levels of *sheet* are understood by their labels too (yes, no). *control* names
    the tool's own question whose answer is the grade (default: ``grade``). Raises InputError for a file that
    is not of this kind, or where it is not known which of several answers is the grade.
    """
    if tool not in TOOLS:
        raise InputError(f"nothing is read from {tool!r}", mend=nearest(tool, TOOLS))
    file = Path(path).name
    reading = Reading(shown, grades or {}, judge, file, _words(sheet), control)
    if tool == "qrels":
        qrels = read_qrels(path)
        for question in qrels.questions:
            for unit, grade in qrels.judged(question).items():
                found = reading.find(f"{question} {unit}")
                if found is not None:
                    reading.take(found, judge, grade)
        return reading.done()
    text, _ = decode(read_bytes(path), where=file)
    if tool == "jsonl":
        return Taken(labels=tuple(parse_labels(text, file)), lost=())
    try:
        taken: Taken = GUESTS[tool].read(text, reading)
    except (TypeError, AttributeError, KeyError, IndexError, ValueError, OverflowError) as error:
        raise InputError(
            f"{file} has not the form of {tool} ({error})", mend="give the file as the tool exported it"
        ) from error
    return taken
