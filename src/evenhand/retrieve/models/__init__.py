"""Models that run here: MiniLM, cross-encoders, entailment."""
