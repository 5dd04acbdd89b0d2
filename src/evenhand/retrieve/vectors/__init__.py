"""Vectors: embedded through a cache, stored, mapped from files."""
