"""Our units, to be put into a database: under a name that says what is in it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from evenhand.model.seal import seal
from evenhand.retrieve.vectors.embed import embed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from evenhand.model.text import Units
    from evenhand.protocols import Progress
    from evenhand.retrieve.indexes.index import Index
    from evenhand.store.blobs import Blobs

__all__ = ["BATCH", "Filling", "Piece"]

PREFIX = "evenhand_"
DIGITS = 24  # of the seal in a name
BATCH = 256  # pieces sent at once


@dataclass(frozen=True, slots=True)
class Piece:
    """One unit: ``key`` is 32 hexadecimal digits, the same for the same unit."""

    key: str
    fields: dict[str, Any]
    vector: list[float]


@dataclass(frozen=True, eq=False)
class Filling:
    """What an index of ours holds. Its ``name`` is made of the seals of the units and of the embedder.

    So what lies under that name is either this or the beginning of it, and is never overwritten. Units
    without an embedding are left out, and told of.
    """

    name: str
    units: Units
    vectors: NDArray[np.float32]  # float32[n, d]; d = 0: none are kept
    kept: NDArray[np.int64]  # positions of the units that are put in

    @classmethod
    def of(cls, index: Index, units: Units, *, cache: Blobs | None, progress: Progress) -> Filling:
        """The filling for *index*."""
        vectors = np.zeros((len(units), 0), dtype=np.float32)
        model: Any = ""
        if index.dense:
            prefix = index.unit_prefix
            texts = (prefix + text for text in units.texts())
            vectors = embed(
                index.model, texts, total=len(units), cache=cache, progress=progress, stage="embed units"
            )
            # vectors of an embedder without a seal are known by themselves
            model = [index.model.name, index.model.seal or seal([vectors.tobytes().hex()]), prefix]
        kept = np.flatnonzero(vectors.any(axis=1)) if index.dense else np.arange(len(units))
        mark = seal(["index/1", index.retriever, units.seal, model])[:DIGITS]
        return cls(PREFIX + mark, units, vectors, kept.astype(np.int64))

    def __len__(self) -> int:
        return len(self.kept)

    @property
    def dimensions(self) -> int:
        """Of the vectors; 0 where none are kept."""
        return int(self.vectors.shape[1])

    @property
    def told(self) -> list[str]:
        """A sentence about units that are not in it."""
        lost = len(self.units) - len(self)
        return [f"{lost} units have no embedding and are not in the index of {{system}}"] * bool(lost)

    def pieces(self) -> Iterator[Piece]:
        """Each unit that is put in, in order."""
        for i in self.kept.tolist():
            unit = self.units[i]
            fields = {
                "unit": str(unit.id),
                "doc": str(unit.doc),
                "start": int(unit.start),
                "end": int(unit.end),
                "text": unit.text,
            }
            yield Piece(seal([str(unit.id)])[:32], fields, [float(v) for v in self.vectors[i]])

    def batches(self, progress: Progress) -> Iterator[list[Piece]]:
        """The pieces, some at a time."""
        batch: list[Piece] = []
        done = 0
        for piece in self.pieces():
            batch.append(piece)
            if len(batch) == BATCH:
                yield batch
                done += len(batch)
                progress("fill", done, len(self))
                batch = []
        if batch:
            yield batch
        progress("fill", len(self), len(self))
