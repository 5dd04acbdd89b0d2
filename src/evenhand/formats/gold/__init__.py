"""Gold sets: ``gold.jsonl``, tables, and one line written anew."""
