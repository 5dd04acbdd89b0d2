"""Dense retrieval: embeddings, exact and approximate nearest units."""
