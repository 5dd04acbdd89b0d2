"""What to say of a quote or a document that was not found where it should be."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evenhand.model.text import Corpus

__all__ = ["few", "near_document", "spots"]


def few(names: Sequence[str], most: int = 10) -> str:
    """The first names of a list, and how many more there are."""
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def near_document(name: str, corpus: Corpus) -> str:
    """The document that may have been meant, without listing a whole corpus."""
    ids = [document.id for document in corpus]
    ends = [i for i in ids if i.endswith("/" + name) or name.endswith("/" + i)]
    close = ends[:1] or difflib.get_close_matches(name, ids, n=1, cutoff=0.6)
    if close:
        return f"did you mean {close[0]!r}?"
    return f"use the id of a document of the corpus ({len(ids)}: {few(ids, 5)})"


def spots(places: Sequence[tuple[int, int]], hint: int | None, *, most: int = 5) -> str:
    """The places of a quote that occurs more than once, the nearest to its offsets first."""
    near = sorted(places, key=lambda one: abs(one[0] - (hint or 0)))
    shown = ", ".join(f"{start}:{end}" for start, end in near[:most])
    return shown + (f" and {len(near) - most} more" if len(near) > most else "")
