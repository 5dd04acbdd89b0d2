"""The stress test of a study's panel."""
