"""A pool: the union of the tops of runs, to be judged; who found what is kept apart from the items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from evenhand.errors import InputError
from evenhand.model.seal import seal, seal_arrays, seal_texts

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Pool", "PoolItem", "Pooled", "item_id"]


def item_id(question: str, doc: str, start: int, end: int, text_sha256: str) -> str:
    """The name of question × piece of text in every pool: 20 hex digits of their seal."""
    return seal([question, doc, start, end, text_sha256])[:20]


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolItem:
    """One question × one piece of text. It holds nothing that could bias: no system, no rank, no score.

    ``doc``, ``start``, ``end``: where the text lies (code points); an attention item, whose text is made
    up, has an empty ``doc``. ``probability`` is that of being in the pool under its strategy (1 for
    depth-k), in ``stratum``; ``size`` and ``priority`` are the active order's (0 elsewhere).
    """

    id: str
    question: str
    doc: str
    start: int
    end: int
    text_sha256: str
    heading: tuple[str, ...] = ()
    title: str = ""
    stratum: str = ""
    probability: float = 1.0
    size: float = 0.0
    priority: float = 0.0

    def __post_init__(self) -> None:
        if not 0 < self.probability <= 1:
            raise InputError(
                f"item {self.id} has inclusion probability {self.probability!r}",
                mend="a probability of being judged lies above 0 and at most at 1",
            )

    @property
    def unit(self) -> str:
        """The unit's id, ``document#start-end``."""
        return f"{self.doc}#{self.start}-{self.end}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pooled:
    """One of the runs behind a pool: its system, the seal of the run, and its kind (lexical, dense, …)."""

    system: str
    seal: str
    kind: str = "other"


@dataclass(frozen=True)
class Pool(Sequence[PoolItem]):
    """Items in the order of questions, then of (document, start, end); each once.

    ``questions``: text by question id. ``by``: unit, section or document. Who found what is in three
    columns of equal length, which no desk ever sees: ``found_item`` int32 (position in ``items``),
    ``found_run`` int32 (position in ``runs``), ``found_rank`` int32 (from 1, after collapsing).
    ``settings`` is the strategy and its numbers, seed among them. Texts lie in the corpus and, once the
    pool is stored, in the store, under their hash.
    """

    name: str
    items: tuple[PoolItem, ...]
    questions: Mapping[str, str]
    runs: tuple[Pooled, ...]
    found_item: NDArray[np.int32]
    found_run: NDArray[np.int32]
    found_rank: NDArray[np.int32]
    by: str = "unit"
    settings: Mapping[str, Any] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, key: Any) -> Any:
        """An item by id or position."""
        return self.items[self.position[key]] if isinstance(key, str) else self.items[key]

    @cached_property
    def position(self) -> dict[str, int]:
        """Where each item stands, by id."""
        return {item.id: i for i, item in enumerate(self.items)}

    @cached_property
    def seal(self) -> str:
        """Seal over questions, items, their probabilities, and who found what."""
        return seal(
            [
                self.name,
                dict(self.questions),
                seal_texts(item.id for item in self.items),
                seal_arrays(
                    np.array([[i.probability, i.size, i.priority] for i in self.items], dtype=np.float64)
                ),
                seal_texts(item.stratum for item in self.items),
                [[run.system, run.seal, run.kind] for run in self.runs],
                seal_arrays(self.found_item, self.found_run, self.found_rank),
                self.by,
                dict(self.settings),
            ]
        )
