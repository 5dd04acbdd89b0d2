"""Intervals of means, shares, clusters and areas; sequences that may be looked at."""
