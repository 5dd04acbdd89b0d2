"""``judgements.jsonl``: one label a line, keys in fixed order, so that it reads and diffs well."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

from evenhand.errors import InputError, nearest
from evenhand.formats.encoding import decode
from evenhand.formats.json_lines import json_line, json_rows
from evenhand.formats.raw_bytes import read_bytes, write_bytes
from evenhand.model.judging import EvidenceMark
from evenhand.model.label import Label

__all__ = ["label_json", "label_of", "labels_text", "parse_labels", "read_labels", "write_labels"]

TEXTS = ("mode", "reason", "comment", "sheet", "at")
NEEDED = ("question", "doc", "start", "end", "text_sha256", "judge")
KEYS = (*NEEDED, "kind", "by", "grade", *TEXTS, "evidence", "active_ms")
MEND = "write what `evenhand judge qrels --labels` writes: one object a line"


def label_json(label: Label) -> dict[str, Any]:
    """The object of one line; what is empty is left out."""
    row: dict[str, Any] = {name: getattr(label, name) for name in NEEDED}
    row |= {"kind": label.kind, "by": label.by}
    if label.grade is not None:
        row["grade"] = int(label.grade) if float(label.grade).is_integer() else label.grade
    row |= {name: getattr(label, name) for name in TEXTS if getattr(label, name)}
    if label.evidence:
        row["evidence"] = [{"start": m.start, "end": m.end, "quote": m.quote} for m in label.evidence]
    if label.active_ms is not None:
        row["active_ms"] = label.active_ms
    return row


def label_of(row: Any, where: str) -> Label:
    """The label of one object; an `InputError` names *where* and the field."""
    if not isinstance(row, dict):
        raise InputError(f"{where}: is no JSON object", mend=MEND)
    for key in row:
        if key not in KEYS:
            raise InputError(f"{where}: has a field {key!r}", mend=nearest(key, KEYS))
    made: dict[str, Any] = {}
    for key in KEYS[:-2]:
        if key in row:
            made[key] = _field(row[key], key, where)
        elif key in NEEDED:
            raise InputError(f"{where}: has no {key!r}", mend=MEND)
    if "kind" not in made and "grade" not in made:
        raise InputError(f"{where}: has no grade", mend='give "grade", or "kind" cannot-tell or skip')
    active = row.get("active_ms")
    if active is not None and (isinstance(active, bool) or not isinstance(active, int) or active < 0):
        raise InputError(f"{where}: active_ms is {active!r}", mend="give whole milliseconds")
    try:
        marks = tuple(
            EvidenceMark(start=mark["start"], end=mark["end"], quote=mark["quote"])
            for mark in row.get("evidence", ())
        )
        return Label(evidence=marks, active_ms=active, **made)
    except InputError as error:
        raise InputError(f"{where}: {error.what}", mend=error.mend) from error
    except (TypeError, KeyError) as error:
        raise InputError(
            f"{where}: evidence is not understood", mend='write [{"start": 0, "end": 3, "quote": "its"}]'
        ) from error


def _field(value: Any, key: str, where: str) -> Any:
    if key == "grade":
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise InputError(f"{where}: grade is {value!r}", mend="a grade is a number")
        return float(value)
    if key in ("start", "end"):
        if isinstance(value, bool) or not isinstance(value, int):
            raise InputError(f"{where}: {key} is {value!r}", mend="offsets are whole numbers")
    elif not isinstance(value, str):
        raise InputError(f"{where}: {key} is {value!r}", mend="give a text")
    return value


def labels_text(labels: Iterable[Label]) -> str:
    """All lines, in the order given. ASCII where a text holds half a surrogate pair."""
    return "".join(json_line(label_json(label)) for label in labels)


def parse_labels(text: str, file: str) -> list[Label]:
    """The labels of a text of JSON lines."""
    return [label_of(row, where) for row, where in json_rows(text, file, mend=MEND)]


def read_labels(path: str | os.PathLike[str]) -> list[Label]:
    """The labels of a ``judgements.jsonl``, every field checked, faults named with their line."""
    where = os.fspath(path)
    text, _ = decode(read_bytes(path), where=where)
    return parse_labels(text, where)


def write_labels(path: str | os.PathLike[str], labels: Iterable[Label]) -> None:
    """Write ``judgements.jsonl`` under a temporary name and move it into place."""
    write_bytes(path, labels_text(labels).encode())
