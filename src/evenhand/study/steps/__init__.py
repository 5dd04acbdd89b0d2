"""The loop over steps, their fingerprints, and what all capabilities build on."""
