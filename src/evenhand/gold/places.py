"""Where a quote may stand in a document."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from evenhand.model.text import Corpus

__all__ = ["Place", "near_document", "search"]


class Place(NamedTuple):
    """Characters ``[start, end)``, how they were found, and whether that is good enough to take."""

    start: int
    end: int
    how: str
    distance: float = 0.0
    certain: bool = True


def search(quote: str, text: str, *, hint: int | None = None) -> list[Place]:
    """Every place that fits *quote* equally well; one only where *hint* (an offset) decides."""
    places = []
    at = text.find(quote)
    while at >= 0:
        places.append(Place(at, at + len(quote), "exact"))
        at = text.find(quote, at + 1)
    if hint is not None and len(places) > 1:
        places = [min(places, key=lambda place: abs(place.start - hint))]
    return places


def near_document(name: str, corpus: Corpus) -> str:
    """The document that may have been meant, without listing a whole corpus."""
    ids = [document.id for document in corpus]
    ends = [i for i in ids if i.endswith("/" + name) or name.endswith("/" + i)]
    close = ends[:1] or difflib.get_close_matches(name, ids, n=1, cutoff=0.6)
    if close:
        return f"did you mean {close[0]!r}?"
    few = ", ".join(ids[:5]) + (" …" if len(ids) > 5 else "")
    return f"use the id of a document of the corpus ({len(ids)}: {few})"
