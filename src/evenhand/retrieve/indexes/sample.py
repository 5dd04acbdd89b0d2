"""Whether an index holds the vectors of this embedder: a few of its texts are embedded again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from evenhand.protocols import quiet
from evenhand.retrieve.vectors.embed import embed

if TYPE_CHECKING:
    from evenhand.protocols import Embedder

__all__ = ["SAMPLED", "sample_told"]

SAMPLED = 3  # texts
ALIKE = 0.9  # cosine: quantised vectors and other batches are well above, another model is far below


def sample_told(model: Embedder, held: Sequence[tuple[str, Sequence[float]]], prefix: str) -> list[str]:
    """A sentence where stored vectors are not what *model* makes of their texts."""
    texts = [prefix + text for text, _ in held]
    if not texts:
        return []
    made = np.asarray(embed(model, texts, total=len(texts), progress=quiet), dtype=np.float64)
    kept = np.array([vector for _, vector in held], dtype=np.float64)
    length = np.linalg.norm(made, axis=1) * np.linalg.norm(kept, axis=1)
    cosine = (made * kept).sum(axis=1)[length > 0] / length[length > 0]
    if not len(cosine) or float(np.median(cosine)) >= ALIKE:
        return []
    middle = float(np.median(cosine))
    text = (
        f"embedder {model.name!r} makes other vectors of texts in the index of {{system}} than it holds "
        f"(cosine {middle:.2f} in the middle of {len(cosine)}): is it the one that filled it, and is "
        "unit_prefix as it was?"
    )
    return [text]
