"""Retrievers of LangChain, LlamaIndex and Haystack, known by their shape."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evenhand.retrieve.frameworks.framework import Framework

__all__ = ["recognised"]


def recognised(thing: Any) -> Framework | None:
    """*thing* in the shape that is asked, where it is a retriever of a framework; None for all others.

    LangChain: ``similarity_search`` (a vector store), ``invoke`` (a retriever, a chain). LlamaIndex:
    ``retrieve`` with ``aretrieve`` (a retriever, a query engine), ``as_retriever`` (an index). Haystack: a
    component's sockets, or a pipeline's ``inputs`` and ``outputs``.
    """
    if isinstance(thing, type):
        return None

    def has(*names: str) -> bool:
        return all(callable(getattr(thing, name, None)) for name in names)

    if has("similarity_search", "as_retriever"):  # before plain guests: its `search` is another one
        from evenhand.retrieve.frameworks import langchain

        return langchain.VectorStore(thing)
    if has("search"):
        return None
    if hasattr(thing, "__haystack_input__") and has("run"):
        from evenhand.retrieve.frameworks import haystack

        return haystack.Component(thing)
    if has("run", "inputs", "outputs", "add_component"):
        from evenhand.retrieve.frameworks import haystack

        return haystack.Pipeline(thing)
    if has("retrieve", "aretrieve") or (has("as_retriever") and not has("invoke")):
        from evenhand.retrieve.frameworks import llama_index

        return llama_index.of(thing)
    if has("invoke"):
        from evenhand.retrieve.frameworks import langchain

        return langchain.Runnable(thing)
    return None
