"""Run and qrels files: TREC text in columns, and every other form."""
