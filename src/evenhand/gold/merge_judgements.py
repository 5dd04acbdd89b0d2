"""Judgements laid over aligned qrels: human before alignment before panel, conflicts listed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from evenhand.errors import InputError, expect
from evenhand.model.judging import Conflict, Judgement
from evenhand.model.run import Qrels

__all__ = ["apply_judgements"]

HUMAN, ALIGNED, PANEL = 0, 1, 2  # Qrels.label

Cell = tuple[int, int]  # question, unit


def apply_judgements(qrels: Qrels, judgements: Iterable[Judgement]) -> tuple[Qrels, tuple[Conflict, ...]]:
    """The same qrels with *judgements* in them, and the cells on which sources differ.

    A judgement counts only for a unit with exactly its span and text. Of one judge the last one counts;
    of several judges of one kind the lower median does; an adjudicated one stands for all human ones.
    A question for which a judge finds a relevant unit is no longer unreachable.

    ``notes`` gains ``conflicts``, ``judgements_stale`` (the text has changed), ``judgements_elsewhere``
    (no unit of this chunking has that span) and ``judgements_unasked`` (no such question).
    """
    expect(qrels, Qrels, "the first argument", "apply_judgements(qrels, judgements)")
    if qrels.units is None:
        raise InputError(
            "judgements on spans need qrels of units", mend="align the gold set with a chunking first"
        )
    graded, notes = _cells(qrels, judgements)
    aligned = _rows(qrels)
    cells = sorted({*aligned, *graded})
    grades = np.zeros(len(cells))
    labels = np.zeros(len(cells), dtype=np.int8)
    row_of: dict[int, int] = {}
    conflicts: list[Conflict] = []
    for i, cell in enumerate(cells):
        human, panel = graded.get(cell, (None, None))
        row = aligned.get(cell)
        own = None if row is None else float(qrels.grade[row])
        if row is not None:
            row_of[row] = i
        sources = ((HUMAN, human), (ALIGNED, own), (PANEL, panel))
        labels[i], grades[i] = next((label, grade) for label, grade in sources if grade is not None)
        if len({grade for _, grade in sources if grade is not None}) > 1:
            conflicts.append(
                Conflict(
                    question=qrels.questions[cell[0]],
                    unit=qrels.table[cell[1]],
                    human=human,
                    aligned=own,
                    panel=panel,
                    grade=float(grades[i]),
                )
            )
    questions = np.array([question for question, _ in cells], dtype=np.int64)
    covers = qrels.covers.copy()
    if len(covers):
        covers[:, 0] = np.array([row_of[int(row)] for row in covers[:, 0]], dtype=np.int32)
    relevant = np.bincount(questions[grades > 0], minlength=len(qrels)) > 0
    result = replace(
        qrels,
        offsets=np.searchsorted(questions, np.arange(len(qrels) + 1)).astype(np.int64),
        unit=np.array([unit for _, unit in cells], dtype=np.int32),
        grade=grades,
        label=labels,
        covers=covers,
        unreachable=qrels.unreachable & ~relevant if len(qrels.unreachable) else qrels.unreachable,
        notes={**qrels.notes, **notes, "conflicts": len(conflicts)},
    )
    return result, tuple(conflicts)


def _rows(qrels: Qrels) -> dict[Cell, int]:
    question = np.repeat(np.arange(len(qrels)), np.diff(qrels.offsets))
    return {(int(q), int(u)): row for row, (q, u) in enumerate(zip(question, qrels.unit, strict=True))}


def _cells(
    qrels: Qrels, judgements: Iterable[Judgement]
) -> tuple[dict[Cell, tuple[float | None, float | None]], dict[str, int]]:
    """(human, panel) grade a cell, and counts of the judgements that found none."""
    units = qrels.units
    assert units is not None  # noqa: S101 - checked by the caller
    notes = {"judgements_stale": 0, "judgements_elsewhere": 0, "judgements_unasked": 0}
    hashes: dict[int, str] = {}
    votes: dict[Cell, dict[tuple[str, str], float]] = {}
    position = {name: i for i, name in enumerate(qrels.table)}
    for judgement in judgements:
        question = qrels.position.get(judgement.question)
        unit = position.get(f"{judgement.doc}#{judgement.start}-{judgement.end}")
        if question is None or unit is None:
            notes["judgements_unasked" if question is None else "judgements_elsewhere"] += 1
            continue
        if unit not in hashes:
            text = units.text(unit).encode("utf-8", "surrogatepass")
            hashes[unit] = hashlib.sha256(text).hexdigest()
        if hashes[unit] != judgement.text_sha256:
            notes["judgements_stale"] += 1
            continue
        cell = votes.setdefault((question, unit), {})
        cell[judgement.kind, judgement.judge] = judgement.grade
    return {cell: (_human(given), _median(given, "panel")) for cell, given in votes.items()}, notes


def _human(given: dict[tuple[str, str], float]) -> float | None:
    ruled = _median(given, "adjudicated")
    return _median(given, "human") if ruled is None else ruled


def _median(given: dict[tuple[str, str], float], kind: str) -> float | None:
    grades = sorted(grade for (of, _), grade in given.items() if of == kind)
    return grades[(len(grades) - 1) // 2] if grades else None
