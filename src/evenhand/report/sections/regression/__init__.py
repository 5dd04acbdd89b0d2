"""A check against a baseline, for terminals and for CI."""
