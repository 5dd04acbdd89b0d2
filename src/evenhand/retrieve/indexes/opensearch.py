"""Indexes of OpenSearch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from evenhand.retrieve.indexes.elastic import AGENT, Elastic
from evenhand.retrieve.indexes.index import Asked
from evenhand.retrieve.indexes.retries import Fault

__all__ = ["OpenSearch"]

METRIC = {"cosinesimil": "cosine", "innerproduct": "dot", "l2": "l2"}
SPACE = {ours: theirs for theirs, ours in METRIC.items()}


@dataclass(eq=False, kw_only=True)
class OpenSearch(Elastic):
    """An index of OpenSearch 2 or 3."""

    name: str = "opensearch"

    retriever = "opensearch"
    label = "OpenSearch"
    extra = "opensearch"
    package = "opensearchpy"
    kind = "knn_vector"
    width = "dimension"

    def connect(self, key: str) -> Any:
        """A client that tries once: we try again ourselves."""
        from opensearchpy import OpenSearch as Client

        signs: dict[str, Any] = {}
        if key:
            signs = {"http_auth": (self.user, key)} if self.user else {}
        headers = dict(AGENT)
        if key and not self.user:
            headers["Authorization"] = f"Bearer {key}"
        return Client(
            self.url, timeout=self.timeout, headers=headers, max_retries=0, retry_on_timeout=False, **signs
        )

    def metric_of(self, mapping: Mapping[str, Any]) -> str:
        """Of its mapping, at either place; l2 where it says nothing."""
        space = mapping.get("space_type") or mapping.get("method", {}).get("space_type") or "l2"
        return METRIC.get(str(space), str(space))

    def method_of(self, mapping: Mapping[str, Any]) -> str:
        """Method and engine."""
        method = mapping.get("method", {})
        return " of ".join(filter(None, (str(method.get("name", "hnsw")), str(method.get("engine", "")))))

    def near_body(self, asked: Asked) -> dict[str, Any]:
        """The query knn."""
        near: dict[str, Any] = {"vector": asked.vector, "k": asked.k}
        if self.candidates:
            near["method_parameters"] = {"ef_search": self.candidates}
        return {"query": {"knn": {self._column: near}}}

    def exact_body(self, asked: Asked) -> dict[str, Any]:
        """Every document with a vector, scored by the k-NN plugin's script."""
        metric = self._look.metric if self._look is not None else "cosine"
        params = {
            "field": self._column,
            "query_value": asked.vector,
            "space_type": SPACE.get(metric, metric),
        }
        script = {"source": "knn_score", "lang": "knn", "params": params}
        return {"query": {"script_score": {"query": {"exists": {"field": self._column}}, "script": script}}}

    def own_vectors(self, dimensions: int) -> dict[str, Any]:
        """A graph of Lucene over the vectors as they are."""
        method = {"name": "hnsw", "engine": "lucene", "space_type": "cosinesimil"}
        return {"type": "knn_vector", "dimension": dimensions, "method": method}

    def own_settings(self) -> dict[str, Any]:
        """Vectors are searched only in an index that says so."""
        return {"index": {"knn": True}} if self.dense else {}

    def bulk(self, client: Any, actions: Iterator[dict[str, Any]]) -> None:
        """Send documents."""
        from opensearchpy.helpers import bulk

        bulk(client, actions)

    def fault(self, error: Exception) -> Fault:
        """Statuses, time-outs and connections of the client."""
        from opensearchpy import exceptions

        if isinstance(error, exceptions.ConnectionTimeout):
            return Fault("no answer in time", again=True)
        if isinstance(error, exceptions.ConnectionError):
            return Fault("no connection", there=False, again=True)
        if isinstance(error, exceptions.TransportError) and isinstance(error.status_code, int):
            return Fault.of_status(error.status_code)
        return Fault(type(error).__name__)
