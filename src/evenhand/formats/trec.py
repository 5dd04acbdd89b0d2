"""Run and qrels files ↔ `Run` and `Qrels`: TREC text foremost, and whatever else holds the same.

What a file is, is read off its content: an object of objects (ranx, pytrec_eval), JSON lines (LIMIT),
a table with a header (BEIR), Parquet, Arrow, else TREC text; packed or not.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from evenhand.errors import InputError
from evenhand.formats import rankings, trec_lines
from evenhand.formats.raw_bytes import BOM, open_bytes, read_bytes, write_bytes
from evenhand.formats.rows import ORDERS, Coded, Rows, fraction, grades_of, run_of
from evenhand.metrics.find import find

if TYPE_CHECKING:
    from evenhand.metrics.view import Judged, View
    from evenhand.model.run import Qrels, Run

__all__ = ["read_qrels", "read_run", "read_view", "stem", "write_qrels", "write_run"]

LARGE = 1 << 16  # bytes from which a run file is worth streaming
ENDINGS = {
    ".gz",
    ".bz2",
    ".xz",
    ".zst",
    ".zstd",
    ".lz4",
    ".txt",
    ".trec",
    ".run",
    ".json",
    ".jsonl",
    ".tsv",
    ".csv",
    ".parquet",
    ".parq",
    ".arrow",
    ".feather",
}
SEPARATORS = {"tsv": "\t", "csv": ","}


def stem(path: str | os.PathLike[str]) -> str:
    """What a run is called that nobody named: its file's name without its endings."""
    name = Path(path)
    while name.suffix.lower() in ENDINGS:
        name = name.with_suffix("")
    return name.name


def _kind(head: bytes) -> str:
    """What a file is whose unpacked content begins so: trec, json, frame (of columns), tsv or csv."""
    if head.startswith((b"PAR1", b"ARROW1")):
        return "frame"
    head = head.lstrip()
    if head.startswith((b"{", b"[")):
        return "json"
    names = head.partition(b"\n")[0].decode("utf-8", "replace")
    known = {alias for aliases in rankings.COLUMNS.values() for alias in aliases}
    for separator, kind in (("\t", "tsv"), (",", "csv")):
        cells = names.split(separator)
        if len(cells) >= 3 and sum(cell.strip().strip('"').lower() in known for cell in cells) >= 2:
            return kind
    return "trec"


def _rows(data: bytes, file: str) -> Rows | None:
    """The rows of a file that is not TREC text; None when it is."""
    kind = _kind(data)
    if kind == "json":
        head, _, rest = data.lstrip().partition(b"\n")
        one_object_a_line = head.rstrip().endswith(b"}") and rest.lstrip().startswith(b"{")
        if one_object_a_line or (head.rstrip().endswith(b"}") and not rest.strip() and _flat(head)):
            return rankings.parse_lines(data, file)
        return rankings.parse_json(data, file)
    if kind in SEPARATORS:
        return rankings.parse_table(data, file, separator=SEPARATORS[kind])
    return None


def _quick(path: str | os.PathLike[str]) -> str:
    """Which of the ways for large files and columns to try: "trec", "frame", "tsv", "csv", or "" for none."""
    file = Path(path)
    if not file.is_file():
        return ""
    large = file.stat().st_size >= LARGE
    head = open_bytes(path, lambda stream: stream.read(LARGE if large else 8)).removeprefix(BOM)
    kind = _kind(head)
    return kind if kind == "frame" or (large and kind != "json") else ""


def _flat(head: bytes) -> bool:
    """A single line of JSON: is it one row, rather than an object of objects?"""
    import json

    try:
        thing = json.loads(head)
    except ValueError:
        return False
    return bool(thing) and not any(isinstance(value, (dict, list)) for value in thing.values())


def read_run(
    path: str | os.PathLike[str], *, system: str | None = None, lenient: bool = False, ties: str = "trec"
) -> Run:
    """A run file as a `Run`, called *system* (default: the file's name without endings).

    ``ties``: ``trec`` orders by score, then id (bytes), both descending, as trec_eval; ``trec9`` the same
    with scores as float32, as trec_eval 9; ``file`` as the lines stand. The rank column orders nothing;
    where it contradicts the scores that is counted. Ids are text, letter for letter. ``notes`` counts what
    could bias a number: ties, contradictions, and with *lenient* duplicates (the first is kept) and broken
    lines (left out); without it both are errors that name the lines.
    """
    if ties not in ORDERS:
        raise InputError(f"ties={ties!r} is not known", mend=f"use one of: {', '.join(ORDERS)}")
    name = stem(path) if system is None else system
    if quick := _quick(path):
        from evenhand.formats import streamed

        found = streamed.run(path, quick, system=name, lenient=lenient, ties=ties)
        if found is not None:
            return found
    data = read_bytes(path)
    file = Path(path).name
    rows = _rows(data, file) or trec_lines.parse_run(data, file, lenient=lenient)
    if not rows.question:
        raise InputError(
            f"{file} holds no ranking", mend="give at least one line: question Q0 unit rank score tag"
        )
    import hashlib

    provenance = {"retriever": "file", "sha256": hashlib.sha256(data).hexdigest(), "ties": ties}
    if rows.tag:
        provenance["tag"] = rows.tag
    coded = Coded.of(rows, kind="run")
    return run_of(coded, system=name, ties=ties, lenient=lenient, provenance=provenance)


