"""The comparison: tables, charts, questions one by one, failures."""
