"""Collections of Qdrant: on a server, or in a folder (local mode)."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from evenhand.errors import InputError, nearest
from evenhand.retrieve.indexes.fields import Fields, names_in
from evenhand.retrieve.indexes.index import Asked, Index, Look, address_of
from evenhand.retrieve.indexes.metric import score
from evenhand.retrieve.indexes.retries import Fault
from evenhand.retrieve.indexes.sample import SAMPLED

if TYPE_CHECKING:
    from evenhand.protocols import Progress
    from evenhand.retrieve.indexes.upload import Filling

__all__ = ["Qdrant"]

MEMORY = ":memory:"
METRIC = {"Cosine": "cosine", "Dot": "dot", "Euclid": "l2", "Manhattan": "Manhattan distance"}
LOOKED = 20  # points whose fields are looked at


@dataclass(eq=False, kw_only=True)
class Qdrant(Index):
    """A collection of Qdrant at ``url``, or in the folder ``path`` that local mode keeps.

    ``vector`` names one of several vectors. With ``exact`` every point is compared; else the server walks
    its graph, with a beam of ``candidates`` (``hnsw_ef``; 0: as the collection has it). Local mode is
    always exact.
    """

    url: str = ""
    path: str = ""
    collection: str = ""
    vector: str = ""
    exact: bool = False
    candidates: int = 0
    name: str = "qdrant"

    retriever = "qdrant"
    label = "Qdrant"
    extra = "qdrant"
    package = "qdrant_client"
    keeps = "collection"

    def __post_init__(self) -> None:
        if bool(self.url) == bool(self.path):
            raise InputError(
                "needs one of url and path", mend='write url = "http://localhost:6333", or path = "a folder"'
            )
        if self.path == MEMORY and not self.fill:
            raise InputError("there is nothing in a new memory", mend="write fill = true, or a folder")
        self.where = address_of(self.url, ("http", "https")) if self.url else self.path
        if self.candidates < 0 or (self.exact and self.candidates):
            raise InputError(
                f"candidates = {self.candidates}, exact = {str(self.exact).lower()} cannot be used",
                mend="give candidates from 1 for an approximate search, or exact = true",
            )
        if self.path and self.candidates:
            raise InputError("local mode compares every point", mend="leave candidates out")
        super().__post_init__()

    @property
    def address(self) -> str:
        """Address or folder."""
        return self.where

    def more(self) -> dict[str, Any]:
        """Which vector, and how exactly."""
        made: dict[str, Any] = {"exact": self.exact or bool(self.path)}
        if self.vector:
            made["vector"] = self.vector
        return {**made, **({"candidates": self.candidates} if self.candidates else {})}

    def connect(self, key: str) -> Any:
        """A client; a folder must be there, unless it is to be filled."""
        from qdrant_client import QdrantClient

        if not self.path:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of a key without TLS, and of versions: as the address says
                return QdrantClient(
                    url=self.url,
                    api_key=key or None,
                    timeout=math.ceil(self.timeout),
                    check_compatibility=False,
                )
        folder = self.base / self.path
        if self.path != MEMORY and not self.fill and not folder.is_dir():
            raise InputError(
                f"there is no folder {self.path} of Qdrant", mend="paths are relative to the study file"
            )
        return QdrantClient(MEMORY) if self.path == MEMORY else QdrantClient(path=str(folder))

    def look(self, client: Any, place: str) -> Look:
        """Its vectors, size and fields."""
        if not client.collection_exists(place):
            known = [one.name for one in client.get_collections().collections]
            raise InputError(
                f"{self.label} at {self.address} has no collection {place!r}",
                mend=nearest(place, known) if known else "it has none at all: check the address",
            )
        info = client.get_collection(place)
        params = self._vector_of(info.config.params.vectors, place)
        points, _ = client.scroll(place, limit=LOOKED, with_payload=True, with_vectors=False)
        if not points:
            raise InputError(f"{self._named(place)} is empty", mend="fill it first, or check the name")
        exact = self.exact or bool(self.path)
        return Look(
            fields={name for point in points for name in names_in(point.payload or {})},
            pieces=int(client.count(place, exact=True).count),
            search="exact: every point" if exact else "approximate: HNSW",
            metric=METRIC.get(str(getattr(params.distance, "value", params.distance)), "cosine"),
            dimensions=int(params.size),
        )

    def _vector_of(self, vectors: Any, place: str) -> Any:
        several = vectors if isinstance(vectors, Mapping) else {}
        if not several and vectors is not None:
            if self.vector:
                raise InputError(
                    f"{self._named(place)} has one vector without a name", mend="leave vector out"
                )
            return vectors
        if not several:
            raise InputError(
                f"{self._named(place)} has no dense vector", mend="name a collection with dense vectors"
            )
        if self.vector not in several and len(several) > 1:
            raise InputError(
                f"{self._named(place)} has no vector {self.vector!r}"
                if self.vector
                else f"{self._named(place)} has several vectors",
                mend=nearest(self.vector, several)
                if self.vector
                else f"vector = one of: {', '.join(sorted(several))}",
            )
        if not self.vector:
            self.vector = next(iter(several))
        elif self.vector not in several:
            raise InputError(
                f"{self._named(place)} has no vector {self.vector!r}", mend=nearest(self.vector, several)
            )
        return several[self.vector]

    def put(self, client: Any, filling: Filling, progress: Progress) -> None:
        """Make the collection and send what is not there yet."""
        from qdrant_client import models

        if not client.collection_exists(filling.name):
            size = models.VectorParams(size=filling.dimensions, distance=models.Distance.COSINE)
            client.create_collection(filling.name, vectors_config=size)
        if client.count(filling.name, exact=True).count == len(filling):
            return
        for batch in filling.batches(progress):
            points = [models.PointStruct(id=_uuid(p.key), vector=p.vector, payload=p.fields) for p in batch]
            client.upsert(filling.name, points=points, wait=True)

    def nearest(self, client: Any, place: str, asked: Asked, fields: Fields) -> list[Any]:
        """Query the points."""
        from qdrant_client import models

        params = models.SearchParams(exact=self.exact or None, hnsw_ef=self.candidates or None)
        found = client.query_points(
            place,
            query=asked.vector,
            using=self.vector or None,
            limit=asked.k,
            with_payload=fields.tops,
            search_params=params,
        )
        far = self._look is not None and self._look.metric in {"l2", METRIC["Manhattan"]}
        return [fields.hit(point.payload or {}, score(point.score, distance=far)) for point in found.points]

    def sample(self, client: Any, place: str, fields: Fields) -> list[tuple[str, Sequence[float]]]:
        """The first points."""
        if "text" not in fields.of:
            return []
        points, _ = client.scroll(
            place,
            limit=SAMPLED,
            with_payload=fields.tops,
            with_vectors=[self.vector] if self.vector else True,
        )
        held = []
        for point in points:
            vector = point.vector.get(self.vector) if isinstance(point.vector, Mapping) else point.vector
            text = fields.hit(point.payload or {}, None).get("text")
            if isinstance(text, str) and text and vector and not isinstance(vector[0], (list, tuple)):
                held.append((text, vector))
        return held

    def fault(self, error: Exception) -> Fault:
        """Statuses of a server; a folder that another process holds."""
        from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse

        if isinstance(error, UnexpectedResponse):
            return Fault.of_status(int(error.status_code or 500))
        if isinstance(error, ResponseHandlingException):
            inner = type(error.source).__name__ if hasattr(error, "source") else type(error).__name__
            if "Timeout" in inner and "Connect" not in inner:
                return Fault("no answer in time", again=True)
            return Fault("no connection", there=not inner.startswith("Connect"), again=True)
        if isinstance(error, RuntimeError) and "already accessed" in str(error):
            return Fault("another process holds the folder", refused=True)
        return Fault(type(error).__name__)


def _uuid(key: str) -> str:
    return f"{key[:8]}-{key[8:12]}-{key[12:16]}-{key[16:20]}-{key[20:]}"
