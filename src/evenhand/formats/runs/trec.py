"""Run and qrels files ↔ `Run` and `Qrels`: TREC text foremost, and whatever else holds the same.

What a file is, is read off its content: an object of objects (ranx, pytrec_eval), JSON lines (LIMIT),
a table with a header (BEIR), Parquet, Arrow, else TREC text; packed or not.
"""

from __future__ import annotations

import os
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from evenhand.errors import Empty, InputError, nearest
from evenhand.formats.encoding import as_utf8, is_wide
from evenhand.formats.guests.foreign_file import of_form
from evenhand.formats.raw_bytes import BOM, is_packed, open_bytes, read_bytes
from evenhand.formats.runs import other_formats, trec_lines
from evenhand.formats.runs.rows import ORDERS, Coded, Rows, fraction, grades_of, run_of
from evenhand.formats.runs.write import write_qrels, write_run
from evenhand.metrics.measure.match_run import find
from evenhand.model.json_text import loads

if TYPE_CHECKING:
    from evenhand.metrics.measure.view import Judged, View
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
# what a file may be said to be -> how it is read
KINDS = {
    "trec": "trec",
    "json": "json",
    "mteb": "json",
    "jsonl": "json",
    "tsv": "tsv",
    "beir": "tsv",
    "csv": "csv",
    "parquet": "frame",
}

SIGNS = {  # the keys by which they are known
    "ragas": (b'"retrieved_context_ids"', b'"reference_context_ids"'),
    "llama-index": (b'"retrieved_ids"', b'"expected_ids"'),
    "haystack": (b'"retrieved_documents"', b'"ground_truth_documents"'),
}
LZ4 = b"\x04\x22\x4d\x18"  # how an LZ4 frame begins
GUESTS = ("ragas", "llama-index", "haystack", "autorag")  # whose rows hold a run and its judgements


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
    known = {alias for aliases in other_formats.COLUMNS.values() for alias in aliases}
    for separator, kind in (("\t", "tsv"), (",", "csv")):
        cells = names.split(separator)
        if len(cells) >= 3 and sum(cell.strip().strip('"').lower() in known for cell in cells) >= 2:
            return kind
    return "trec"


def _rows(data: bytes, file: str, *, form: str = "", part: str = "") -> Rows | None:
    """The rows of a file that is not TREC text; None when it is. *form* says which it is, *part* of which."""
    kind = KINDS[form] if form else _kind(data)
    if form == "jsonl":
        return other_formats.parse_lines(data, file)
    if form in ("json", "mteb"):
        return other_formats.parse_json(data, file, part=part)
    if kind == "json":
        head, _, rest = data.lstrip().partition(b"\n")
        one_object_a_line = head.rstrip().endswith(b"}") and rest.lstrip().startswith(b"{")
        if one_object_a_line or (head.rstrip().endswith(b"}") and not rest.strip() and _flat(head)):
            return other_formats.parse_lines(data, file)
        return other_formats.parse_json(data, file, part=part)
    if kind in SEPARATORS:
        return other_formats.parse_table(data, file, separator=SEPARATORS[kind])
    return None


def _guest(path: str | os.PathLike[str]) -> str:
    """Whose rows a file holds that names what was retrieved and expected; empty for any other file."""
    file = Path(path)
    if not file.is_file():
        return ""
    head = open_bytes(path, lambda stream: stream.read(1 << 14)).removeprefix(BOM)
    if is_wide(head):
        head = as_utf8(read_bytes(path), where=file.name)[: 1 << 14]
    head = head.lstrip()
    if head.startswith(b"PAR1"):
        from evenhand.formats.guests.retrieved import is_autorag

        return "autorag" if is_autorag(BytesIO(read_bytes(path)) if is_packed(file) else file) else ""
    if not head.startswith((b"{", b"[")):
        return ""
    return next((name for name, keys in SIGNS.items() if any(key in head for key in keys)), "")


def _of_guest(data: bytes, file: str, form: str, *, qrels: bool) -> Rows:
    """The rows of another tool's file of what was retrieved and expected."""
    from evenhand.formats.guests.retrieved import retrieved

    with of_form(file, form, mend="give the file as the tool wrote it"):
        return retrieved(data, file, form, qrels=qrels)


def _quick(path: str | os.PathLike[str], form: str = "") -> str:
    """Which of the ways for large files and columns to try: "trec", "frame", "tsv", "csv", or "" for none."""
    if form and form not in (*KINDS, *GUESTS):
        raise InputError(f"the form {form!r} is not known", mend=nearest(form, (*KINDS, *GUESTS)))
    file = Path(path)
    if not file.is_file() or form in GUESTS:
        return ""
    large = file.stat().st_size >= LARGE
    head = open_bytes(path, lambda stream: stream.read(LARGE if large else 8)).removeprefix(BOM)
    if is_wide(head):
        return ""
    kind = KINDS[form] if form else _kind(head)
    return kind if kind == "frame" or (large and kind != "json") else ""


