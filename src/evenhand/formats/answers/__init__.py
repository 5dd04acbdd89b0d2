"""``answers.jsonl`` and its table."""
