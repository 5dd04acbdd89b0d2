"""Results held against a baseline; the pytest plugin."""
