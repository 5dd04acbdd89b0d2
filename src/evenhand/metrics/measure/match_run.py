"""From a run and qrels to a view: map units by id once, find the judged rows, take ranks from position."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from evenhand.metrics.measure.view import Judged, Tops, View

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from evenhand.model.run import Run

__all__ = ["by_score", "find", "mapped", "once"]


def mapped(table: Sequence[str], onto: Sequence[str]) -> NDArray[np.int64] | None:
    """int64[len(table)]: where each id stands in *onto* (-1: nowhere); None when both are the same."""
    if table is onto or (len(table) == len(onto) and table == onto):
        return None
    place = {unit: i for i, unit in enumerate(onto)}
    return np.fromiter((place.get(unit, -1) for unit in table), np.int64, len(table))


def by_score(run: Run, *, single: bool = False) -> Run:
    """The same run in trec_eval's order: score descending, then id descending (as strings).

    With *single* scores are compared as float32, as trec_eval 9 does; beyond float32 all are one tie.
    """
    if single:
        most = float(np.finfo(np.float32).max)
        score = np.clip(run.score, -most, most).astype(np.float32).astype(np.float64)
        run = replace(run, score=score)
    if all(a <= b for a, b in pairwise(run.table)):
        place = np.arange(len(run.table))
    else:
        order = sorted(range(len(run.table)), key=run.table.__getitem__)
        place = np.empty(len(order), dtype=np.int64)
        place[order] = np.arange(len(order))
    question = np.repeat(np.arange(len(run)), np.diff(run.offsets))
    rows = np.lexsort((-place[run.unit], -run.score, question))
    return replace(run, unit=run.unit[rows], score=run.score[rows])


def once(run: Run) -> tuple[Run, int]:
    """The run with only the first of each unit in a ranking, ranks closed up; and how many went."""
    question = np.repeat(np.arange(len(run)), np.diff(run.offsets))
    key = question * max(len(run.table), 1) + run.unit
    ordered = np.sort(key)
    if not np.any(ordered[1:] == ordered[:-1]):
        return run, 0
    _, first = np.unique(key, return_index=True)
    rows = np.sort(first)
    offsets = np.concatenate([[0], np.cumsum(np.bincount(question[rows], minlength=len(run)))])
    kept = replace(run, unit=run.unit[rows], score=run.score[rows], offsets=offsets.astype(np.int64))
    return kept, len(run.unit) - len(rows)


def find(judged: Judged, run: Run, *, tops: bool = False) -> View:
    """The judged units of *run* with their ranks, in stored order; with *tops* every unit besides.

    Questions that the qrels do not hold are left out and counted in ``notes["unasked"]``.
    """
    qrels = judged.qrels
    where = qrels.position
    asked = np.fromiter((where.get(q, -1) for q in run.questions), np.int64, len(run))
    depth = np.zeros(judged.n, dtype=np.int64)
    depth[asked[asked >= 0]] = np.diff(run.offsets)[asked >= 0]
    same = run.units is not None and run.units is qrels.units and len(run.table) == len(qrels.table)
    onto = None if same else mapped(run.table, qrels.table)  # hits at no unit stand behind the units

    unit = run.unit.astype(np.int64) if onto is None else onto[run.unit]
    rows = np.flatnonzero(unit >= 0)
    segment = np.searchsorted(run.offsets, rows, side="right") - 1
    question = asked[segment]
    key = question * judged.width + unit[rows]
    at = np.searchsorted(judged.key, key)
    at[at == len(judged.key)] = 0
    hit = np.flatnonzero((question >= 0) & (judged.key[at] == key)) if len(judged.key) else rows[:0]
    question, first = question[hit], run.offsets[segment[hit]]
    rank = rows[hit] - first + 1
    low, high = _tied(run, rows[hit])
    order = np.lexsort((rank, question))
    return View(
        system=run.system,
        judged=judged,
        question=question[order],
        rank=rank[order],
        row=at[hit][order],
        low=(low - first + 1)[order],
        high=(high - first)[order],
        depth=depth,
        missing=depth == 0,
        tops=_tops(run, asked, unit) if tops else None,
        notes={"unasked": int(np.sum(asked < 0))} if np.any(asked < 0) else {},
        asked=tuple(run.questions[:3]),
        shown=tuple(run.table[:3]),
        provenance=run.provenance,
    ).spared()


def _tied(run: Run, rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For some rows of a run, the first and behind the last row with the same score beside them."""
    begins = np.ones(len(run.score) + 1, dtype=bool)
    begins[1:-1] = run.score[1:] != run.score[:-1]
    begins[run.offsets[:-1]] = True
    starts = np.flatnonzero(begins)
    group = np.searchsorted(starts, rows, side="right") - 1
    return starts[group], starts[np.minimum(group + 1, len(starts) - 1)]


def _tops(run: Run, asked: NDArray[np.int64], unit: NDArray[np.int64]) -> Tops:
    size = np.diff(run.offsets)
    question = np.repeat(asked, size)
    rank = np.arange(1, len(unit) + 1) - np.repeat(run.offsets[:-1], size)
    order = np.lexsort((rank, question))
    order = order[question[order] >= 0]
    return Tops(question[order], rank[order], unit[order])
