"""Large TREC run files in columns: never sort the run, never code every id.

A metric needs the ranks of judged units only. The file is parsed into columns, repeats are found by hash,
judged rows are found by id, their rank is their place where scores fall already (or where the rank column
says how to make them fall), and only ties are repaired. Whatever is not plain (a broken line, a repeat,
ids that are not UTF-8) is left to the careful reader, which names the line.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from evenhand.metrics.view import View

if TYPE_CHECKING:
    from pathlib import Path

    import polars as pl
    from numpy.typing import NDArray

    from evenhand.metrics.view import Judged

__all__ = ["Columns", "load", "view_of"]

BLOCK = 1 << 22
MIX = np.uint64(0x9E3779B97F4A7C15)  # spreads question numbers over all bits


@dataclass
class Columns:
    """A regular run file: ``unit`` ids and ``score`` by row; ``code``: the question of each row.

    ``order``: rows by question and falling score, None when they stand so; ``offsets``: where each
    question's rows begin in that order.
    """

    file: str
    questions: list[str]
    offsets: NDArray[np.int64]
    unit: pl.Series
    score: NDArray[np.float64]
    order: NDArray[np.int64] | None
    notes: dict[str, int]
    tag: str
    sha256: str


def load(path: Path, *, single: bool, hashed: bool) -> Columns | None:
    """The columns of a plain TREC run file; None when it needs the careful reader.

    With *single* scores are compared as float32. *hashed* also takes the SHA-256 of the file.
    """
    import polars as pl

    with path.open("rb") as file:
        head = file.readline(1 << 16)
    part = head.split()
    separator = b"\t" if head.count(b"\t") == 5 else b" "
    if len(part) != 6 or head.rstrip(b"\r\n").split(separator) != part:
        return None
    names = {"q": pl.String, "x": pl.String, "d": pl.String, "r": pl.Int64, "s": pl.Float64, "t": pl.String}
    try:
        frame = (
            pl.scan_csv(path, separator=separator.decode(), has_header=False, quote_char=None, schema=names)
            .select("q", "d", "r", "s")
            .collect()
        )
    except pl.exceptions.PolarsError:
        return None
    count, seal = _count(path, separator, hashed=hashed)
    score = frame["s"].to_numpy()
    if count != 5 * frame.height or any(frame.null_count().row(0)) or not np.isfinite(score).all():
        return None
    question, unit, rank = frame["q"], frame["d"], frame["r"].to_numpy()
    del frame
    questions, code, grouped = _questions(question)
    if _repeats(unit, code):
        return None
    notes: dict[str, int] = {}
    offsets = np.concatenate([[0], np.cumsum(np.bincount(code, minlength=len(questions)))]).astype(np.int64)
    order = _ordered(score, rank, code, offsets, grouped=grouped, notes=notes)
    if single:
        with np.errstate(over="ignore"):
            score = score.astype(np.float32)
    falling = score if order is None else score[order]
    within = np.ones(max(len(falling) - 1, 0), dtype=bool)
    within[offsets[1:-1] - 1] = False
    same = (falling[1:] == falling[:-1]) & within
    tied = int(np.sum(same) + np.sum(same & ~np.concatenate([[False], same[:-1]]))) if same.any() else 0
    if tied:
        notes["ties"] = tied
    tag = part[5].decode("utf-8", "replace")
    return Columns(path.name, questions, offsets, unit, score, order, notes, tag, seal)


def _count(path: Path, separator: bytes, *, hashed: bool) -> tuple[int, str]:
    """How many separators the file holds, and its SHA-256."""
    buffer = bytearray(BLOCK)
    view, digest, total = memoryview(buffer), hashlib.sha256(), 0
    whole = np.frombuffer(buffer, dtype=np.uint8)
    with path.open("rb", buffering=0) as file:
        while size := file.readinto(buffer):
            total += int(np.count_nonzero(whole[:size] == separator[0]))
            if hashed:
                digest.update(view[:size])
    return total, digest.hexdigest() if hashed else ""


def _questions(question: pl.Series) -> tuple[list[str], NDArray[np.int64], bool]:
    """Ids in order of appearance, the code of each row, and whether the rows stand together."""
    runs = question.rle().struct.unnest()
    values = runs["value"].to_list()
    place: dict[str, int] = {}
    codes = np.fromiter((place.setdefault(v, len(place)) for v in values), np.int64, len(values))
    size = runs["len"].to_numpy()
    return list(place), np.repeat(codes, size), len(place) == len(values)


def _repeats(unit: pl.Series, code: NDArray[np.int64]) -> bool:
    """Does a unit occur twice for one question? By hash: a chance collision only costs the slow reader."""
    key = unit.hash(1).to_numpy() ^ (code.astype(np.uint64) * MIX)
    key.sort()
    return bool(np.any(key[1:] == key[:-1]))


def _falls(score: NDArray[Any], offsets: NDArray[np.int64]) -> bool:
    rises = score[1:] > score[:-1]
    rises[offsets[1:-1] - 1] = False
    return not rises.any()


def _ordered(
    score: NDArray[np.float64],
    rank: NDArray[np.int64],
    code: NDArray[np.int64],
    offsets: NDArray[np.int64],
    *,
    grouped: bool,
    notes: dict[str, int],
) -> NDArray[np.int64] | None:
    """Rows by question and falling score; None when they stand so. Counts ranks that contradict scores."""
    size = np.diff(offsets)
    if grouped and _falls(score, offsets):
        rising = rank[1:] > rank[:-1]
        rising[offsets[1:-1] - 1] = True
        if rising.all():
            return None
    # the rank column mostly says where each row belongs: no sort, one scatter
    place = rank - rank.min(initial=0) if len(rank) == 0 else rank - min(int(rank.min()), 1)
    if ((place >= 0) & (place < size[code])).all():
        target = offsets[:-1][code] + place
        order = np.full(len(score), -1, dtype=np.int64)
        order[target] = np.arange(len(score))
        if (order >= 0).all() and _falls(score[order], offsets):
            return order
    by_score = np.lexsort((rank, -score, code))
    by_rank = np.lexsort((-score, rank, code))
    wrong = int(np.sum(by_score != by_rank))
    if wrong:
        notes["contradictions"] = wrong
    return by_score


def view_of(columns: Columns, judged: Judged, *, system: str, depth: int | None = None) -> View:
    """The judged units with their ranks: score, then id, both descending. Cut at *depth* units a question."""
    import polars as pl

    qrels = judged.qrels
    where = qrels.position
    asked = np.fromiter((where.get(q, -1) for q in columns.questions), np.int64, len(columns.questions))
    known = pl.Series("d", list(qrels.table), dtype=pl.String)
    hit = columns.unit.is_in(known.implode()).arg_true().to_numpy().astype(np.int64)
    names = columns.unit.gather(hit).to_list()
    code = {unit: i for i, unit in enumerate(qrels.table)}
    unit = np.fromiter((code[name] for name in names), np.int64, len(names))
    position = hit
    if columns.order is not None:
        back = np.empty(len(columns.order), dtype=np.int64)
        back[columns.order] = np.arange(len(columns.order))
        position = back[hit]
        del back
    segment = np.searchsorted(columns.offsets, position, side="right") - 1
    question = asked[segment]
    key = question * judged.width + unit
    at = np.searchsorted(judged.key, key)
    at[at == len(judged.key)] = 0
    keep = np.flatnonzero((question >= 0) & (judged.key[at] == key)) if len(judged.key) else at[:0]
    question, position, segment, row = question[keep], position[keep], segment[keep], at[keep]
    rank, low, high = _ranks(columns, position, segment, [names[i] for i in keep])

    size = np.zeros(judged.n, dtype=np.int64)
    size[asked[asked >= 0]] = np.diff(columns.offsets)[asked >= 0]
    notes = dict(columns.notes)
    if np.any(asked < 0):
        notes["unasked"] = int(np.sum(asked < 0))
    order = np.lexsort((rank, question))
    view = View(
        system=system,
        judged=judged,
        question=question[order],
        rank=rank[order],
        row=row[order],
        low=low[order],
        high=high[order],
        depth=size,
        missing=size == 0,
        notes=notes,
        asked=tuple(columns.questions[:3]),
        shown=tuple(columns.unit.head(3).to_list()),
    )
    return view.cut(depth)


def _ranks(
    columns: Columns, position: NDArray[np.int64], segment: NDArray[np.int64], names: list[str]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Rank of each hit, and the first and last rank of its tie."""
    order, score = columns.order, columns.score
    first, behind = columns.offsets[segment], columns.offsets[segment + 1]

    def at(place: NDArray[np.int64]) -> NDArray[Any]:
        return score[place] if order is None else score[order[place]]

    mine = at(position)
    rank = position - first + 1
    low, high = rank.copy(), rank.copy()
    above = (position > first) & (at(np.maximum(position - 1, 0)) == mine)
    below = (position + 1 < behind) & (at(np.minimum(position + 1, len(score) - 1)) == mine)
    for i in np.flatnonzero(above | below):
        window = np.arange(first[i], behind[i])
        values = -at(window).astype(np.float64)
        start = int(np.searchsorted(values, -float(mine[i]), side="left"))
        stop = int(np.searchsorted(values, -float(mine[i]), side="right"))
        rows = window[start:stop] if order is None else order[window[start:stop]]
        low[i], high[i] = start + 1, stop
        rank[i] = start + 1 + int((columns.unit.gather(rows) > names[i]).sum())
    return rank, low, high
