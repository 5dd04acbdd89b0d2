"""Qrels, runs and metrics to measurements: the one way to a number."""
