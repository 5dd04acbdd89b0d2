"""Rankings that come from outside: run files tied to units, and guests that cut for themselves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from evenhand.errors import InputError
from evenhand.gold.nuggets import as_nuggets
from evenhand.model.run import Run
from evenhand.model.text import Units
from evenhand.study.steps.participants import OWN, Participant
from evenhand.text.plural import noun

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from evenhand.model.gold import GoldSet
    from evenhand.study.comparison.steps import Table
    from evenhand.study.steps.loop import Artifacts

__all__ = ["bound", "completed", "read_bound"]


def read_bound(table: Table, one: Participant, larder: Artifacts, *, asked: str = "questions") -> Run:
    """The run of a file, on the units it ranks, for the questions called *asked*."""
    from evenhand.formats.runs.trec import read_run

    file = table.folder / one.system.what
    run = asked_of(read_run(file, system=one.name), tuple(larder[asked]), file.name)
    return run if one.chunking == OWN else bound(run, larder[f"units/{one.chunking}"], file.name)


def asked_of(run: Run, questions: Sequence[str], name: str) -> Run:
    """The rankings of *questions* alone, in their order; others are left out and counted."""
    there = [question for question in questions if question in run.position]
    if not there:
        raise InputError(
            f"{name} ranks none of the {len(questions)} {noun(len(questions), 'question')} of the gold set "
            f"(it has {', '.join(map(repr, run.questions[:3]))})",
            mend="the first column of a run file is the question's id, as in gold.jsonl",
        )
    if tuple(there) == tuple(run.questions):
        return run
    rows = [slice(int(run.offsets[run.position[q]]), int(run.offsets[run.position[q] + 1])) for q in there]
    offsets = np.zeros(len(there) + 1, dtype=np.int64)
    np.cumsum([row.stop - row.start for row in rows], out=offsets[1:])
    more = len(run.questions) - len(there)
    return replace(
        run,
        questions=tuple(there),
        offsets=offsets,
        unit=np.concatenate([run.unit[row] for row in rows]),
        score=np.concatenate([run.score[row] for row in rows]),
        notes={**run.notes, **({"other_questions": more} if more else {})},
    )


def bound(run: Run, units: Units, name: str) -> Run:
    """*run* with its ids tied to *units*: unit ids, or ids of documents that are one unit each.

    Ids that are neither keep their rank, point at no unit and are counted as ``unresolved``.
    """
    ids: dict[str, int] = {str(unit): i for i, unit in enumerate(units.ids)}
    if not any(unit in ids for unit in run.table) and len(units) == len(np.unique(units.doc)):
        ids = {str(units.corpus.documents[d].id): i for i, d in enumerate(units.doc.tolist())}
    extra: list[str] = []
    codes = np.zeros(len(run.table), dtype=np.int32)
    for i, unit in enumerate(run.table):
        if unit in ids:
            codes[i] = ids[unit]
        else:
            codes[i] = len(units) + len(extra)
            extra.append(unit)
    if len(extra) == len(run.table):
        raise InputError(
            f"{name} ranks {extra[0]!r} and others, none of which is a unit of {units.chunking!r}",
            mend=f'a unit is called document#start-end, as in {units.ids[0]!r}; or say chunking = "own"',
        )
    lost = int((codes[run.unit] >= len(units)).sum())
    return replace(
        run,
        unit=codes[run.unit],
        table=(*units.ids, *extra) if extra else units.ids,
        # a copy where codes go past the units, so that nobody takes them for units by position
        units=replace(units) if extra else units,
        notes={**run.notes, **({"unresolved": lost} if lost else {})},
    )


def completed(run: Run, gold: GoldSet, label: str) -> Run:
    """A guest's run over its hits and the evidence that none of them holds, as the chunking *label*.

    A guest shows only what it retrieves. Without the evidence it missed the ideal ranking and recall would
    be taken over what it found, and it could not be seen to miss anything.
    """
    units = run.units
    if units is None:
        return run
    rows = np.column_stack([units.doc, units.start, units.end]).astype(np.int64)
    more = _missed(rows, units, gold)
    grown = Units.of(
        units.corpus,
        label,
        np.concatenate([rows, more]),
        settings={"rule": "guest", "only": "spans that were retrieved, and evidence that none of them holds"},
    )
    place = {unit: i for i, unit in enumerate(grown.ids)}
    extra = list(run.table[len(units) :])
    codes = np.array([place[unit] for unit in units.ids] + [len(grown) + i for i in range(len(extra))])
    return replace(
        run,
        unit=codes[run.unit].astype(np.int32) if len(run.unit) else run.unit,
        table=(*grown.ids, *extra) if extra else grown.ids,
        units=replace(grown) if extra else grown,
        notes={**run.notes, "evidence_not_retrieved": len(more)},
    )


def _missed(rows: NDArray[np.int64], units: Units, gold: GoldSet) -> NDArray[np.int64]:
    """One span of each nugget that no row holds whole; all of them where whole documents were judged."""
    by_doc: dict[int, NDArray[np.int64]] = {}
    missed: set[tuple[int, int, int]] = set()
    for question in as_nuggets(gold.answerable()):
        for nugget in question.evidence:
            spans = [
                (units.corpus.position[q.span.doc], q.span.start, q.span.end)
                for q in nugget.spans
                if q.span.doc in units.corpus.position
            ]
            held: list[bool] = []
            for doc, start, end in spans:
                if doc not in by_doc:
                    by_doc[doc] = rows[rows[:, 0] == doc]
                held.append(bool(((by_doc[doc][:, 1] <= start) & (by_doc[doc][:, 2] >= end)).any()))
            if question.grades:
                missed |= {span for span, found in zip(spans, held, strict=True) if not found}
            elif spans and not any(held):
                missed.add(spans[0])
    return np.array(sorted(missed), dtype=np.int64).reshape(-1, 3)
