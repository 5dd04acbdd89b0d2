"""Samples with known chances, allocations, and streams of random numbers."""
