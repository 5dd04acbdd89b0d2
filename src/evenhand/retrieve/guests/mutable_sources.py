"""Retrievers whose answers may change while the study does not: endpoints and databases."""

from __future__ import annotations

__all__ = ["INDEXES", "outside"]

INDEXES = ("qdrant", "pgvector", "lancedb", "elasticsearch", "opensearch")


def outside(what: str) -> bool:
    """Whether the retriever called *what* in a study file is asked on every run."""
    return what.startswith(("http://", "https://")) or what in INDEXES
