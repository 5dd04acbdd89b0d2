"""What Elasticsearch and OpenSearch have in common: mappings, bodies, replies."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from evenhand.errors import InputError, Unreachable, nearest
from evenhand.retrieve.indexes.fields import Fields
from evenhand.retrieve.indexes.index import Asked, Index, Look, address_of
from evenhand.retrieve.indexes.metric import score
from evenhand.retrieve.indexes.sample import SAMPLED

if TYPE_CHECKING:
    from evenhand.protocols import Progress
    from evenhand.retrieve.indexes.upload import Filling

__all__ = ["AGENT", "Elastic"]

AGENT = {"user-agent": "evenhand"}  # the clients would tell of Python and the machine
SEARCHES = ("match", "knn", "body")
FILLS = ("{question}", "{vector}", "{k}")  # of a body
EXACT = "script_score over every piece"


@dataclass(eq=False, kw_only=True)
class Elastic(Index):
    """An index that is searched by words (``match``, the default), vectors (``knn``), or a ``body``.

    ``body`` is a request with ``"{question}"``, ``"{vector}"`` and ``"{k}"`` in it, for hybrids and
    whatever else the database can do. ``vector`` is the field of vectors, where there are several. With
    ``exact`` a script compares every vector; else the database walks its graph with ``candidates``
    (0: as many as it takes by itself). ``key_env`` holds an API key, or with ``user`` the password.
    """

    url: str = ""
    index: str = ""
    search_by: str = "match"
    body: Mapping[str, Any] = field(default_factory=dict)
    vector: str = ""
    exact: bool = False
    candidates: int = 0
    user: str = ""

    keeps = "index"
    kind = ""  # of a field of vectors
    width = ""  # where its mapping has the dimensions

    def __post_init__(self) -> None:
        self.where = address_of(self.url, ("http", "https"))
        if self.body and self.search_by in {"match", "body"}:
            self.search_by = "body"
        if self.search_by not in SEARCHES:
            raise InputError(f"search_by is {self.search_by!r}", mend=nearest(self.search_by, SEARCHES))
        if (self.search_by == "body") != bool(self.body):
            raise InputError(
                f"search_by = {self.search_by!r} and a body contradict each other"
                if self.body
                else 'search_by = "body" has no body',
                mend='leave search_by out, and write body = { query = { match = { text = "{question}" } } }',
            )
        if self.body and "{question}" not in set(_texts(self.body)) and not self.dense:
            raise InputError(
                'body holds neither "{question}" nor "{vector}"',
                mend='write "{question}" where the text of the question goes',
            )
        if self.search_by != "knn" and (self.exact or self.candidates):
            raise InputError('exact and candidates are for search_by = "knn"', mend="leave them out")
        if self.candidates < 0 or (self.exact and self.candidates):
            raise InputError(
                f"candidates = {self.candidates}, exact = {str(self.exact).lower()} cannot be used",
                mend="give candidates from 1 for an approximate search, or exact = true",
            )
        super().__post_init__()
        self._column = self.vector

    # -- what the two say differently

    def metric_of(self, mapping: Mapping[str, Any]) -> str:
        """How a field of vectors is compared."""
        raise NotImplementedError

    def method_of(self, mapping: Mapping[str, Any]) -> str:
        """By which kind of index."""
        raise NotImplementedError

    def near_body(self, asked: Asked) -> dict[str, Any]:
        """A request for the nearest vectors."""
        raise NotImplementedError

    def exact_body(self, asked: Asked) -> dict[str, Any]:
        """A request that compares every vector."""
        raise NotImplementedError

    def own_vectors(self, dimensions: int) -> dict[str, Any]:
        """The mapping of vectors of ours, compared by cosine."""
        raise NotImplementedError

    def own_settings(self) -> dict[str, Any]:
        """Settings of an index of ours."""
        return {}

    def bulk(self, client: Any, actions: Iterator[dict[str, Any]]) -> None:
        """Send documents."""
        raise NotImplementedError

    # -- the index

    @property
    def dense(self) -> bool:
        """Where a vector is asked for."""
        return self.search_by == "knn" or "{vector}" in set(_texts(self.body))

    @property
    def deep(self) -> bool:
        """A search by words finds what holds one of them; a body does what it does."""
        return self.search_by == "knn"

    @property
    def address(self) -> str:
        """Where it is."""
        return self.where

    def more(self) -> dict[str, Any]:
        """How it is asked."""
        made: dict[str, Any] = {"search_by": self.search_by}
        if self.search_by == "knn":
            made["exact"] = self.exact
        for key in ("vector", "candidates", "user"):
            if getattr(self, key):
                made[key] = getattr(self, key)
        return {**made, **({"body": dict(self.body)} if self.body else {})}

    def look(self, client: Any, place: str) -> Look:
        """Mapping and size."""
        if not client.indices.exists(index=place):
            known = sorted(str(name) for name in _plain(client.indices.get_alias(index="*")))
            raise InputError(
                f"{self.label} at {self.address} has no index {place!r}",
                mend=nearest(place, known) if known else "it has none at all: check the address",
            )
        found: dict[str, Mapping[str, Any]] = {}
        for one in _plain(client.indices.get_mapping(index=place)).values():
            found |= dict(_properties(one.get("mappings", {}).get("properties", {})))
        vectors = [name for name, mapping in found.items() if mapping.get("type") == self.kind]
        metric, dimensions, how = "", 0, "lexical: match" if self.search_by == "match" else "as its body says"
        if self.search_by == "knn":
            self._column = self._chosen(vectors, found, place)
            mapping = found[self._column]
            metric, dimensions = self.metric_of(mapping), int(mapping.get(self.width) or 0)
            how = f"exact: {EXACT}" if self.exact else f"approximate: {self.method_of(mapping)}"
        pieces = int(_plain(client.count(index=place))["count"])
        if not pieces:
            raise InputError(f"{self._named(place)} is empty", mend="fill it first, or check the name")
        return Look(set(found) - set(vectors), pieces, how, metric, dimensions)

    def _chosen(self, vectors: list[str], found: Mapping[str, Any], place: str) -> str:
        if self.vector and self.vector not in vectors:
            what = "is no vector" if self.vector in found else "is not there"
            raise InputError(
                f"field {self.vector!r} of {self._named(place)} {what}",
                mend=nearest(self.vector, vectors) if vectors else "name an index with a field of vectors",
            )
        if not self.vector and len(vectors) != 1:
            raise InputError(
                f"{self._named(place)} has {len(vectors)} fields of vectors",
                mend=f"vector = one of: {', '.join(sorted(vectors))}"
                if vectors
                else "name an index with a field of vectors",
            )
        return self.vector or vectors[0]

    def put(self, client: Any, filling: Filling, progress: Progress) -> None:
        """Make the index and send what is not there yet."""
        if not client.indices.exists(index=filling.name):
            properties: dict[str, Any] = {"text": {"type": "text"}}
            properties |= {name: {"type": "keyword"} for name in ("unit", "doc")}
            properties |= {name: {"type": "long"} for name in ("start", "end")}
            if self.dense:
                properties["vector"] = self.own_vectors(filling.dimensions)
            body: dict[str, Any] = {"mappings": {"properties": properties}}
            if settings := self.own_settings():
                body["settings"] = settings
            client.indices.create(index=filling.name, body=body)
        if _plain(client.count(index=filling.name))["count"] != len(filling):
            self.bulk(client, self._actions(filling, progress))
        client.indices.refresh(index=filling.name)

    def _actions(self, filling: Filling, progress: Progress) -> Iterator[dict[str, Any]]:
        for batch in filling.batches(progress):
            for piece in batch:
                more = {"vector": piece.vector} if self.dense else {}
                yield {"_index": filling.name, "_id": piece.key, "_source": {**piece.fields, **more}}

    def nearest(self, client: Any, place: str, asked: Asked, fields: Fields) -> list[Any]:
        """Search, and refuse an answer of some shards only."""
        if self.search_by == "match":
            field_ = fields.of.get("text")
            if field_ is None:
                raise InputError(
                    f"{self._named(place)} has no field text to match",
                    mend='say which: fields = { text = "…" }',
                )
            body: dict[str, Any] = {"query": {"match": {field_: {"query": asked.text}}}}
        elif self.search_by == "knn":
            body = self.exact_body(asked) if self.exact else self.near_body(asked)
        else:
            body = _filled(self.body, dict(zip(FILLS, (asked.text, asked.vector, asked.k), strict=True)))
        sent = {"size": asked.k, "_source": list(fields.of.values()), **body}
        reply = _plain(client.search(index=place, body=sent))
        shards = reply.get("_shards", {})
        if reply.get("timed_out") or shards.get("failed"):
            why = (
                "timed out"
                if reply.get("timed_out")
                else f"{shards['failed']} of {shards.get('total')} shards"
            )
            raise Unreachable(
                f"{self.label} at {self.address} answered in part ({why})",
                mend="a part of an index is no answer; run again when the cluster is well",
                why=f"answered in part: {why}",
            )
        hits = reply["hits"]["hits"]
        return [
            fields.hit(one.get("_source") or {}, None if one.get("_score") is None else score(one["_score"]))
            for one in hits
        ]

    def sample(self, client: Any, place: str, fields: Fields) -> list[tuple[str, Sequence[float]]]:
        """Some documents; newer servers keep the vectors to themselves."""
        text = fields.of.get("text")
        if text is None or self.search_by != "knn":
            return []
        body = {
            "size": SAMPLED,
            "_source": [text, self._column],
            "query": {"exists": {"field": self._column}},
        }
        held: list[tuple[str, Sequence[float]]] = []
        vectors = Fields({"text": self._column}, {self._column}, told="")
        for one in _plain(client.search(index=place, body=body))["hits"]["hits"]:
            source = one.get("_source") or {}
            words, vector = fields.hit(source, None).get("text"), vectors.hit(source, None).get("text")
            if isinstance(words, str) and words and isinstance(vector, list):
                held.append((words, vector))
        return held

    @property
    def seconds(self) -> int:
        """The timeout, in whole seconds."""
        return math.ceil(self.timeout)


def _plain(reply: Any) -> Any:
    return getattr(reply, "body", reply)


def _properties(found: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Mapping[str, Any]]]:
    for name, mapping in found.items():
        yield before + name, mapping
        yield from _properties(mapping.get("properties", {}), f"{before}{name}.")


def _texts(thing: Any) -> Iterator[str]:
    if isinstance(thing, str):
        yield thing
    elif isinstance(thing, Mapping):
        for value in thing.values():
            yield from _texts(value)
    elif isinstance(thing, (list, tuple)):
        for value in thing:
            yield from _texts(value)


def _filled(thing: Any, given: Mapping[str, Any]) -> Any:
    if isinstance(thing, str):
        return given.get(thing, thing)
    if isinstance(thing, Mapping):
        return {key: _filled(value, given) for key, value in thing.items()}
    return [_filled(value, given) for value in thing] if isinstance(thing, (list, tuple)) else thing
