"""Models of sentence-transformers (extra ``torch``): embedders and cross-encoders by name or path."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from evenhand.errors import InputError, Unreachable
from evenhand.model.seal import seal, seal_arrays
from evenhand.plugins import need
from evenhand.protocols import Progress

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from evenhand.model.text import Unit

__all__ = ["CrossEncoder", "SentenceTransformer"]


def _load(kind: str, model: str, revision: str | None) -> Any:
    package = need("sentence_transformers", extra="torch")
    if not model:
        raise InputError(
            "no model is named", mend='model = "sentence-transformers/all-MiniLM-L6-v2", or a path'
        )
    try:
        return getattr(package, kind)(model, device="cpu", **({"revision": revision} if revision else {}))
    except OSError as error:  # a missing folder, an unknown name, no network
        raise Unreachable(
            f"the model {model!r} cannot be loaded: {str(error).splitlines()[0]}",
            mend="check its name and the network, or give the path of a local copy",
        ) from error


def _weights(torch_module: Any) -> str:
    held = torch_module.state_dict()
    return seal([[name, seal_arrays(held[name].cpu().numpy())] for name in sorted(held)])


@dataclass(frozen=True)
class _Loaded:
    """A model of the package's class of the same name."""

    model: str = ""
    revision: str | None = None
    batch: int = 32

    @property
    def name(self) -> str:
        """How reports call it."""
        return self.model

    @cached_property
    def _model(self) -> Any:
        return _load(type(self).__name__, self.model, self.revision)


@dataclass(frozen=True)
class SentenceTransformer(_Loaded):
    """Any sentence-transformers model, on the CPU; sealed over its weights, not over its name."""

    def settings(self) -> dict[str, Any]:
        """Everything a vector depends on."""
        return {"model": self.model, "revision": self.revision, "batch": self.batch, "limit": self._limit}

    @property
    def _limit(self) -> int | None:
        found = self._model.max_seq_length
        return int(found) if found else None

    @cached_property
    def seal(self) -> str:
        """Identity of weights, limit and batch plan."""
        version = str(need("sentence_transformers", extra="torch").__version__)
        return seal([self.settings(), version, _weights(self._model)])

    def embed(self, texts: Sequence[str], *, progress: Progress | None = None) -> NDArray[np.float32]:  # noqa: ARG002
        """float32[n, d]; an empty text is a row of zeros."""
        found = self._model.encode(list(texts), batch_size=self.batch, show_progress_bar=False)
        vectors = np.array(found, dtype=np.float32)
        vectors[[not text.strip() for text in texts]] = 0.0
        return vectors


@dataclass(frozen=True)
class CrossEncoder(_Loaded):
    """Any sentence-transformers cross-encoder, on the CPU."""

    @cached_property
    def seal(self) -> str:
        """Identity of weights and batch plan."""
        version = str(need("sentence_transformers", extra="torch").__version__)
        return seal([self.model, self.revision, self.batch, version, _weights(self._model.model)])

    def rerank(self, question: str, units: Sequence[Unit]) -> Sequence[float]:
        """One score a unit, in the order given."""
        pairs = [(question, unit.text) for unit in units]
        found: list[float] = np.asarray(
            self._model.predict(pairs, batch_size=self.batch, show_progress_bar=False), dtype=float
        ).tolist()
        return found
