"""Public collections: Chroma, SQuAD, TREC and SMART topics, BEIR queries and qrels."""
