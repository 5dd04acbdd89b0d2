"""Many comparisons at once."""
