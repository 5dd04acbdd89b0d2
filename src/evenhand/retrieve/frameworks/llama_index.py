"""Retrievers, query engines and indexes of LlamaIndex."""

from __future__ import annotations

import copy
import sys
from typing import Any

from evenhand.retrieve.frameworks.document import hit
from evenhand.retrieve.frameworks.framework import Framework

__all__ = ["Retriever", "of"]

DEPTH = "similarity_top_k"


def of(thing: Any) -> Retriever:
    """The retriever behind *thing*: an index makes one, a query engine without postprocessors has one."""
    if not callable(getattr(thing, "retrieve", None)):
        thing = thing.as_retriever()
    within = getattr(thing, "retriever", None)
    if callable(getattr(within, "retrieve", None)) and not getattr(thing, "_node_postprocessors", None):
        thing = within
    return Retriever(thing)


class Retriever(Framework):
    """A ``BaseRetriever``, or a query engine whose postprocessors belong to what is measured.

    One with ``similarity_top_k`` is copied with that set. A query engine with postprocessors searches as
    deep as it was made to: more candidates would make another system of a reranker.
    """

    framework = "LlamaIndex"
    package = "llama-index-core"

    def __init__(self, thing: Any) -> None:
        super().__init__(thing)
        self._engine = callable(getattr(thing, "query", None))
        has = getattr(thing, DEPTH, None)
        self.asked = DEPTH if isinstance(has, int) and not self._engine else ""

    def ask(self, question: str, k: int) -> Any:
        """Retrieve."""
        thing = self.thing
        if self.asked:
            thing = copy.copy(thing)
            setattr(thing, DEPTH, k)
        asked = self._bundle(question) if self._engine else question
        awaited = getattr(thing, "aretrieve", None)
        return self.either(lambda: thing.retrieve(asked), None if awaited is None else lambda: awaited(asked))

    def hit(self, one: Any) -> Any:
        """A node with its score."""
        node = getattr(one, "node", None)
        if node is None or not hasattr(node, "get_content"):
            raise self.odd(one)
        return hit(
            node.get_content(),
            getattr(node, "metadata", None),
            name=getattr(node, "node_id", None),
            start=getattr(node, "start_char_idx", None),
            end=getattr(node, "end_char_idx", None),
            of=getattr(node, "ref_doc_id", None),
            score=getattr(one, "score", None),
        )

    def _bundle(self, question: str) -> Any:
        """A query engine takes its own kind of question; whoever made the engine has imported it."""
        kind = getattr(sys.modules.get("llama_index.core.schema"), "QueryBundle", None)
        return question if kind is None else kind(question)
