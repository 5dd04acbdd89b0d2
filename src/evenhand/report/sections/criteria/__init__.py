"""Criteria and registration."""
