"""Everything that can be brought, by shape: no base class to inherit, nothing to register."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, runtime_checkable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from evenhand.model.text import Corpus, Unit, Units

__all__ = ["Chunker", "Embedder", "Engine", "Progress", "Reranker", "Retriever", "Searcher", "quiet"]

A = TypeVar("A")
B = TypeVar("B")


@runtime_checkable
class Searcher(Protocol):
    """A guest that brings its own index: it is its own chunking.

    A plain function ``search(question, k)`` will do as well. A hit is ``{"doc", "start", "end"}``,
    ``{"text", "doc"?}`` or ``{"unit"}``, each with an optional ``"score"``; or a pair (unit id, score).
    """

    def search(self, question: str, k: int) -> Sequence[Any]:
        """At most *k* hits, best first."""


@runtime_checkable
class Retriever(Searcher, Protocol):
    """A guest that searches our units: ``index`` is called once, before the first search."""

    def index(self, units: Sequence[Unit]) -> None:
        """Take the units to be searched."""


@runtime_checkable
class Embedder(Protocol):
    """Texts to vectors."""

    @property
    def name(self) -> str:
        """How reports call it."""

    @property
    def seal(self) -> str:
        """Identity of weights, limits and batch plan: vectors are cached under it."""

    def embed(self, texts: Sequence[str], *, progress: Progress | None = None) -> NDArray[np.float32]:
        """float32[n, dimensions], in the order of *texts*; a row of zeros means "no embedding"."""


@runtime_checkable
class Reranker(Protocol):
    """Scores candidates for one question; higher is better."""

    def rerank(self, question: str, units: Sequence[Unit]) -> Sequence[float]:
        """One score a unit, in the order given."""


@runtime_checkable
class Chunker(Protocol):
    """The rule that cuts documents into units; a plain function ``split(text)`` will do as a guest."""

    def cut(self, corpus: Corpus) -> Units:
        """All units of the corpus."""


class Engine(Protocol):
    """Where work runs. Results come back in the order of *items*, whatever ran first."""

    def map(self, work: Callable[[A], B], items: Iterable[A]) -> Iterator[B]:
        """Apply *work* to each item."""


class Progress(Protocol):
    """Told how far a stage has come; called from the working thread, must return at once."""

    def __call__(self, stage: str, done: int, total: int, note: str = "") -> None:
        """*done* of *total* steps of *stage* are finished."""


def quiet(stage: str, done: int, total: int, note: str = "") -> None:
    """Progress that nobody watches."""
