"""Approximate indexes: what they lose against exact search is measured first, and told with every number."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from evenhand.errors import InputError
from evenhand.plugins import find, made
from evenhand.protocols import NearIndex, Progress
from evenhand.retrieve.dense.exact import DECIMALS, Held, Rows, cosine_top, cosines
from evenhand.retrieve.dense.matmul import HOST, Products
from evenhand.stats.intervals.proportion import wilson_design_effect
from evenhand.stats.sampling.seeds import stream

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from evenhand.retrieve.dense.exact import Best

__all__ = ["Recall", "Wanted", "approximate_top", "index_of"]

BLOCK = 4096  # units an index is given at once, and questions it is asked
VERBS = ("add", "search")
SMALL = 4  # digits that recall is told with


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What is planned: recall of at least *least* among the first *at*, on a *sample* of questions."""

    least: float
    at: int
    sample: int
    seed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Recall:
    """How much of what exact search finds the index finds too: shares of units, with an interval."""

    at: int
    point: float
    low: float
    high: float
    level: float
    method: str
    questions: int

    def as_json(self) -> dict[str, Any]:
        """As provenance holds it, rounded to four digits."""
        told = {"at": self.at, "questions": self.questions, "level": self.level, "method": self.method}
        return told | {name: round(getattr(self, name), SMALL) for name in ("point", "low", "high")}

    def __str__(self) -> str:
        return f"{self.point:.3f} [{self.low:.3f}, {self.high:.3f}]"


def index_of(name: str, options: Mapping[str, Any], dimensions: int) -> NearIndex:
    """An empty index: ``hnsw`` by usearch, or what ``python:package.module:Thing`` makes of the options."""
    thing = find(name, "index")
    if not isinstance(thing, type) or not all(callable(getattr(thing, verb, None)) for verb in VERBS):
        raise InputError(f"index {name!r} is no index", mend=f"give a class with {' and '.join(VERBS)}")
    mend = "give the options its class takes, dimensions among them"
    index: NearIndex = made(thing, {"dimensions": dimensions, **options}, where=f"index {name!r}", mend=mend)
    return index


def approximate_top(
    asked: NDArray[Any] | Rows,
    held: NDArray[Any] | Rows,
    k: int,
    *,
    index: NearIndex,
    wanted: Wanted,
    products: Products = HOST,
    progress: Progress,
) -> tuple[list[Best], int, int, tuple[Recall, Recall]]:
    """As `evenhand.retrieve.dense.exact.cosine_top`, by *index*; and its recall at ``wanted.at`` and at *k*.

    The index is filled, then asked a sample of the questions that exact search is asked too. Of a question's
    exact first ``wanted.at`` those count as found whose rounded cosine the index reaches with one of its own
    (a unit that ties is as good). Raises InputError where the lower end of the interval is below
    ``wanted.least``: nothing is ranked then. What the index finds is scored again in float64 and put in
    exact order, so that it can lose units, and change nothing else.
    """
    questions: Rows = Held(asked) if isinstance(asked, np.ndarray) else asked
    units: Rows = Held(held) if isinstance(held, np.ndarray) else held
    there, blank = _filled(index, units, progress)
    wide = questions.block(0, questions.shape[0])
    length = np.sqrt(np.einsum("ij,ij->i", wide, wide))
    known = np.flatnonzero(length > 0)
    drawn = np.sort(
        stream(wanted.seed, "recall").choice(len(known), min(wanted.sample, len(known)), replace=False)
    )
    sample = known[drawn]
    found = _searched(index, wide[sample], units, there, k=k, progress=progress)
    best, *_ = cosine_top(wide[sample], units, k, products=products, progress=progress)
    recall = _recall(found, best, min(wanted.at, k))
    if not recall.low >= wanted.least:
        raise InputError(
            f"the index finds {recall} of the exact first {recall.at} (of {recall.questions} questions), and "
            f"min_recall is {wanted.least}: the lower end of the interval does not reach it",
            mend="give the index more to work with (options), measure on more questions (sample), or search "
            'exactly: index = "exact"',
        )
    rows: list[Best] = [(np.zeros(0, dtype=np.int64), np.zeros(0))] * len(wide)
    for place, one in zip(
        known, _searched(index, wide[known], units, there, k=k, progress=progress), strict=True
    ):
        rows[place] = one
    return rows, blank, len(wide) - len(known), (recall, _recall(found, best, k))


def _filled(index: NearIndex, units: Rows, progress: Progress) -> tuple[NDArray[np.int64], int]:
    """Give the index every unit with a direction; the positions of these, and how many have none."""
    n = units.shape[0]
    parts: list[NDArray[np.int64]] = []
    for first in range(0, n, BLOCK):
        wide = units.block(first, BLOCK)
        if not np.isfinite(wide).all():
            raise InputError("the embedding of a unit holds NaN or infinity", mend="mend the embedder")
        length = np.sqrt(np.einsum("ij,ij->i", wide, wide))
        good = np.flatnonzero(length > 0)
        index.add((wide[good] / length[good, None]).astype(np.float32))
        parts.append(good + first)
        progress("fill the index", min(first + BLOCK, n), n)
    there = np.concatenate(parts) if parts else np.zeros(0, dtype=np.int64)
    return there, n - len(there)


def _searched(
    index: NearIndex,
    wide: NDArray[np.float64],
    units: Rows,
    there: NDArray[np.int64],
    *,
    k: int,
    progress: Progress,
) -> list[Best]:
    """What the index finds for each question, scored and ordered as exact search would."""
    rows: list[Best] = []
    for first in range(0, len(wide), BLOCK):
        part = wide[first : first + BLOCK]
        length = np.sqrt(np.einsum("ij,ij->i", part, part))
        found = np.asarray(index.search((part / length[:, None]).astype(np.float32), min(k, len(there))))
        if found.ndim != 2 or len(found) != len(part) or (len(found) and found.max(initial=-1) >= len(there)):
            raise InputError(
                f"the index returned an array of shape {found.shape} for {len(part)} questions, or positions "
                f"beyond the {len(there)} vectors it was given",
                mend="return int64[questions, k]: positions in the order of adding, -1 where there is none",
            )
        question, column = np.nonzero(found >= 0)
        pairs = np.unique(np.stack([question, found[question, column].astype(np.int64)], axis=1), axis=0)
        unit = there[pairs[:, 1]]
        score = cosines(part, units, pairs[:, 0], unit, DECIMALS)
        order = np.lexsort((unit, -score, pairs[:, 0]))
        edges = np.searchsorted(pairs[order, 0], np.arange(1, len(part)))
        rows += zip(np.split(unit[order], edges), np.split(score[order], edges), strict=True)
        progress("search", first + len(part), len(wide))
    return rows


def _recall(found: list[Best], best: list[Best], at: int) -> Recall:
    hits, sizes = [], []
    for (_, own), (_, exact) in zip(found, best, strict=True):
        first = exact[:at]
        hits.append(int((own[:at] >= first[-1]).sum()) if len(first) else 0)
        sizes.append(len(first))
    measured = wilson_design_effect(hits, sizes)
    told = measured.interval
    if measured.point is None or told.low is None or told.high is None:
        raise InputError(
            "no question has an embedding: the index cannot be measured",
            mend="look at the questions' vectors",
        )
    return Recall(
        at=at,
        point=measured.point,
        low=told.low,
        high=told.high,
        level=told.level,
        method=f"{told.method}, questions as clusters",
        questions=len(sizes),
    )
