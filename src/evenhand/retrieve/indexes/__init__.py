"""Indexes in databases: Qdrant, pgvector, LanceDB, Elasticsearch, OpenSearch."""
