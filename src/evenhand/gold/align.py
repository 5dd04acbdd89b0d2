"""Evidence spans × units → qrels: gold that survives every chunking."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from evenhand.errors import InputError, expect
from evenhand.gold.interval_cover import holders
from evenhand.gold.nuggets import as_counted
from evenhand.model.gold import GoldSet
from evenhand.model.run import Qrels
from evenhand.model.text import DocId, Units

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from evenhand.model.gold import Question
    from evenhand.model.text import Corpus

__all__ = ["align", "body_of", "sufficient"]

ALIGNED = 1  # Qrels.label


def align(gold: GoldSet, units: Units) -> Qrels:
    """The qrels of one chunking: which units hold which evidence whole.

    Only questions that expect an answer are in it. A unit that holds a span of every vital nugget has
    grade 2, one that holds some nugget has grade 1 (DESIGN §6; ``gold.spans`` says what counts as a
    nugget). A question none of whose evidence lies whole in a unit is ``unreachable``. Matching is by
    position only: the same words elsewhere do not count. Where whole documents are judged
    (`Question.grades`) a unit that holds the body of one has its grade, also 0 and below.

    ``notes``: ``without_sufficient_unit`` (reachable, but no single unit holds every vital nugget),
    ``with_cut_nugget`` (some vital nugget lies whole in no unit) and ``not_answerable`` (questions that
    expect no answer, left out); of a gold set that may be bare, ``without_evidence``.

    Raises InputError where evidence lies outside the corpus of *units*: it would count as a miss of
    every system.
    """
    expect(gold, GoldSet, "the first argument", "align(gold, units)")
    expect(units, Units, "the second argument", "align(gold, units)")
    asked = [question for question in gold if question.expect == "answer"]
    rows, vital, nugget_offsets = _evidence(asked, gold.spans, units.corpus, bare_too=gold.bare)
    question, unit, nugget = _pairs(rows, units)

    # one row a (question, unit); covers: one row a (question, unit, nugget)
    new = np.ones(len(question), dtype=bool)
    new[1:] = (question[1:] != question[:-1]) | (unit[1:] != unit[:-1])
    row = np.cumsum(new) - 1
    of = question[new]
    # a question may have no nugget at all (`GoldSet.bare`)
    whose = np.repeat(np.arange(len(asked)), np.diff(nugget_offsets))
    needed = np.bincount(whose, weights=vital, minlength=len(asked))
    found = np.bincount(row, weights=vital[nugget_offsets[question] + nugget], minlength=len(of))
    grade = np.where(found[: len(of)] == needed[of], 2.0, 1.0) if len(of) else np.zeros(0)
    offsets = np.searchsorted(of, np.arange(len(asked) + 1)).astype(np.int64)

    reached, marked = np.diff(offsets) > 0, np.diff(nugget_offsets) > 0
    whole = np.zeros(len(vital), dtype=bool)
    whole[nugget_offsets[question] + nugget] = True
    cut = np.bincount(whose, weights=vital & ~whole, minlength=len(asked))
    best = np.bincount(of[grade >= 2], minlength=len(asked)) > 0
    of, cell, grade, place, settled = _graded(asked, units, of, unit[new], grade)
    return Qrels(
        questions=tuple(q.id for q in asked),
        offsets=np.searchsorted(of, np.arange(len(asked) + 1)).astype(np.int64),
        unit=cell.astype(np.int32),
        grade=grade,
        table=units.ids,
        units=units,
        unreachable=~reached & marked,
        nugget_offsets=nugget_offsets,
        vital=vital,
        covers=np.column_stack([place[row], nugget]).astype(np.int32).reshape(-1, 2),
        evidence=rows,
        label=np.full(len(of), ALIGNED, dtype=np.int8),
        settled=settled,
        notes={
            "without_sufficient_unit": int((reached & ~best).sum()),
            "with_cut_nugget": int((cut > 0).sum()),
            "not_answerable": len(gold) - len(asked),
            **({"without_evidence": int((~marked).sum())} if gold.bare else {}),
        },
    )


def sufficient(qrels: Qrels) -> NDArray[np.int8]:
    """int8[j], one a judged row: could this unit alone answer? 1 yes, 0 no, −1 unknown.

    Aligned rows say so by their nuggets (a document that is judged relevant as a whole is the one there
    is), judged ones by grade 2 of the scale 0, 1, 2. Grades read from a file, with neither, are unknown.
    """
    known = len(qrels.label) == len(qrels.grade) and len(qrels.nugget_offsets) > 0
    if not known:
        return np.full(len(qrels.grade), -1, dtype=np.int8)
    row, nugget = qrels.covers[:, 0], qrels.covers[:, 1]
    question = np.repeat(np.arange(len(qrels.questions)), np.diff(qrels.offsets))
    vital = qrels.vital[qrels.nugget_offsets[question[row]] + nugget]
    held = np.bincount(row, weights=vital, minlength=len(question))
    whose = np.repeat(np.arange(len(qrels.questions)), np.diff(qrels.nugget_offsets))
    needed = np.bincount(whose, weights=qrels.vital, minlength=len(qrels.questions))[question]
    whole = (qrels.label == ALIGNED) & (needed > 0) & (held == needed)
    enough: NDArray[np.int8] = ((qrels.grade >= 2) | whole).astype(np.int8)
    return enough


def body_of(text: str, start: int) -> tuple[int, int]:
    """Where the body of a document begins and ends, without the blanks around it; equal where it is empty."""
    end = len(text.rstrip())
    return min(start + len(text[start:]) - len(text[start:].lstrip()), end), end


def _graded(
    asked: list[Question],
    units: Units,
    of: NDArray[np.int64],
    unit: NDArray[np.int64],
    grade: NDArray[np.float64],
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64], NDArray[np.int64], NDArray[np.bool_]]:
    """Question, unit and grade with the judgements of whole documents in them; where the old rows stand.

    And the questions whose best judged document is a unit (`Qrels.settled`).
    """
    documents, position = units.corpus.documents, units.corpus.position
    bodies: dict[int, tuple[int, int]] = {}
    rows: list[tuple[int, int, int, int, int]] = []
    said: list[float] = []
    for q, question in enumerate(asked):
        for name, level in question.grades.items():
            d = position.get(DocId(name))
            if d is None:
                continue
            if d not in bodies:
                bodies[d] = body_of(documents[d].text, documents[d].body)
            if bodies[d][0] < bodies[d][1]:
                rows.append((q, len(said), d, *bodies[d]))
                said.append(level)
    if not rows:
        return of, unit, grade, np.arange(len(of)), np.zeros(0, dtype=bool)
    asks, judged, number = _pairs(np.array(rows, dtype=np.int64), units)
    width = max(len(units), 1)
    old, new = of * width + unit, asks * width + judged
    every = np.union1d(old, new)
    made = np.zeros(len(every))
    place = np.searchsorted(every, old)
    made[place] = grade
    given = np.array(said)
    made[np.searchsorted(every, new)] = given[number]
    best, found = np.full(len(asked), -np.inf), np.full(len(asked), -np.inf)
    np.maximum.at(best, [row[0] for row in rows], given)
    np.maximum.at(found, asks, given[number])
    return every // width, every % width, made, place, np.isfinite(best) & (found == best)


def _evidence(
    asked: list[Question], spans: str, corpus: Corpus, *, bare_too: bool
) -> tuple[NDArray[np.int64], NDArray[np.bool_], NDArray[np.int64]]:
    """int64[e, 5] rows (question, nugget, document, start, end); vital flags; CSR offsets of nuggets."""
    rows: list[tuple[int, int, int, int, int]] = []
    vital: list[bool] = []
    offsets = [0]
    bare: list[str] = []
    outside: list[str] = []
    for q, question in enumerate(asked):
        nuggets = as_counted(question.evidence, spans)
        if not nuggets and not bare_too:
            bare.append(question.id)
        for n, nugget in enumerate(nuggets):
            vital.append(nugget.vital)
            for quote in nugget.spans:
                d = corpus.position.get(quote.span.doc)
                if d is None or quote.span.end > len(corpus.documents[d].text):
                    outside.append(f"{question.id} ({quote.span.doc})")
                else:
                    rows.append((q, n, d, quote.span.start, quote.span.end))
        offsets.append(len(vital))
    for ids, what, mend in (
        (bare, "expect an answer and have no evidence", "give each its evidence, or set its expect"),
        (
            outside,
            "have evidence outside the corpus",
            "read the gold set with its corpus (`evenhand gold check` shows each line), or exclude them",
        ),
    ):
        if ids:
            shown = ", ".join(ids[:5]) + (f" and {len(ids) - 5} more" if len(ids) > 5 else "")
            raise InputError(f"{len(ids)} questions {what}: {shown}", mend=mend)
    table = np.array(sorted(set(rows)), dtype=np.int64).reshape(-1, 5)
    return table, np.array(vital, dtype=bool), np.array(offsets, dtype=np.int64)


def _pairs(
    rows: NDArray[np.int64], units: Units
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Sorted distinct (question, unit, nugget) with a span of the nugget whole in the unit."""
    doc, start, end = rows[:, 2], rows[:, 3], rows[:, 4]
    low = units.first[doc]
    # units are sorted by (document, start): one key makes the last start <= s a binary search
    stride = int(max(units.start.max(initial=0), start.max(initial=0))) + 2
    keys = units.doc.astype(np.int64) * stride + units.start
    high = np.searchsorted(keys, doc * stride + start, side="right").astype(np.int64)
    span, unit = holders(low, high, units.end, end)
    found = np.unique(np.column_stack([rows[span, 0], unit, rows[span, 1]]), axis=0)
    return found[:, 0], found[:, 1], found[:, 2]
