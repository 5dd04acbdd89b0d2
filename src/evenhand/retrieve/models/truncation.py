"""What an encoder reads of each unit, and whose evidence it does not read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from evenhand.model.seal import seal

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from evenhand.model.run import Qrels
    from evenhand.model.text import Units
    from evenhand.store.blobs import Blobs

__all__ = ["Seen", "Tokens", "seen", "unseen"]


class Tokens(Protocol):
    """A tokenizer, as far as offsets go."""

    @property
    def name(self) -> str:
        """How reports call it."""

    def offsets(self, text: str) -> NDArray[np.int64]:
        """int64[t, 2]: the code points of each token; nothing cut, no marks added."""


@dataclass(frozen=True, eq=False)
class Seen:
    """``total``: int32[n], tokens of each unit; ``end``: int64[n], where in the document reading stops."""

    total: NDArray[np.int32]
    end: NDArray[np.int64]
    limit: int

    @property
    def cut(self) -> int:
        """Units longer than the limit."""
        return int((self.total > self.limit).sum())

    @property
    def unseen(self) -> int:
        """Tokens past the limit, over all units."""
        return int(np.maximum(self.total.astype(np.int64) - self.limit, 0).sum())


def seen(units: Units, tokens: Tokens, *, limit: int, cache: Blobs | None = None) -> Seen:
    """How far an encoder of *limit* tokens of text reads into each unit."""
    own = getattr(tokens, "seal", "")
    key = seal(["seen", own, units.seal, limit])
    held = cache.get("seen", key) if cache is not None and own else None
    if held is not None and {"total", "end"} <= held.keys():
        return Seen(held["total"], held["end"], limit)
    total = np.zeros(len(units), dtype=np.int32)
    end = units.end.astype(np.int64, copy=True)
    for i, text in enumerate(units.texts()):
        places = tokens.offsets(text)
        total[i] = len(places)
        if len(places) > limit:
            end[i] = units.start[i] + places[limit - 1, 1]
    if cache is not None and own:
        cache.put("seen", key, {"total": total, "end": end}, {"tokens": tokens.name, "limit": limit})
    return Seen(total, end, limit)


def unseen(units: Units, part: Seen, qrels: Qrels) -> tuple[str, ...]:
    """The questions with a nugget the encoder cannot read, in the order of *qrels*.

    That is: one of the nugget's spans reaches into the unread end of a unit, and none of its spans lies
    whole in what is read of any unit.
    """
    return _questions(units, part, qrels.evidence, qrels.questions)


def _questions(
    units: Units, part: Seen, evidence: NDArray[np.int64], questions: Sequence[str]
) -> tuple[str, ...]:
    lost: dict[tuple[int, int], bool] = {}
    for question, nugget, doc, start, end in evidence.tolist():
        rows = slice(int(units.first[doc]), int(units.first[doc + 1]))
        begins, stops, reads = units.start[rows], units.end[rows], part.end[rows]
        read = bool(((begins <= start) & (reads >= end)).any())
        beyond = bool(((reads < stops) & (start < stops) & (end > reads)).any())
        key = (question, nugget)
        # None yet: unknown; True: lost so far; False: read somewhere, for good
        if read:
            lost[key] = False
        elif beyond:
            lost.setdefault(key, True)
    return tuple(questions[q] for q in sorted({q for (q, _), gone in lost.items() if gone}))