def read_view(
    path: str | os.PathLike[str],
    judged: Judged,
    *,
    system: str | None = None,
    lenient: bool = False,
    ties: str = "trec",
    depth: int | None = None,
    hashed: bool = True,
) -> View:
    """A run file as what the metrics need of it: where its judged units stand.

    The same numbers as `read_run` and `measure`, in a fraction of the time and memory for a large plain
    file. *depth* cuts each ranking. Without *hashed* a large file's SHA-256 is not taken.
    """
    name = stem(path) if system is None else system
    if quick := _quick(path):
        from evenhand.formats import streamed

        found = streamed.view(
            path, judged, quick, system=name, lenient=lenient, ties=ties, depth=depth, hashed=hashed
        )
        if found is not None:
            return found
    run = read_run(path, system=name, lenient=lenient, ties=ties)
    view = find(judged, run)
    return replace(view, notes={**run.notes, **view.notes}).cut(depth)


def read_qrels(path: str | os.PathLike[str], *, lenient: bool = False, whole_grades: bool = False) -> Qrels:
    """A qrels file as `Qrels`: questions in order of appearance, fractions and negative grades kept.

    A subtopic qrels file (one unit, several subtopics) gives nuggets. *whole_grades* refuses a fraction,
    naming its line. *lenient* keeps the first of a repeated row and leaves broken lines out, counted;
    without it both are errors that name the lines.
    """
    if quick := _quick(path):
        from evenhand.formats import streamed

        found = streamed.qrels(path, quick, lenient=lenient, whole_grades=whole_grades)
        if found is not None:
            return found
    data = read_bytes(path)
    file = Path(path).name
    rows = _rows(data, file)
    if rows is None:
        rows = trec_lines.parse_qrels(data, file, lenient=lenient, whole_grades=whole_grades)
    if whole_grades and any(not value.is_integer() for value in rows.value):
        at = next(i for i, value in enumerate(rows.value) if not value.is_integer())
        raise fraction(rows.at(at), rows.value[at])
    if not rows.question:
        raise InputError(f"{file} holds no judgement", mend="give at least one line: question 0 unit grade")
    return grades_of(Coded.of(rows, kind="qrels"), lenient=lenient)


def _fits(name: str, what: str) -> str:
    raw = name.encode("utf-8", "surrogatepass")
    if raw.split() != [raw]:
        raise InputError(
            f"the {what} id {name!r} does not fit TREC text, which is separated by blanks",
            mend="write JSON instead, or give ids without blanks",
        )
    return name


def write_run(path: str | os.PathLike[str], run: Run, *, tag: str | None = None) -> None:
    """Write TREC text whose scores fall strictly, also as float32, so that no tool can reorder it.

    A score that does not fall is lowered to the next float32 below the one before it; where that is not
    possible (beyond float32) the question's scores are replaced by its depth less the rank. ``.gz`` packs.
    """
    label = "_".join((tag or run.system).split()) or "run"
    lines = []
    for question, hits in run:
        if hits:
            _fits(question, "question")
        for hit, score in zip(hits, _falling([hit.score for hit in hits]), strict=True):
            lines.append(f"{question} Q0 {_fits(hit.unit, 'unit')} {hit.rank} {score} {label}\n")
    write_bytes(path, "".join(lines).encode())


def _falling(scores: list[float]) -> list[str]:
    import numpy as np

    low = np.float32(-np.inf)
    out: list[str] = []
    last = np.float32(np.inf)
    for score in scores:
        with np.errstate(over="ignore"):
            single = np.float32(score)
        if single < last and np.isfinite(single):
            out.append(repr(float(score)))
        else:
            single = np.nextafter(last, low)
            if not np.isfinite(single) or not np.isfinite(last):
                return [str(len(scores) - i) for i in range(len(scores))]
            out.append(repr(float(single)))
        last = single
    return out


def write_qrels(path: str | os.PathLike[str], qrels: Qrels) -> None:
    """Write TREC qrels: ``question 0 unit grade``; whole grades without a point. ``.gz`` packs."""
    lines = []
    for i, question in enumerate(qrels.questions):
        _fits(question, "question")
        for j in range(int(qrels.offsets[i]), int(qrels.offsets[i + 1])):
            grade = float(qrels.grade[j])
            shown = str(int(grade)) if grade.is_integer() else repr(grade)
            lines.append(f"{question} 0 {_fits(qrels.table[qrels.unit[j]], 'unit')} {shown}\n")
    write_bytes(path, "".join(lines).encode())
