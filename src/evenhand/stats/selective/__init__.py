"""Answering only when confident: risk against coverage, guarantees, costs."""
