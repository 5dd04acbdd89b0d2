"""Retrieval or generation: what was retrieved, whether the answer is right, and which of the two failed."""
