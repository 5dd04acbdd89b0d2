"""The pairs of a threshold study: what was found at or above the least value, and what was said of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from evenhand.metrics.threshold.pairs import NO, UNKNOWN, YES, Pairs, passes
from evenhand.study.threshold.arms import Arm
from evenhand.study.threshold.corpus_criterion import role_of
from evenhand.study.threshold.question_types import NO_TYPE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from evenhand.model.gold import GoldSet
    from evenhand.model.plan.sections import ThresholdPlan
    from evenhand.model.question_types import QuestionTypes
    from evenhand.model.run import Qrels, Run

__all__ = ["Laid", "cut_run", "items_of", "laid_out", "pair_rows", "source_of", "spans_say"]


@dataclass(frozen=True, kw_only=True)
class Laid:
    """The pairs of one arm, a row each: ``rows`` says which hit of the run it is, ``rank`` from 1."""

    arm: Arm
    run: Run
    rows: NDArray[np.int64]
    question: tuple[str, ...]
    rank: NDArray[np.int64]
    items: tuple[str, ...] = ()  # what the panel calls them
    pairs: Pairs = field(repr=False)


def source_of(gold: GoldSet, question: str) -> str:
    """What a question belongs to: its source document; without one its cluster, or itself."""
    one = gold[question]
    return one.source or one.cluster or str(one.id)


def cut_run(run: Run, k: int, least: float) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Hits within the top *k* at or above *least*: their rows, the positions of their questions, ranks."""
    sizes = np.diff(run.offsets)
    of = np.repeat(np.arange(len(sizes)), sizes)
    rank = np.arange(len(run.unit)) - run.offsets[:-1][of] + 1
    rows = np.flatnonzero((rank <= k) & passes(run.score, least))
    return rows, of[rows], rank[rows]


def laid_out(
    arm: Arm,
    run: Run,
    asked: ThresholdPlan,
    gold: GoldSet,
    types: QuestionTypes,
    *,
    least: float,
    sufficient: Mapping[str, int] | NDArray[np.int8] | None,
) -> Laid:
    """The pairs of an arm in columns.

    *sufficient*: by item id, for a panel (an item that is not there is unknown); or a column, one a pair.
    """
    assert run.units is not None  # noqa: S101 - runs of ours know their units
    rows, of, rank = cut_run(run, asked.k, least)
    question = [run.questions[i] for i in of.tolist()]
    unit = run.unit[rows]
    roles = [role_of(run.units.corpus.documents[d], asked.role) for d in run.units.doc[unit].tolist()]
    items: tuple[str, ...] = ()
    if isinstance(sufficient, Mapping):
        items = tuple(items_of(run, rows, question))
        column = np.array([sufficient.get(item, UNKNOWN) for item in items], dtype=np.int8)
    else:
        column = np.zeros(len(rows), dtype=np.int8) if sufficient is None else sufficient
    return Laid(
        arm=arm,
        run=run,
        rows=rows,
        question=tuple(question),
        rank=rank,
        items=items,
        pairs=Pairs(
            score=run.score[rows],
            sufficient=column,
            question=question,
            source=[source_of(gold, one) for one in question],
            role=roles,
            type=[types.types.get(one, NO_TYPE) for one in question],
            asked=run.questions,
            sources=[source_of(gold, one) for one in run.questions],
        ),
    )


def items_of(run: Run, rows: NDArray[np.int64], question: Sequence[str]) -> list[str]:
    """The name of each pair in every pool."""
    from hashlib import sha256

    from evenhand.model.pool import item_id

    units = run.units
    assert units is not None  # noqa: S101
    marks: dict[int, str] = {}
    made = []
    for u, name in zip(run.unit[rows].tolist(), question, strict=True):
        if u not in marks:
            marks[u] = sha256(units.text(u).encode("utf-8", "surrogatepass")).hexdigest()
        doc = str(units.corpus.documents[units.doc[u]].id)
        made.append(item_id(name, doc, int(units.start[u]), int(units.end[u]), marks[u]))
    return made


def spans_say(run: Run, rows: NDArray[np.int64], of: NDArray[np.int64], qrels: Qrels) -> NDArray[np.int8]:
    """Whether each pair holds every vital nugget of its question, or people said that it answers."""
    from evenhand.gold.align import sufficient

    place = np.array([qrels.position.get(one, -1) for one in run.questions], dtype=np.int64)
    n = max(1, len(qrels.table))
    known = np.repeat(np.arange(len(qrels.questions)), np.diff(qrels.offsets)) * n + qrels.unit
    answers = np.sort(known[sufficient(qrels) == 1])
    wanted = place[of] * n + run.unit[rows]
    yes = np.isin(wanted, answers) & (place[of] >= 0)
    return np.where(yes, YES, NO).astype(np.int8)


def pair_rows(laid: Laid, gold: GoldSet, said: Mapping[str, Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Every pair with what was said of it, best similarity first, as plain JSON."""
    units, p = laid.run.units, laid.pairs
    assert units is not None  # noqa: S101
    from evenhand.formats.results.parquet import names_of

    names = names_of(units.ids, units)
    made = []
    for i in np.lexsort((laid.rank, -p.score)).tolist():
        u = int(laid.run.unit[laid.rows[i]])
        mark = int(p.sufficient[i])
        made.append(
            {
                "arm": laid.arm.name,
                "question": laid.question[i],
                "ask": gold[laid.question[i]].text,
                "type": p.type[i],
                "role": p.role[i],
                "source": p.source[i],
                "unit": str(names[u]),
                "rank": int(laid.rank[i]),
                "similarity": float(p.score[i]),
                "sufficient": None if mark == UNKNOWN else mark == YES,
                "item": laid.items[i] if laid.items else "",
                "panel": None,
                "votes": [],
                "human": None,
                "drawn": False,
                **(said.get(laid.items[i], {}) if laid.items else {}),
                "text": units.text(u),
            }
        )
    return made
