"""Texts to vectors through a cache: a second run embeds nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from inspect import signature
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from evenhand.errors import InputError
from evenhand.model.seal import seal, seal_texts
from evenhand.protocols import Embedder, Progress, quiet
from evenhand.retrieve.brought import brought
from evenhand.retrieve.patience import called

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from evenhand.store.files import Blobs

__all__ = ["Called", "as_embedder", "embed"]

SEGMENT = 2048  # texts embedded, and cached, at once: what a killed run has done is not lost


@dataclass(frozen=True)
class Called:
    """A plain function ``texts -> array`` as an embedder.

    What it computes cannot be seen from outside, so its vectors are cached only when it says which
    version it is: an attribute ``seal``, any text.
    """

    name: str
    function: Callable[[list[str]], Any]

    @property
    def seal(self) -> str:
        """The seal the function has, or nothing."""
        own = getattr(self.function, "seal", "")
        return seal(["python", self.name, str(own)]) if own else ""

    def embed(self, texts: Sequence[str], *, progress: Progress | None = None) -> NDArray[np.float32]:  # noqa: ARG002
        """Call it once."""
        return np.asarray(self.function(list(texts)), dtype=np.float32)


def as_embedder(thing: Any, **settings: Any) -> Embedder:
    """An embedder from a name, a class, an object with ``embed``, or a plain function."""
    made: Embedder = brought(
        thing,
        "embedder",
        verb="embed",
        function=Called,
        shape="give a function texts -> array, or an object with name, seal and embed(texts)",
        settings=settings,
    )
    return made


def embed(
    embedder: Embedder,
    texts: Iterable[str],
    *,
    total: int,
    cache: Blobs | None = None,
    progress: Progress = quiet,
    stage: str = "embed",
) -> NDArray[np.float32]:
    """Vectors of *texts*, float32[total, d], from the cache where they are there.

    Equal texts of a segment are embedded once. Raises InputError when the embedder returns something else
    than one finite row a text.
    """
    source = iter(texts)
    parts: list[NDArray[np.float32]] = []
    done = 0
    progress(stage, 0, total)
    while segment := list(islice(source, SEGMENT)):
        parts.append(_segment(embedder, segment, cache, _shifted(progress, stage, done, total)))
        done += len(segment)
        progress(stage, done, total)
        if parts[0].shape[1] != parts[-1].shape[1]:
            raise InputError(
                f"embedder {embedder.name!r} returned rows of {parts[0].shape[1]} and {parts[-1].shape[1]}",
                mend="an embedder has one number of dimensions",
            )
    return np.concatenate(parts) if parts else np.zeros((0, 0), dtype=np.float32)


def _shifted(progress: Progress, outer: str, before: int, whole: int) -> Progress:
    def tell(stage: str, done: int, total: int, note: str = "") -> None:  # noqa: ARG001
        progress(outer, before + done, whole, note)

    return tell


def _asked(embedder: Embedder, texts: list[str], progress: Progress) -> NDArray[np.float32]:
    """What it answers; a guest's ``embed(texts)`` need not know of progress."""
    takes = signature(embedder.embed).parameters.values()
    tells = any(one.name == "progress" or one.kind is one.VAR_KEYWORD for one in takes)
    told = {"progress": progress} if tells else {}
    return np.asarray(embedder.embed(texts, **told), dtype=np.float32)


def _segment(
    embedder: Embedder, texts: list[str], cache: Blobs | None, progress: Progress
) -> NDArray[np.float32]:
    distinct = list(dict.fromkeys(texts))
    own = embedder.seal
    key = seal([own, seal_texts(distinct)])
    held = cache.get("embeddings", key) if cache is not None and own else None
    if held is not None and "vector" in held and len(held["vector"]) == len(distinct):
        vectors = held["vector"]
    else:
        vectors = called(embedder.name, "embed", _asked, embedder, distinct, progress, kind="embedder")
        if vectors.ndim != 2 or len(vectors) != len(distinct) or not vectors.shape[1]:
            raise InputError(
                f"embedder {embedder.name!r} returned an array of shape {vectors.shape} "
                f"for {len(distinct)} texts",
                mend="return one row a text, all of the same length",
            )
        if not np.isfinite(vectors).all():
            raise InputError(
                f"embedder {embedder.name!r} returned NaN or infinity",
                mend="return a row of zeros for a text that has no embedding",
            )
        if cache is not None and own:
            cache.put("embeddings", key, {"vector": vectors}, {"embedder": embedder.name, "seal": own})
    if len(distinct) == len(texts):
        return vectors
    place = {text: i for i, text in enumerate(distinct)}
    return vectors[[place[text] for text in texts]]
