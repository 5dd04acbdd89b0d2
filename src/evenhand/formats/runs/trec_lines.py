"""TREC text, line by line: careful, and exact about what is wrong where."""

from __future__ import annotations

from math import isfinite
from typing import NamedTuple

from evenhand.errors import InputError
from evenhand.formats.runs.rows import Rows

__all__ = ["RunLine", "number", "parse_qrels", "parse_run", "run_line", "shown"]

RUN = "question Q0 unit rank score tag"
QRELS = "question iteration unit grade"
BLANKS = "TREC text cannot hold ids with blanks: use JSON (dict of dicts) or JSON lines for those"


def shown(line: bytes, limit: int = 60) -> str:
    """A line for a message: text, cut, with nothing that a terminal would obey."""
    text = line.decode("utf-8", "replace")
    return repr(text if len(text) <= limit else text[:limit] + "…")


def number(field: bytes) -> float | None:
    """A decimal number, or None; Python's own underscores are none."""
    try:
        return float(field) if b"_" not in field else None
    except ValueError:
        return None


def whole(field: bytes) -> int | None:
    """A whole number, or None."""
    try:
        return int(field) if b"_" not in field else None
    except ValueError:
        return None


class _Faults:
    """Raises at the first broken line, or (lenient) counts them."""

    def __init__(self, rows: Rows, *, lenient: bool) -> None:
        self.rows = rows
        self.lenient = lenient

    def broken(self, at: int, what: str, mend: str) -> None:
        if not self.lenient:
            raise InputError(f"{self.rows.file}, line {at}: {what}", mend=mend)
        self.rows.notes["broken"] += 1


class RunLine(NamedTuple):
    """What a line of a run file is: a row, when ``part`` is not empty; and what is noted of it."""

    part: list[bytes]
    score: float = 0.0
    rank: int | None = None
    note: str = ""


def run_line(file: str, at: int, line: bytes, *, lenient: bool) -> RunLine:
    """Judge one line ``question Q0 unit rank score tag`` (number *at*) that is not blank; see `parse_run`."""
    part = line.split()
    rank = whole(part[3]) if len(part) >= 6 else None
    score = number(part[4]) if len(part) >= 6 else None
    if part[0].startswith(b"#") and (rank is None or score is None):
        return RunLine([], note="comments")
    what, mend = f"expected 6 columns ({RUN}), found {len(part)}: {shown(line)}", ""
    note = ""
    if len(part) < 6:
        mend = "give every line all six columns"
    elif len(part) > 6:
        note = "extra_columns"
        if rank is None or (whole(part[4]) is not None and number(part[5]) is not None):
            mend = BLANKS
    if not mend and (score is None or not isfinite(score)):
        what = f"the score {shown(part[4])} is not a finite number"
        mend = "NaN and infinity cannot be ranked: mend what wrote the file, or leave the line out"
    if not mend:
        return RunLine(part, score or 0.0, rank, note)
    if not lenient:
        raise InputError(f"{file}, line {at}: {what}", mend=mend)
    return RunLine([], note="broken")


def parse_run(data: bytes, file: str, *, lenient: bool = False) -> Rows:
    """Rows of ``question Q0 unit rank score tag``; blanks and tabs separate, in any number.

    Blank lines and lines that begin with # and have not the form of a row are skipped. Whatever follows
    the sixth column is ignored, as trec_eval does, unless it shows that an id holds a blank.
    """
    rows = Rows(file)
    ranks = True
    for at, line in enumerate(data.split(b"\n"), 1):
        if not line.strip():
            continue
        one = run_line(file, at, line, lenient=lenient)
        if one.note:
            rows.notes[one.note] += 1
        if not one.part:
            continue
        ranks = ranks and one.rank is not None
        rows.question.append(one.part[0])
        rows.unit.append(one.part[2])
        rows.value.append(one.score)
        rows.extra.append(one.rank)
        rows.line.append(at)
        rows.tag = rows.tag or one.part[5].decode("utf-8", "replace")
    if not ranks:  # some tools write no number there; trec_eval does not read it either
        rows.extra = []
        rows.notes["no_ranks"] = 1
    return rows


def is_relation(lines: list[bytes]) -> bool:
    """Whether every line is ``question unit 0 0``, as in the qrels that SMART's collections come with."""
    parts = [line.split() for line in lines if line.strip()]
    return bool(parts) and all(len(p) == 4 and p[2] == b"0" and number(p[3]) == 0 for p in parts)


def _three(line: bytes) -> bool:
    """Whether a line is ``question unit grade``, or a comment."""
    part = line.split()
    return part[0].startswith(b"#") or (
        len(part) == 3 and part[1] not in (b"0", b"Q0") and number(part[2]) is not None
    )


def parse_qrels(data: bytes, file: str, *, lenient: bool = False, whole_grades: bool = False) -> Rows:
    """Rows of ``question iteration unit grade``; with *whole_grades* a fraction is an error.

    A file all of whose lines have three columns is ``question unit grade``; one all of whose lines are
    ``question unit 0 0`` is SMART's list of relevant units.
    """
    rows = Rows(file)
    faults = _Faults(rows, lenient=lenient)
    lines = data.split(b"\n")
    three = all(_three(line) for line in lines if line.strip())
    smart = not three and is_relation(lines)
    for at, line in enumerate(lines, 1):
        part = line.split()
        if not part:
            continue
        if three and not part[0].startswith(b"#"):
            part.insert(1, b"0")
        if smart:
            part = [part[0], b"0", part[1], b"1"]
        grade = number(part[3]) if len(part) >= 4 else None
        if part[0].startswith(b"#") and (len(part) != 4 or grade is None):
            rows.notes["comments"] += 1
            continue
        if len(part) != 4:
            mend = BLANKS if len(part) > 4 else "give every line all four columns"
            faults.broken(at, f"expected 4 columns ({QRELS}), found {len(part)}: {shown(line)}", mend)
            continue
        if grade is None or not isfinite(grade):
            faults.broken(
                at,
                f"the grade {shown(part[3])} is not a finite number",
                "write a number, for example 0, 1 or 2",
            )
            continue
        if whole_grades and not grade.is_integer():
            raise InputError(
                f"{file}, line {at}: the grade {shown(part[3])} is not a whole number",
                mend="trec_eval would cut it: grade in whole numbers, or leave --like trec_eval out",
            )
        rows.question.append(part[0])
        rows.unit.append(part[2])
        rows.value.append(grade)
        rows.extra.append(part[1])
        rows.line.append(at)
    return rows
