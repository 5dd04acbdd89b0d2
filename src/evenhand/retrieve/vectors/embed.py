"""Texts to vectors through a cache: a second run embeds nothing."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from inspect import signature
from itertools import islice
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from evenhand.errors import InputError
from evenhand.model.seal import seal, seal_texts
from evenhand.protocols import Embedder, Progress, quiet
from evenhand.retrieve.guests.ask_guest import called
from evenhand.retrieve.guests.custom_model import brought

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from evenhand.protocols import Engine
    from evenhand.store.blobs import Blobs

__all__ = ["Called", "as_embedder", "embed"]

SEGMENT = 2048  # texts whose vectors are one file of the cache
BATCH = 64  # texts a guest is handed at once: what it has answered is kept, whatever ends the run
PARTS = "embedding-batches"  # of a segment that is under way, in the cache


@dataclass(frozen=True)
class Called:
    """A plain function ``texts -> array`` as an embedder.

    What it computes cannot be seen from outside, so its vectors are cached only when it says which
    version it is: an attribute ``seal``, any text.
    """

    name: str
    function: Callable[[list[str]], Any]
    in_batches: ClassVar[bool] = True
    batch: ClassVar[int] = BATCH

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
    engine: Engine | None = None,
) -> NDArray[np.float32]:
    """Vectors of *texts*, float32[total, d], from the cache where they are there.

    Equal texts of a segment are embedded once. An endpoint and what a guest brings get them in batches, and
    each batch is kept as it comes: a run that is ended anywhere asks for none of them again. Batches are the
    same ones whether it was ended or not, and so are the vectors. With an *engine* segments are embedded by
    its workers, and cached here as they arrive; an embedder whose attribute ``stays`` is true works here all
    the same (its vectors lie in a file, or its model behind an address). Raises InputError when the embedder
    returns something else than one finite row a text, and when that of a worker is another one than ours.
    """
    source = iter(texts)
    parts: list[NDArray[np.float32]] = []
    opened: deque[_Segment] = deque()  # in order, from the first that waits for its vectors
    done = 0

    def settle() -> None:
        """Take what has its vectors, up to the first that has not."""
        nonlocal done
        while opened and opened[0].held is not None:
            one = opened.popleft()
            parts.append(one.rows())
            done += len(one.texts)
            progress(stage, done, total)
            if parts[0].shape[1] != parts[-1].shape[1]:
                raise InputError(
                    f"embedder {embedder.name!r} returned rows of {parts[0].shape[1]} "
                    f"and {parts[-1].shape[1]}",
                    mend="an embedder has one number of dimensions",
                )

    def missing() -> Iterator[_Segment]:
        """Segments that are not in the cache."""
        while segment := list(islice(source, SEGMENT)):
            opened.append(_Segment(embedder, segment, cache))
            if opened[-1].held is None:
                yield opened[-1]
            settle()

    progress(stage, 0, total)
    if engine is None or getattr(embedder, "stays", False):
        for one in missing():
            one.take(one.answered(cache, progress=_shifted(progress, stage, done, total)), cache)
    else:
        sent: deque[_Segment] = deque()

        def items() -> Iterator[list[str]]:
            for one in missing():
                sent.append(one)
                yield one.distinct

        for own, vectors in engine.map(_on_worker, items(), shared=(embedder,)):
            if own != embedder.seal:
                raise InputError(
                    f"embedder {embedder.name!r} is another one on a worker: its seal is "
                    f"{own[:12] or 'none'} there, and {embedder.seal[:12] or 'none'} here",
                    mend="install the same weights, packages and versions on the workers",
                )
            sent.popleft().take(vectors, cache)
            settle()
    settle()
    return np.concatenate(parts) if parts else np.zeros((0, 0), dtype=np.float32)


def _shifted(progress: Progress, outer: str, before: int, whole: int) -> Progress:
    def tell(stage: str, done: int, total: int, note: str = "") -> None:  # noqa: ARG001
        progress(outer, before + done, whole, note)

    return tell


def _asked(embedder: Embedder, texts: list[str], progress: Progress) -> NDArray[np.float32]:
    """What it answers, as its own where it fails."""
    found: NDArray[np.float32] = called(
        embedder.name, "embed", _told, embedder, texts, progress, kind="embedder"
    )
    return found


def _told(embedder: Embedder, texts: list[str], progress: Progress) -> NDArray[np.float32]:
    """A guest's ``embed(texts)`` need not know of progress."""
    takes = signature(embedder.embed).parameters.values()
    tells = any(one.name == "progress" or one.kind is one.VAR_KEYWORD for one in takes)
    told = {"progress": progress} if tells else {}
    return np.asarray(embedder.embed(texts, **told), dtype=np.float32)