def _flat(head: bytes) -> bool:
    """A single line of JSON: is it one row, rather than an object of objects?"""
    try:
        thing = loads(head)
    except ValueError:
        return False
    return bool(thing) and not any(isinstance(value, (dict, list)) for value in thing.values())


def read_run(
    path: str | os.PathLike[str],
    *,
    system: str | None = None,
    lenient: bool = False,
    ties: str = "trec",
    form: str = "",
    part: str = "",
) -> Run:
    """A run file as a `Run`, called *system* (default: the file's name without endings).

    ``ties``: ``trec`` orders by score, then id (bytes), both descending, as trec_eval; ``trec9`` the same
    with scores as float32, as trec_eval 9; ``file`` as the lines stand. The rank column orders nothing;
    where it contradicts the scores that is counted. Ids are text, letter for letter. ``notes`` counts what
    could bias a number: ties, contradictions, and with *lenient* duplicates (the first is kept) and broken
    lines (left out); without it both are errors that name the lines. *form* says what the file is where its
    content does not (trec, json, mteb, jsonl, tsv, beir, csv, parquet), *part* which subset/split of an MTEB
    file is meant.
    """
    if ties not in ORDERS:
        raise InputError(f"ties={ties!r} is not known", mend=f"use one of: {', '.join(ORDERS)}")
    name = stem(path) if system is None else system
    form = form or _guest(path)
    if quick := _quick(path, form):
        from evenhand.formats.runs import large_files

        found = large_files.run(path, quick, system=name, lenient=lenient, ties=ties)
        if found is not None:
            return found
    file = Path(path).name
    data = as_utf8(read_bytes(path), where=file)
    if data.startswith(LZ4):
        raise InputError(
            f"{file} is packed twice, as ranx packs its LZ4, and holds CBOR",
            mend="save it as JSON: ranx.Run.from_file(path).save('run.json')",
        )
    if form in GUESTS:
        rows = _of_guest(data, file, form, qrels=False)
    else:
        rows = _rows(data, file, form=form, part=part) or trec_lines.parse_run(data, file, lenient=lenient)
    if not rows.question:
        raise Empty(
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
    if quick := _quick(path, _guest(path)):
        from evenhand.formats.runs import large_files

        found = large_files.view(
            path, judged, quick, system=name, lenient=lenient, ties=ties, depth=depth, hashed=hashed
        )
        if found is not None:
            return found
    run = read_run(path, system=name, lenient=lenient, ties=ties)
    view = find(judged, run)
    return replace(view, notes={**run.notes, **view.notes}).cut(depth)


def read_qrels(
    path: str | os.PathLike[str],
    *,
    lenient: bool = False,
    whole_grades: bool = False,
    form: str = "",
    part: str = "",
) -> Qrels:
    """A qrels file as `Qrels`: questions in order of appearance, fractions and negative grades kept.

    A subtopic qrels file (one unit, several subtopics) gives nuggets. *whole_grades* refuses a fraction,
    naming its line. *lenient* keeps the first of a repeated row and leaves broken lines out, counted;
    without it both are errors that name the lines. *form* and *part*: see `read_run`. Queries of FreshStack
    give nuggets; examples of BRIGHT say which units are taken out of a ranking before it is measured.
    """
    form = form or _guest(path)
    if quick := _quick(path, form):
        from evenhand.formats.runs import large_files

        found = large_files.qrels(path, quick, lenient=lenient, whole_grades=whole_grades)
        if found is not None and (tuple(found.table) != ("0",) or found.grade.any()):  # else: of SMART
            return found
    file = Path(path).name
    data = as_utf8(read_bytes(path), where=file)
    rows = (
        _of_guest(data, file, form, qrels=True) if form in GUESTS else _rows(data, file, form=form, part=part)
    )
    if rows is None:
        rows = trec_lines.parse_qrels(data, file, lenient=lenient, whole_grades=whole_grades)
    if whole_grades and any(not value.is_integer() for value in rows.value):
        at = next(i for i, value in enumerate(rows.value) if not value.is_integer())
        raise fraction(rows.at(at), rows.value[at])
    if not rows.question:
        raise Empty(f"{file} holds no judgement", mend="give at least one line: question 0 unit grade")
    return grades_of(Coded.of(rows, kind="qrels"), lenient=lenient)
