"""The gate of a study."""
