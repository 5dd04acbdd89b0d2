"""Pooling: the union of the tops of runs, by unit, section or document; who found what stays apart."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from evenhand.errors import InputError, nearest
from evenhand.labelling.pooling.rollup import collapse, homes
from evenhand.model.pool import Pool, Pooled, PoolItem, item_id

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from evenhand.model.run import Run
    from evenhand.model.text import Corpus, Units

__all__ = ["BY", "kind_of", "narrowed", "pool", "texts_of", "unjudged"]

BY = ("unit", "section", "document")
KINDS = {"bm25": "lexical", "tfidf": "lexical", "dense": "dense"}


def pool(
    runs: Sequence[Run],
    questions: Mapping[str, str],
    *,
    depth: int = 10,
    by: str = "unit",
    onto: Units | None = None,
    kinds: Mapping[str, str] | None = None,
    outline: Units | None = None,
    name: str = "main",
) -> Pool:
    """Everything in the first *depth* of any run, once for each question.

    *questions*: text by id; rankings of others are left out. By section or document, *onto* is what units
    are collapsed to, each at its best rank, before the first *depth* are taken: a comparison with another
    unit has its own pool. *kinds* says of what kind a system is where its run does not; *outline* (units by
    headings) gives a heading path to units that have none. Every item has probability 1. Ids that point
    at no text keep their rank and are counted under ``unresolved``. Linear but for one sort. Raises
    InputError for runs of one name, without units, or of two corpora.
    """
    _allowed(runs, depth, by, onto)
    ranked = [collapse(run, onto) for run in runs] if onto is not None else list(runs)
    position = {question: i for i, question in enumerate(questions)}
    columns: list[list[NDArray[np.int64]]] = []
    unresolved = 0
    for r, run in enumerate(ranked):
        units = run.units
        assert units is not None  # noqa: S101 - looked at above
        row = np.repeat(np.arange(len(run)), np.diff(run.offsets))
        rank = np.arange(len(run.unit)) - run.offsets[row] + 1
        asked = np.array([position.get(q, -1) for q in run.questions], dtype=np.int64)
        question = asked[row] if len(row) else row
        top = (rank <= depth) & (question >= 0)
        known = run.unit < len(units)
        unresolved += int((top & ~known).sum())
        top &= known
        code = run.unit[top].astype(np.int64)
        columns.append(
            [
                question[top],
                units.doc[code].astype(np.int64),
                units.start[code],
                units.end[code],
                np.full(len(code), r),
                rank[top],
                code,
            ]
        )
    found = np.column_stack([np.concatenate(parts) for parts in zip(*columns, strict=True)])
    _, first, inverse = np.unique(found[:, :4], axis=0, return_index=True, return_inverse=True)
    names = list(questions)
    paths = [_paths(run.units, outline) for run in ranked]
    items = tuple(
        _item(names[q], ranked[r].units, code, paths[r](code))
        for q, _, _, _, r, _, code in found[first].tolist()
    )
    order = np.lexsort((found[:, 4], inverse.reshape(-1)))
    return Pool(
        name=name,
        items=items,
        questions=dict(questions),
        runs=tuple(
            Pooled(system=run.system, seal=run.seal, kind=(kinds or {}).get(run.system) or kind_of(run))
            for run in runs
        ),
        found_item=inverse.reshape(-1)[order].astype(np.int32),
        found_run=found[order, 4].astype(np.int32),
        found_rank=found[order, 5].astype(np.int32),
        by=by,
        settings={
            "strategy": "depth",
            "depth": depth,
            "onto": onto.chunking if onto is not None else "",
            **({"unresolved": unresolved} if unresolved else {}),
        },
    )


def _allowed(runs: Sequence[Run], depth: int, by: str, onto: Units | None) -> None:
    if by not in BY:
        raise InputError(f"a pool by {by!r}", mend=nearest(by, BY))
    if depth < 1:
        raise InputError(f"a pool of depth {depth}", mend="pool the first 1 at least")
    if not runs:
        raise InputError("a pool of no run", mend="give at least one run")
    if (onto is None) != (by == "unit"):
        raise InputError(
            f"a pool by {by} {'needs' if onto is None else 'takes no'} units to collapse to",
            mend="give the units of a chunking by headings or whole documents, for section or document",
        )
    names = [run.system for run in runs]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"two runs are called {name!r}", mend="give each system a name of its own")
    seals = set()
    for run in runs:
        if run.units is None:
            raise InputError(
                f"run {run.system!r} knows only ids, not the text behind them",
                mend="give the corpus, so that its ids can be tied to text",
            )
        seals.add(run.units.corpus.seal)
    if onto is not None:
        seals.add(onto.corpus.seal)
    if len(seals) > 1:
        raise InputError("the runs are of different corpora", mend="pool runs over the same documents")


def _paths(units: Units | None, outline: Units | None) -> Callable[[int], tuple[str, ...]]:
    """The heading path of a unit by its position."""
    if units is None or units.headings or outline is None or not outline.headings:
        return lambda code: units.headings[code] if units is not None and units.headings else ()
    home = homes(units, outline)
    return lambda code: outline.headings[home[code]] if home[code] >= 0 else ()


def _item(question: str, units: Units | None, code: int, heading: tuple[str, ...]) -> PoolItem:
    assert units is not None  # noqa: S101 - every run has units here
    document = units.corpus.documents[units.doc[code]]
    start, end = int(units.start[code]), int(units.end[code])
    mark = hashlib.sha256(units.text(code).encode("utf-8", "surrogatepass")).hexdigest()
    return PoolItem(
        id=item_id(question, document.id, start, end, mark),
        question=question,
        doc=document.id,
        start=start,
        end=end,
        text_sha256=mark,
        heading=heading,
        title=document.title,
    )


def kind_of(run: Run) -> str:
    """What a system works by, as far as its run says: lexical, dense, hybrid, reranked, null or other."""
    about = run.provenance
    if about.get("null"):
        return "null"
    if "rerank" in about:
        return "reranked"
    if "fuse" in about:
        return "hybrid"
    return KINDS.get(str(about.get("retriever", "")), "other")


def texts_of(pool: Pool, corpus: Corpus) -> Iterator[str]:
    """The texts of the items, cut from the corpus one after the other."""
    for item in pool.items:
        yield corpus[item.doc].text[item.start : item.end]


def narrowed(pool: Pool, keep: NDArray[np.int64], **changes: object) -> Pool:
    """The items at these positions (ascending), with what was found of them; *changes* as for `replace`."""
    to = np.full(len(pool), -1, dtype=np.int32)
    to[keep] = np.arange(len(keep), dtype=np.int32)
    stays = to[pool.found_item] >= 0
    kept = replace(
        pool,
        items=tuple(pool.items[i] for i in keep.tolist()),
        found_item=to[pool.found_item][stays],
        found_run=pool.found_run[stays],
        found_rank=pool.found_rank[stays],
    )
    return replace(kept, **changes) if changes else kept  # type: ignore[arg-type]


def unjudged(pool: Pool, judged: Collection[str], *, name: str = "") -> Pool:
    """What is new to judge: the items whose id is not among *judged* (of an earlier pool, or graded)."""
    known = set(judged)
    keep = np.array([i for i, item in enumerate(pool.items) if item.id not in known], dtype=np.int64)
    settings = {**pool.settings, "judged_before": len(pool) - len(keep)}
    return narrowed(pool, keep, name=name or pool.name, settings=settings)
