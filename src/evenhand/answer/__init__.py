"""Generated answers and study items.

Checks without a model, claims, ratings by people, diagnosis. Core: no I/O.
"""
