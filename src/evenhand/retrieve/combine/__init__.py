"""Rankings combined: fusion and reranking."""
