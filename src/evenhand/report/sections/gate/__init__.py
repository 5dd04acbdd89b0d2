"""The gate: decision table, curves."""
