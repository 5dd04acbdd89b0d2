"""Dense retrieval: an embedder and exact cosines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from time import perf_counter
from typing import TYPE_CHECKING, Any, ClassVar

from evenhand.retrieve.dense.distributed_exact import nearest
from evenhand.retrieve.dense.exact import DECIMALS
from evenhand.retrieve.models.truncation import seen
from evenhand.retrieve.rank import Ranked, collect
from evenhand.retrieve.vectors.embed import as_embedder, embed

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from evenhand.model.text import Units
    from evenhand.protocols import Embedder, Engine, Progress
    from evenhand.store.blobs import Blobs

__all__ = ["Dense"]


@dataclass(frozen=True)
class Dense:
    """Units by the cosine of their embedding with the question's; every unit has a score.

    ``embedder``: a built-in's name (``minilm``), ``python:package.module:thing``, an object with ``embed``
    or a plain function; ``options`` are its settings. ``unit_prefix`` and ``question_prefix`` stand before
    each text, as some models ask for. Cosines are rounded to six decimals before ranking; units without an
    embedding are in no ranking and counted, as are units longer than the embedder reads.
    """

    embedder: Any = "minilm"
    unit_prefix: str = ""
    question_prefix: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    name: str = "dense"
    spreads: ClassVar[bool] = True  # rank takes an engine

    @cached_property
    def model(self) -> Embedder:
        """The embedder itself."""
        return as_embedder(self.embedder, **self.options)

    def settings(self) -> dict[str, Any]:
        """What the rankings depend on."""
        found = {
            "retriever": "dense",
            "embedder": self.model.name,
            "embedder_seal": self.model.seal or None,
            "decimals": DECIMALS,
        }
        for part in ("unit_prefix", "question_prefix"):
            if getattr(self, part):
                found[part] = getattr(self, part)
        about = getattr(self.model, "settings", None)
        return {**found, "model": about()} if callable(about) else found

    def vectors(
        self,
        units: Units,
        questions: Sequence[str],
        *,
        cache: Blobs | None,
        progress: Progress,
        engine: Engine | None = None,
    ) -> tuple[NDArray[np.float32], NDArray[np.float32], float]:
        """Vectors of units and of questions, float32[n, d] each, and when the questions were begun with."""
        texts = (self.unit_prefix + text for text in units.texts()) if self.unit_prefix else units.texts()
        held = embed(
            self.model,
            texts,
            total=len(units),
            cache=cache,
            progress=progress,
            stage="embed units",
            engine=engine,
        )
        start = perf_counter()
        asked = embed(
            self.model,
            [self.question_prefix + question for question in questions],
            total=len(questions),
            cache=cache,
            progress=progress,
            stage="embed questions",
            engine=engine,
        )
        return held, asked, start

    def rank(
        self,
        units: Units,
        questions: Sequence[str],
        depth: int,
        *,
        cache: Blobs | None = None,
        progress: Progress,
        engine: Engine | None = None,
    ) -> Ranked:
        """Rank *units* for each question, at most *depth* deep; *engine* embeds and searches."""
        held, asked, start = self.vectors(units, questions, cache=cache, progress=progress, engine=engine)
        rows, blank_units, blank_questions = nearest(asked, held, depth, engine=engine, progress=progress)
        each = (perf_counter() - start) / max(len(questions), 1)
        notes: dict[str, int] = {}
        if blank_units:
            notes["no_embedding"] = blank_units
        if blank_questions:
            notes["questions_without_embedding"] = blank_questions
        tokens, limit = getattr(self.model, "tokens", None), getattr(self.model, "limit", None)
        if tokens is not None and limit:
            part = seen(units, tokens, limit=limit, cache=cache)
            if part.cut:
                notes["cut_units"] = part.cut
                notes["tokens_unseen"] = part.unseen
                notes["tokens"] = int(part.total.sum())
        return collect(rows, [each] * len(questions), notes=notes, provenance=self.settings())
