"""Retrievers, vector stores and runnables of LangChain."""

from __future__ import annotations

import inspect
from typing import Any

from evenhand.retrieve.frameworks.document import hit, number
from evenhand.retrieve.frameworks.framework import Framework

__all__ = ["Runnable", "VectorStore"]

DEPTH = ("k", "top_k", "similarity_top_k")
SCORE = ("relevance_score", "score", "_score")  # where rerankers and stores leave it in the metadata


class _LangChain(Framework):
    framework = "LangChain"
    package = "langchain-core"

    def hit(self, one: Any) -> Any:
        """A document, or a pair of one and its score."""
        score = None
        if isinstance(one, tuple) and len(one) == 2:
            one, score = one
        if not hasattr(one, "page_content"):
            raise self.odd(one)
        meta = getattr(one, "metadata", None) or {}
        if score is None:
            score = next((meta[key] for key in SCORE if number(meta.get(key)) is not None), None)
        return hit(one.page_content, meta, name=getattr(one, "id", None), score=score)


class Runnable(_LangChain):
    """A ``BaseRetriever``, or any runnable that takes a question and gives documents.

    ``as_retriever()`` of a vector store is asked for ``k``, a retriever with a field ``k`` or ``top_k`` is
    copied with that field set. Another one (a chain, a compressor) searches as deep as it was made to.
    """

    def __init__(self, thing: Any) -> None:
        super().__init__(thing)
        own = getattr(type(thing), "_get_relevant_documents", None)
        takes = inspect.signature(own).parameters if callable(own) else {}
        fields = getattr(type(thing), "model_fields", {})
        self._given = next((key for key in DEPTH if key in takes), "")
        if not self._given and "search_kwargs" in fields and _open(takes):
            self._given = "k"
        self._field = "" if self._given else next((key for key in DEPTH if key in fields), "")
        self.asked = self._given or self._field

    def ask(self, question: str, k: int) -> Any:
        """Invoke it."""
        thing = self.thing.model_copy(update={self._field: k}) if self._field else self.thing
        given = {self._given: k} if self._given else {}
        awaited = getattr(thing, "ainvoke", None)
        return self.either(
            lambda: thing.invoke(question, **given),
            None if awaited is None else lambda: awaited(question, **given),
        )


class VectorStore(_LangChain):
    """A vector store itself: with scores where it has them, whichever way they run."""

    asked = "k"

    def __init__(self, thing: Any) -> None:
        super().__init__(thing)
        self._scored = callable(getattr(thing, "similarity_search_with_score", None))

    def ask(self, question: str, k: int) -> Any:
        """Its nearest documents."""
        thing = self.thing
        if self._scored:
            try:
                return self.either(
                    lambda: thing.similarity_search_with_score(question, k=k),
                    lambda: thing.asimilarity_search_with_score(question, k=k),
                )
            except NotImplementedError:
                self._scored = self._async = False
        return self.either(
            lambda: thing.similarity_search(question, k=k),
            lambda: thing.asimilarity_search(question, k=k),
        )


def _open(takes: Any) -> bool:
    return any(one.kind is inspect.Parameter.VAR_KEYWORD for one in takes.values())
