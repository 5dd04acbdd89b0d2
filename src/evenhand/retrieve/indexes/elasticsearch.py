"""Indexes of Elasticsearch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from evenhand.retrieve.indexes.elastic import AGENT, Elastic
from evenhand.retrieve.indexes.index import Asked
from evenhand.retrieve.indexes.retries import Fault

__all__ = ["Elasticsearch"]

METRIC = {"cosine": "cosine", "dot_product": "dot", "max_inner_product": "dot", "l2_norm": "l2"}
SCRIPT = {
    "cosine": "cosineSimilarity(params.asked, params.field) + 1.0",
    "dot": "sigmoid(1, Math.E, -dotProduct(params.asked, params.field))",
    "l2": "1 / (1 + l2norm(params.asked, params.field))",
}


@dataclass(eq=False, kw_only=True)
class Elasticsearch(Elastic):
    """An index of Elasticsearch 8 or 9."""

    name: str = "elasticsearch"

    retriever = "elasticsearch"
    label = "Elasticsearch"
    extra = "elasticsearch"
    package = "elasticsearch"
    kind = "dense_vector"
    width = "dims"

    def connect(self, key: str) -> Any:
        """A client that tries once: we try again ourselves."""
        from elasticsearch import Elasticsearch as Client

        signs: dict[str, Any] = {}
        if key:
            signs = {"basic_auth": (self.user, key)} if self.user else {"api_key": key}
        once = {"max_retries": 0, "retry_on_timeout": False}
        return Client(
            self.url, request_timeout=self.timeout, headers=dict(AGENT), meta_header=False, **once, **signs
        )

    def metric_of(self, mapping: Mapping[str, Any]) -> str:
        """Of its mapping; cosine where it says nothing."""
        return METRIC.get(str(mapping.get("similarity", "cosine")), "cosine")

    def method_of(self, mapping: Mapping[str, Any]) -> str:
        """The kind of its index, quantised or not."""
        return str(mapping.get("index_options", {}).get("type", "HNSW"))

    def near_body(self, asked: Asked) -> dict[str, Any]:
        """The option knn of a search."""
        near: dict[str, Any] = {"field": self._column, "query_vector": asked.vector, "k": asked.k}
        if self.candidates:
            near["num_candidates"] = max(self.candidates, asked.k)
        return {"knn": near}

    def exact_body(self, asked: Asked) -> dict[str, Any]:
        """Every document with a vector, scored by a script."""
        metric = self._look.metric if self._look is not None else "cosine"
        script = {
            "source": SCRIPT[metric].replace("params.field", f"'{self._column}'"),
            "params": {"asked": asked.vector},
        }
        return {"query": {"script_score": {"query": {"exists": {"field": self._column}}, "script": script}}}

    def own_vectors(self, dimensions: int) -> dict[str, Any]:
        """A graph over the vectors as they are, not quantised."""
        return {
            "type": "dense_vector",
            "dims": dimensions,
            "index": True,
            "similarity": "cosine",
            "index_options": {"type": "hnsw"},
        }

    def bulk(self, client: Any, actions: Iterator[dict[str, Any]]) -> None:
        """Send documents."""
        from elasticsearch.helpers import bulk

        bulk(client, actions)

    def fault(self, error: Exception) -> Fault:
        """Statuses, time-outs and connections of the client."""
        import elastic_transport
        import elasticsearch

        if isinstance(error, elasticsearch.ApiError):
            return Fault.of_status(int(error.meta.status))
        if isinstance(error, elastic_transport.ConnectionTimeout):
            return Fault("no answer in time", again=True)
        if isinstance(error, elastic_transport.ConnectionError):
            return Fault("no connection", there=False, again=True)
        return Fault(type(error).__name__, refused=isinstance(error, elasticsearch.UnsupportedProductError))
