"""The panel and people."""
