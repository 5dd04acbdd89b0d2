"""Question by question: values of every system, and for those that differ most the units they found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from evenhand.gold.nuggets import as_nuggets
from evenhand.text.plural import noun

if TYPE_CHECKING:
    from evenhand.model.gold import GoldSet, Question
    from evenhand.model.result import Measurements
    from evenhand.model.run import Qrels, Run
    from evenhand.model.text import Span

__all__ = ["BYTES", "DRILLED", "LISTED", "SHOWN", "TOP", "UNIT", "WORDS", "drill"]

LISTED = 1200  # questions listed with their values
DRILLED = 150  # of them with the units that were found
BYTES = 1_800_000  # about how large the page may get: what the list leaves of it is for the units
TOP = 5  # units kept a system and question
SHOWN = 3  # of them with their text
UNIT = 1200  # characters of a unit's text, around evidence; half beside more than `MANY` systems
MANY = 6
WORDS = 2000  # characters of a question's text, a reference answer or a quote
# bytes of markup: of a unit on the page beside its text, of a system's column and each value in it, of a
# question in the list and each value there
ENTRY, COLUMN, VALUE, ROW, CELL = 300, 330, 75, 330, 32


def drill(
    *,
    gold: GoldSet,
    qrels: Mapping[str, Qrels],
    runs: Sequence[Run],
    measurements: Measurements,
    primary: str,
    most: int | None = None,
) -> dict[str, Any]:
    """The questions on which the systems differ most on *primary*, first those that differ most.

    At most `LISTED` questions are listed with all values; at most *most* (default `DRILLED`) of them, and
    no more than a page of about `BYTES` has room for, with each system's first `TOP` units: ids, spans,
    scores, grades, nuggets covered, and the text of the first `SHOWN`. Texts and documents are tables
    that rows point into, so that nothing is stored twice. Null systems do not count in what differs, and
    what they found is not kept.
    """
    gold = as_nuggets(gold)
    systems, metrics = measurements.systems, measurements.metrics
    lead = metrics.index(primary) if primary in metrics else 0
    null = {run.system for run in runs if run.provenance.get("null")}
    real = [i for i, name in enumerate(systems) if name not in null] or list(range(len(systems)))
    spread, mean = _spread(measurements, lead, real)
    there = {question: i for i, question in enumerate(measurements.questions)}
    order = sorted(
        range(len(gold)),
        key=lambda g: _key(g, there.get(gold[g].id), spread, mean),
    )
    shelf = _Shelf(runs, qrels, systems, metrics=len(metrics))
    limit = DRILLED if most is None else most
    room = BYTES - sum(ROW + CELL * len(systems) + _weight(short(gold[g].text)) for g in order[:LISTED])
    lost = measurements.unreachable[:, lead] if measurements.unreachable.size else measurements.missing[:0]
    rows: list[dict[str, Any]] = []
    drilled = 0
    for g in order[:LISTED]:
        question: Question = gold[g]
        q = there.get(question.id)
        row = _row(question, g)
        if q is None:
            row |= {"measured": False, "values": None, "undefined": [], "spread": None}
        else:
            row |= {"measured": True, "spread": _float(spread[q]), **_values(measurements, q)}
        row["unreachable"] = [] if q is None else _flags(lost, systems, q)
        row["missing"] = [] if q is None else _flags(measurements.missing, systems, q)
        if q is not None and drilled < limit and shelf.bytes < room:
            row["found"] = shelf.found(question)
            drilled += 1
        else:
            row["found"] = None
        row["evidence"] = shelf.evidence(question) if row["found"] is not None else []
        rows.append(row)
    return {
        "of": len(gold),
        "listed": len(rows),
        "drilled": drilled,
        "rule": _rule(len(gold), len(rows), drilled),
        "top": TOP,
        "metrics": list(metrics),
        "primary": metrics[lead] if metrics else "",
        "systems": list(systems),
        "rows": rows,
        "units": shelf.units,
        "documents": shelf.documents,
    }


def _rule(of: int, listed: int, drilled: int) -> str:
    text = "sorted by how far the systems are apart on the primary metric"
    if listed < of:
        text += f"; the {listed} of {of} {noun(of, 'question')} on which they differ most are listed"
    if drilled < listed:
        text += f"; what was found is kept for the first {drilled} of them"
    return text


def _spread(m: Measurements, lead: int, real: Sequence[int]) -> tuple[list[float | None], list[float]]:
    """By question: highest minus lowest value and mean value of the systems that define it."""
    if not m.metrics or not len(m.questions):
        return [None] * len(m.questions), [0.0] * len(m.questions)
    value, known = m.value[real, lead], m.why[real, lead] == 0
    some = known.any(axis=0)
    high = np.where(known, value, -np.inf).max(axis=0)
    low = np.where(known, value, np.inf).min(axis=0)
    mean = np.where(known, value, 0.0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    apart = [float(h - w) if s else None for h, w, s in zip(high, low, some, strict=True)]
    return apart, mean.tolist()


def _key(
    g: int, q: int | None, spread: Sequence[float | None], mean: Sequence[float]
) -> tuple[int, float, float, int]:
    if q is None:
        return 2, 0.0, 0.0, g
    apart = spread[q]
    # ten digits, so that the last bits of a sum cannot change the order
    return (1, 0.0, 0.0, g) if apart is None else (0, -round(apart, 10), round(mean[q], 10), g)


def _row(question: Question, g: int) -> dict[str, Any]:
    return {
        "id": question.id,
        "position": g,
        "text": short(question.text),
        "type": question.type,
        "tags": list(question.tags),
        "expect": question.expect,
        "cluster": question.cluster,
        "reference": short(question.reference),
        "provisional": question.provisional,
    }


def _values(m: Measurements, q: int) -> dict[str, Any]:
    undefined = [
        [m.systems[s], m.metrics[k], m.reasons[int(m.why[s, k, q])]]
        for s in range(len(m.systems))
        for k in range(len(m.metrics))
        if m.why[s, k, q]
    ]
    values = [
        [None if m.why[s, k, q] else float(m.value[s, k, q]) for k in range(len(m.metrics))]
        for s in range(len(m.systems))
    ]
    return {"values": values, "undefined": undefined}


def _flags(flags: np.ndarray[Any, Any], systems: Sequence[str], q: int) -> list[str]:
    return [name for s, name in enumerate(systems) if flags.size and flags[s, q]]


def _float(value: float | None) -> float | None:
    return None if value is None else float(value)


def _weight(text: str) -> int:
    return len(text.encode("utf-8", "replace"))


def short(text: str, limit: int = WORDS) -> str:
    """*text*, or its first *limit* characters and an ellipsis."""
    return text if len(text) <= limit else text[:limit] + "…"


class _Shelf:
    """The shared tables of units and documents, and what they cost so far."""

    def __init__(
        self, runs: Sequence[Run], qrels: Mapping[str, Qrels], systems: Sequence[str], *, metrics: int
    ) -> None:
        self.units: list[dict[str, Any]] = []
        self.documents: list[dict[str, Any]] = []
        self.bytes = 0
        self._unit: dict[tuple[str, str, int], int] = {}
        self._document: dict[str, int] = {}
        by_name = {run.system: run for run in runs}
        self._runs = [by_name.get(name) for name in systems]
        self._column = COLUMN + VALUE * metrics
        self._qrels = qrels
        self._covers: dict[str, dict[int, list[int]]] = {}
        self._size = UNIT if len(systems) <= MANY else UNIT // 2
        self._told: set[int] = set()  # units whose text the question at hand shows already

    def found(self, question: Question) -> list[dict[str, Any] | None]:
        """What each system found for *question*, in the order of systems; None for null systems."""
        self._told.clear()
        return [
            None if run is None or run.provenance.get("null") else self._of(run, question)
            for run in self._runs
        ]

    def _of(self, run: Run, question: Question) -> dict[str, Any]:
        self.bytes += self._column
        chunking = run.units.chunking if run.units is not None else ""
        qrels = self._qrels.get(chunking)
        graded = self._graded(chunking, qrels, question.id)
        best = max((grade for grade, _ in graded.values()), default=0.0)
        ranking = run.ranking(question.id)
        first = next(
            (hit.rank for hit in ranking if best > 0 and graded.get(hit.unit, (0.0, []))[0] == best), None
        )
        top = []
        for hit in ranking[:TOP]:
            grade, covers = graded.get(hit.unit, (None, []))
            unit = self._shelve(run, chunking, hit.unit, question, with_text=hit.rank <= SHOWN)
            # six digits: enough to read, and alike on all machines
            top.append({"unit": unit, "score": float(f"{hit.score:.6g}"), "grade": grade, "covers": covers})
        return {"depth": len(ranking), "first": first, "top": top}

    def _graded(
        self, chunking: str, qrels: Qrels | None, question: str
    ) -> dict[str, tuple[float, list[int]]]:
        """Grade and nuggets covered of each judged unit of *question*."""
        if qrels is None or question not in qrels.position:
            return {}
        if chunking not in self._covers:
            covers: dict[int, list[int]] = {}
            for row, nugget in qrels.covers.tolist():
                covers.setdefault(row, []).append(nugget)
            self._covers[chunking] = covers
        i = qrels.position[question]
        return {
            str(qrels.table[qrels.unit[j]]): (float(qrels.grade[j]), self._covers[chunking].get(j, []))
            for j in range(int(qrels.offsets[i]), int(qrels.offsets[i + 1]))
        }

    def _shelve(self, run: Run, chunking: str, name: str, question: Question, *, with_text: bool) -> int:
        units = run.units
        i = units.position.get(name) if units is not None else None  # type: ignore[call-overload]
        if units is None or i is None:
            return self._place(
                (chunking, name, -1), {"id": name, "chunking": chunking, "document": None, "text": None}
            )
        doc = units.corpus.documents[int(units.doc[i])]
        start, end = int(units.start[i]), int(units.end[i])
        spans = [q.span for n in question.evidence for q in n.spans if q.span.doc == doc.id]
        begin, stop = _window(start, end, spans, self._size)
        entry = {
            "id": name,
            "chunking": chunking,
            "document": self._book(doc),
            "start": start,
            "end": end,
            "from": begin,
            "text": doc.text[begin:stop] if with_text else None,
        }
        return self._place((chunking, name, begin if with_text else -1), entry)

    def _place(self, key: tuple[str, str, int], entry: dict[str, Any]) -> int:
        self.bytes += ENTRY
        if key not in self._unit:
            self._unit[key] = len(self.units)
            self.units.append(entry)
        place = self._unit[key]
        if place not in self._told:
            self._told.add(place)
            self.bytes += _weight(entry["text"] or "")
        return place

    def _book(self, doc: Any) -> int:
        if doc.id not in self._document:
            self._document[doc.id] = len(self.documents)
            self.documents.append({"id": doc.id, "title": doc.title, "status": doc.status})
        return self._document[doc.id]

    def evidence(self, question: Question) -> list[dict[str, Any]]:
        """The nuggets of *question* with their spans; they point into the table of documents by id."""
        told: list[dict[str, Any]] = []
        for nugget in question.evidence:
            spans = [
                {"doc": q.span.doc, "start": q.span.start, "end": q.span.end, "quote": short(q.quote)}
                for q in nugget.spans
            ]
            told.append({"nugget": short(nugget.name), "vital": nugget.vital, "spans": spans})
            self.bytes += ENTRY + sum(_weight(short(q.quote)) for q in nugget.spans)
        return told


def _window(start: int, end: int, spans: Sequence[Span], size: int) -> tuple[int, int]:
    """At most *size* characters of a unit, laid around the first evidence in it, else from its start."""
    if end - start <= size:
        return start, end
    inside = [max(s.start, start) for s in spans if s.start < end and s.end > start]
    begin = max(start, min(min(inside, default=start) - size // 4, end - size))
    return begin, begin + size
