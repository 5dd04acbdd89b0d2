"""The comparison of systems: its steps, its run, its part of the report."""