def _on_worker(embedder: Embedder, texts: list[str]) -> tuple[str, NDArray[np.float32]]:
    """The seal of the embedder as it is on a worker, and the vectors."""
    return embedder.seal, _Segment(embedder, texts, None).answered(None, progress=quiet)


def _batch_of(embedder: Embedder) -> int:
    """How many texts are handed over at once.

    A model that is computed here sorts and groups its texts itself, and its bits depend on that: it gets a
    whole segment.
    """
    ours = type(embedder).__module__.startswith("evenhand.")
    own = getattr(embedder, "batch", None) if getattr(embedder, "in_batches", not ours) else SEGMENT
    return own if isinstance(own, int) and not isinstance(own, bool) and own >= 1 else BATCH


def _joined(parts: list[NDArray[np.float32]], name: str) -> NDArray[np.float32]:
    """The batches of a segment; one of blank texts alone has the width of the others."""
    widths = [part.shape[1] for part in parts if part.ndim == 2 and part.any()]
    if widths and all(part.ndim == 2 for part in parts):
        parts = [part if part.any() else np.zeros((len(part), widths[0]), np.float32) for part in parts]
    if len(set(widths)) > 1:
        other = next(width for width in widths if width != widths[0])
        raise InputError(
            f"embedder {name!r} returned rows of {widths[0]} and {other}",
            mend="an embedder has one number of dimensions",
        )
    return np.concatenate(parts)


class _Segment:
    """Some texts and, once ``held``, the vectors of the different ones among them."""

    def __init__(self, embedder: Embedder, texts: list[str], cache: Blobs | None) -> None:
        self.texts = texts
        self.distinct = list(dict.fromkeys(texts))
        self._embedder, self._own = embedder, embedder.seal
        self._parts: list[str] = []  # batches in the cache that the segment's own file replaces
        self._key = seal([self._own, seal_texts(self.distinct)])
        kept = cache.get("embeddings", self._key) if cache is not None and self._own else None
        whole = kept is not None and "vector" in kept and len(kept["vector"]) == len(self.distinct)
        self.held: NDArray[np.float32] | None = kept["vector"] if kept is not None and whole else None

    def answered(self, cache: Blobs | None, *, progress: Progress) -> NDArray[np.float32]:
        """What the embedder gives for the different texts, batch by batch; those kept are not asked for."""
        kept = cache if self._own else None
        batch, whole = _batch_of(self._embedder), len(self.distinct)
        if batch >= whole and kept is None:
            return _asked(self._embedder, self.distinct, progress)
        parts: list[NDArray[np.float32]] = []
        keys: list[str] = []
        for first in range(0, whole, batch):
            texts = self.distinct[first : first + batch]
            keys.append(seal([self._own, seal_texts(texts)]))
            held = kept.get(PARTS, keys[-1]) if kept is not None and batch < whole else None
            vectors = held.get("vector") if held is not None else None
            if vectors is None or len(vectors) != len(texts):
                vectors = _asked(self._embedder, texts, progress if batch >= whole else quiet)
                sound = vectors.ndim == 2 and len(vectors) == len(texts) and np.isfinite(vectors).all()
                if kept is not None and batch < whole and sound:
                    kept.put(PARTS, keys[-1], {"vector": vectors}, {"embedder": self._embedder.name})
            parts.append(vectors)
            progress("embed", first + len(texts), whole)
        self._parts = keys if kept is not None and batch < whole else []
        return _joined(parts, self._embedder.name)

    def take(self, vectors: NDArray[np.float32], cache: Blobs | None) -> None:
        """Check what the embedder gave, and keep it."""
        name = self._embedder.name
        if vectors.ndim != 2 or len(vectors) != len(self.distinct) or not vectors.shape[1]:
            raise InputError(
                f"embedder {name!r} returned an array of shape {vectors.shape} "
                f"for {len(self.distinct)} texts",
                mend="return one row a text, all of the same length",
            )
        if not np.isfinite(vectors).all():
            raise InputError(
                f"embedder {name!r} returned NaN or infinity",
                mend="return a row of zeros for a text that has no embedding",
            )
        if cache is not None and self._own:
            cache.put("embeddings", self._key, {"vector": vectors}, {"embedder": name, "seal": self._own})
            cache.drop(PARTS, self._parts)
        self.held = vectors

    def rows(self) -> NDArray[np.float32]:
        """One row a text."""
        assert self.held is not None  # noqa: S101 - asked for once it is there
        if len(self.distinct) == len(self.texts):
            return self.held
        place = {text: i for i, text in enumerate(self.distinct)}
        return self.held[[place[text] for text in self.texts]]
