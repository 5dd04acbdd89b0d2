"""Deterministic checks of one item.

Citations, support, abstention, language, repeats; and what they look at.
"""
