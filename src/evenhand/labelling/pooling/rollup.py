"""A run of units as a run of sections or documents: each at the rank of its best unit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from evenhand.errors import InputError
from evenhand.model.run import Run

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from evenhand.model.text import Units

__all__ = ["collapse", "homes"]


def homes(units: Units, onto: Units) -> NDArray[np.int64]:
    """int64[len(units)]: the unit of *onto* that shares most characters with each, the earlier of equals.

    −1 where none shares any. *onto* must not overlap itself (sections, documents), which makes this
    linear in the overlaps.
    """
    if units.corpus.seal != onto.corpus.seal:
        raise InputError("units of two corpora", mend="cut both from the same documents")
    inside = onto.doc[1:] == onto.doc[:-1]
    if (inside & (onto.start[1:] < onto.end[:-1])).any():
        raise InputError(
            f"the units of {onto.chunking!r} overlap one another", mend="collapse to sections or documents"
        )
    # one number line for all documents: offsets of a document begin where the one before it ends
    longest = max((len(document.text) for document in onto.corpus), default=0) + 1
    starts = onto.doc.astype(np.int64) * longest + onto.start
    ends = onto.doc.astype(np.int64) * longest + onto.end
    s = units.doc.astype(np.int64) * longest + units.start
    e = units.doc.astype(np.int64) * longest + units.end
    first = np.searchsorted(ends, s, side="right")  # the first that ends behind the unit's start
    last = np.searchsorted(starts, e, side="left") - 1  # the last that starts before its end
    best = np.full(len(units), -1, dtype=np.int64)
    most = np.zeros(len(units), dtype=np.int64)
    for step in range(int((last - first).max(initial=-1)) + 1):
        at = first + step
        live = at <= last
        where = at[live]
        shared = np.minimum(e[live], ends[where]) - np.maximum(s[live], starts[where])
        better = shared > most[live]
        rows = np.flatnonzero(live)[better]
        best[rows], most[rows] = where[better], shared[better]
    return best


def collapse(run: Run, onto: Units) -> Run:
    """The same rankings with each unit replaced by the unit of *onto* it lies in; later ones drop out.

    Scores and order are those of the best unit. Units that lie in none keep no place and are counted as
    ``outside``.
    """
    if run.units is None:
        raise InputError(
            f"run {run.system!r} knows only ids, not where its units lie", mend="tie it to a corpus first"
        )
    home = homes(run.units, onto)
    known = run.unit < len(run.units)
    target = np.full(len(run.unit), -1, dtype=np.int64)
    target[known] = home[run.unit[known]]
    row = np.repeat(np.arange(len(run)), np.diff(run.offsets))
    inside = np.flatnonzero(target >= 0)
    _, first = np.unique(row[inside] * np.int64(len(onto) + 1) + target[inside], return_index=True)
    keep = inside[np.sort(first)]
    offsets = np.zeros(len(run) + 1, dtype=np.int64)
    np.cumsum(np.bincount(row[keep], minlength=len(run)), out=offsets[1:])
    notes = dict(run.notes)
    if outside := int((target < 0).sum()):
        notes["outside"] = outside
    return Run(
        system=run.system,
        questions=run.questions,
        offsets=offsets,
        unit=target[keep].astype(np.int32),
        score=run.score[keep],
        table=onto.ids,
        units=onto,
        notes=notes,
        provenance={"collapsed": onto.chunking, "by": "best rank", "made_of": [run.seal]},
    )
