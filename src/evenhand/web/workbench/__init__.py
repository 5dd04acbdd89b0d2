"""Pages of studies and their results."""
