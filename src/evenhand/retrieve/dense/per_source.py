"""Dense retrieval inside parts of a corpus: each question looks only at the units it is given."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from evenhand.errors import InputError
from evenhand.model.run import Run
from evenhand.protocols import Progress, quiet
from evenhand.retrieve.dense.exact import cosine_top

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from evenhand.model.text import Units
    from evenhand.retrieve.dense.dense import Dense
    from evenhand.store.blobs import Blobs

__all__ = ["within"]


def within(
    dense: Dense,
    units: Units,
    questions: Mapping[str, str],
    allowed: Mapping[str, tuple[int, ...]],
    k: int,
    *,
    cache: Blobs | None = None,
    progress: Progress = quiet,
    name: str = "",
) -> Run:
    """The *k* nearest units by exact cosine in the documents (positions in the corpus) each question may see.

    *allowed* by question id; a question that is not in it is not asked. Every unit of those documents is
    scored, in float64, rounded to six decimals; ties go to the lower unit id. The vectors are those of the
    whole chunking, so that what `Dense.rank` has embedded is not embedded again. ``notes``:
    ``without_units``, questions in whose documents there is no unit.
    """
    asked = [question for question in questions if question in allowed]
    if not asked:
        raise InputError(
            "no question has a document to look in",
            mend='give questions their source, or set scope = "corpus" under [threshold]',
        )
    held, vectors, _ = dense.vectors(units, list(questions.values()), cache=cache, progress=progress)
    place = {question: i for i, question in enumerate(questions)}
    groups: dict[tuple[int, ...], list[str]] = {}
    for question in asked:
        groups.setdefault(allowed[question], []).append(question)
    found: dict[str, tuple[NDArray[np.int64], NDArray[np.float64]]] = {}
    empty = 0
    for documents, members in groups.items():
        rows = np.concatenate(
            [np.arange(units.first[d], units.first[d + 1]) for d in documents] or [np.zeros(0)]
        ).astype(np.int64)
        if not len(rows):
            empty += len(members)
            found |= {one: (np.zeros(0, dtype=np.int64), np.zeros(0)) for one in members}
            continue
        best, *_ = cosine_top(vectors[[place[one] for one in members]], held[rows], k)
        found |= {one: (rows[at], score) for one, (at, score) in zip(members, best, strict=True)}
    sizes = [len(found[one][0]) for one in asked]
    return Run(
        system=name or dense.name,
        questions=tuple(asked),
        offsets=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        unit=np.concatenate([found[one][0] for one in asked]).astype(np.int32),
        score=np.concatenate([found[one][1] for one in asked]).astype(np.float64),
        table=units.ids,
        units=units,
        notes={"without_units": empty} if empty else {},
        provenance={**dense.settings(), "depth": k, "within": "documents"},
    )
