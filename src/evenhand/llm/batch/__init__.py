"""Batches: many requests handed in at once, answered within a day."""
