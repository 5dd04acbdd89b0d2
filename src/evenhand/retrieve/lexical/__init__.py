"""BM25 and TF-IDF, and the terms they count."""
