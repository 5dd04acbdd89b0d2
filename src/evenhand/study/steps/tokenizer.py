"""The tokenizer a study counts by: each document is tokenised once, however many chunkings there are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evenhand.errors import EvenhandError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from evenhand.model.plan.study import Plan

__all__ = ["Remembered", "counter_of"]

KEPT = 64_000_000  # characters whose offsets are kept: beyond that they are counted anew each time


class Remembered:
    """A tokenizer that keeps the offsets of what it has seen."""

    def __init__(self, tokens: Any) -> None:
        self.tokens = tokens
        self.name = str(tokens.name)
        self._known: dict[str, NDArray[np.int64]] = {}
        self._held = 0

    @property
    def seal(self) -> str:
        """The seal of the tokenizer behind it."""
        return str(getattr(self.tokens, "seal", ""))

    def offsets(self, text: str) -> NDArray[np.int64]:
        """int64[t, 2]: start and end of each token in code points of *text*."""
        found = self._known.get(text)
        if found is None:
            found = self.tokens.offsets(text)
            if self._held + len(text) <= KEPT:
                self._known[text] = found
                self._held += len(text)
        return found


def counter_of(plan: Plan) -> Any | None:
    """What ``count = "tokens"`` and token budgets mean: the tokenizer of the study's embedder.

    The first dense system whose embedder has one, else that of the embedded default; None when it is not
    installed.
    """
    from evenhand.retrieve.models.minilm import MiniLM
    from evenhand.retrieve.vectors.embed import as_embedder

    for system in plan.systems:
        if system.kind == "retriever" and system.what == "dense":
            named = system.settings.get("embedder", "minilm")
            try:
                model = as_embedder(named, **dict(system.settings.get("options", {})))
                tokens = getattr(model, "tokens", None)
            except EvenhandError:
                continue
            if tokens is not None and hasattr(tokens, "offsets"):
                return Remembered(tokens)
    tokens = MiniLM().tokens
    try:
        tokens.offsets("a")
    except EvenhandError:
        return None
    return Remembered(tokens)
