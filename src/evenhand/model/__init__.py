"""The nouns: frozen records and their invariants. Everything else is functions from nouns to nouns."""
