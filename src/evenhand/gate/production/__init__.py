"""What decides in production, in plain Python: no numpy is loaded."""
