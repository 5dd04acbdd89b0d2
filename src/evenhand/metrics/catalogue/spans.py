"""Metrics of characters: how much of the evidence the units above the cut hold, and how much else.

Positions only: the same words elsewhere are not evidence. Oracle: sets of positions, in
tests/metrics/catalogue/test_spans.py, and the values of Chroma's repository in the golden file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from evenhand.metrics.catalogue.metric_type import Kind, Param, Values

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from evenhand.metrics.measure.tokens import Scale
    from evenhand.metrics.measure.view import Cut, View

__all__ = ["KINDS", "Pieces", "pieces"]

NO_SPAN = "the question has no evidence span"


class Pieces(NamedTuple):
    """Disjoint intervals ``[start, end)`` on one line, ascending: a union of spans."""

    start: NDArray[np.int64]
    end: NDArray[np.int64]

    def below(self, x: NDArray[np.int64]) -> NDArray[np.int64]:
        """How many characters of the union lie below each *x*."""
        total = np.concatenate([[0], np.cumsum(self.end - self.start)])
        i = np.searchsorted(self.start, x, side="right")
        last = np.maximum(i - 1, 0)
        over = np.maximum(self.end[last] - x, 0) if len(self.end) else np.zeros(len(x), dtype=np.int64)
        return np.where(i > 0, total[i] - over, 0)

    def inside(self, start: NDArray[np.int64], end: NDArray[np.int64]) -> NDArray[np.int64]:
        """How many characters of the union each ``[start, end)`` holds."""
        return self.below(end) - self.below(start)


def pieces(start: NDArray[np.int64], end: NDArray[np.int64]) -> Pieces:
    """The union of intervals: overlap is counted once."""
    order = np.lexsort((end, start))
    start, end = start[order], end[order]
    reach = np.maximum.accumulate(end) if len(end) else end
    before = np.concatenate([start[:1], reach[:-1]])
    start = np.maximum(start, before)
    kept = end > start
    return Pieces(start[kept], end[kept])


class _Line(NamedTuple):
    """All (question, document) pairs laid end to end on one line of characters or tokens, *stride* apart."""

    stride: int
    owner: NDArray[np.int64]  # one a pair: its question
    shown: Pieces  # union of the units above the cut
    length: NDArray[np.int64]  # of those units, per question, overlap counted each time
    start: NDArray[np.int64]  # one an evidence row, on the line
    end: NDArray[np.int64]


def _line(view: View, cut: Cut, scale: Scale | None) -> _Line:
    qrels, tops = view.judged.qrels, view.tops
    units, evidence = qrels.units, qrels.evidence
    assert units is not None  # noqa: S101 - measure() has checked both
    assert tops is not None  # noqa: S101
    keep = tops.unit >= 0
    if cut.limit is not None:
        keep &= tops.rank <= cut.limit[tops.question]
    elif cut.k is not None:
        keep &= tops.rank <= cut.k
    question, unit = tops.question[keep], tops.unit[keep]
    documents = max(len(units.corpus), 1)
    begin, end = units.start[unit].astype(np.int64), units.end[unit].astype(np.int64)
    wanted, until = evidence[:, 3], evidence[:, 4]
    if scale is not None:
        scale.learn(units.corpus, np.concatenate([units.doc[unit], evidence[:, 2]]))
        begin, end = scale.place(units.doc[unit], begin, end)
        wanted, until = scale.place(evidence[:, 2], wanted, until)
    pair = [question * documents + units.doc[unit], evidence[:, 0] * documents + evidence[:, 2]]
    known, at = np.unique(np.concatenate(pair), return_inverse=True)
    stride = int(max(end.max(initial=0), until.max(initial=0))) + 1
    origin, base = at[: len(unit)] * stride, at[len(unit) :] * stride
    size = end - begin
    return _Line(
        stride=stride,
        owner=known // documents,
        shown=pieces(origin + begin, origin + end),
        length=np.bincount(question, size, minlength=view.n).astype(np.int64),
        start=base + wanted,
        end=base + until,
    )


class _Sums(NamedTuple):
    """Characters (or tokens), per question."""

    shown: NDArray[np.int64]  # of the units above the cut
    right: NDArray[np.int64]  # of those, evidence of any alternative
    needed: NDArray[np.int64]  # of the evidence that counts: of each nugget its best covered alternative
    covered: NDArray[np.int64]  # of that evidence, shown


def _sums(view: View, cut: Cut, overlap: str, scale: Scale | None = None) -> _Sums:
    line = _line(view, cut, scale)
    question, nugget = view.judged.qrels.evidence[:, 0], view.judged.qrels.evidence[:, 1]

    def total(union: Pieces, size: NDArray[np.int64]) -> NDArray[np.int64]:
        owner = line.owner[union.start // line.stride]
        return np.bincount(owner, size, minlength=view.n).astype(np.int64)

    # of the alternatives of a nugget the best covered, then the shorter, then the first
    length = line.end - line.start
    share = line.shown.inside(line.start, line.end) / np.maximum(length, 1)
    order = np.lexsort((line.start, length, -share, nugget, question))
    first = np.ones(len(order), dtype=bool)
    first[1:] = np.diff(question[order]).astype(bool) | np.diff(nugget[order]).astype(bool)
    best = order[first]

    shown, every = line.shown, pieces(line.start, line.end)
    chosen = pieces(line.start[best], line.end[best])
    return _Sums(
        shown=line.length if overlap == "each" else total(shown, shown.end - shown.start),
        right=total(every, shown.inside(every.start, every.end)),
        needed=total(chosen, chosen.end - chosen.start),
        covered=total(chosen, shown.inside(chosen.start, chosen.end)),
    )


def _recall(sums: _Sums) -> Values:
    return Values(sums.covered / np.maximum(sums.needed, 1), sums.needed == 0, NO_SPAN)


def _precision(sums: _Sums) -> Values:
    return Values(sums.right / np.maximum(sums.shown, 1), sums.needed == 0, NO_SPAN)


def _iou(sums: _Sums) -> Values:
    either = sums.shown + sums.needed - sums.covered
    return Values(sums.right / np.maximum(either, 1), sums.needed == 0, NO_SPAN)


def span_recall(view: View, cut: Cut) -> Values:
    """Share of the evidence's characters that the units above the cut hold.

    Of a nugget with alternatives the best covered counts. Overlap is counted once, on both sides.
    """
    return _recall(_sums(view, cut, "once"))


def span_precision(view: View, cut: Cut, *, overlap: str) -> Values:
    """Share of the characters shown that are evidence, of any alternative; 0 where nothing is shown.

    ``overlap=each`` counts the characters of overlapping units every time, as Chroma's
    chunking_evaluation does (Smith and Troynikov 2024).
    """
    return _precision(_sums(view, cut, overlap))


def span_iou(view: View, cut: Cut, *, overlap: str) -> Values:
    """Characters that are both shown and evidence, over those that are either.

    shown and evidence / (shown + evidence not shown); ``overlap=each`` as in SpanPrecision.
    """
    return _iou(_sums(view, cut, overlap))


def token_recall(view: View, cut: Cut) -> Values:
    """SpanRecall with tokens for characters: a token belongs to a span that holds any of its characters."""
    return _recall(_sums(view, cut, "once", view.judged.scale))


def token_precision(view: View, cut: Cut, *, overlap: str) -> Values:
    """SpanPrecision with tokens for characters."""
    return _precision(_sums(view, cut, overlap, view.judged.scale))


def token_iou(view: View, cut: Cut, *, overlap: str) -> Values:
    """IoU with tokens for characters."""
    return _iou(_sums(view, cut, overlap, view.judged.scale))


_OVERLAP = {"overlap": Param("once", ("once", "each"))}
_SOURCE = "Smith and Troynikov 2024 (overlap=each), on characters"
_TOKENS = "Smith and Troynikov 2024 (overlap=each), on tokens"
KINDS = (
    Kind(
        name="SpanRecall",
        score=span_recall,
        says="share of the evidence's characters shown",
        source=_SOURCE,
        needs="spans",
    ),
    Kind(
        name="SpanPrecision",
        score=span_precision,
        params=_OVERLAP,
        says="share of the characters shown that are evidence",
        source=_SOURCE,
        needs="spans",
    ),
    Kind(
        name="IoU",
        score=span_iou,
        params=_OVERLAP,
        says="characters both shown and evidence, over those that are either",
        source=_SOURCE,
        needs="spans",
    ),
    Kind(
        name="TokenRecall",
        score=token_recall,
        says="share of the evidence's tokens shown",
        source=_TOKENS,
        needs="tokens",
    ),
    Kind(
        name="TokenPrecision",
        score=token_precision,
        params=_OVERLAP,
        says="share of the tokens shown that are evidence",
        source=_TOKENS,
        needs="tokens",
    ),
    Kind(
        name="TokenIoU",
        score=token_iou,
        params=_OVERLAP,
        says="tokens both shown and evidence, over those that are either",
        source=_TOKENS,
        needs="tokens",
    ),
)
