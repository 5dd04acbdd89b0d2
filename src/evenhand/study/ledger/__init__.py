"""What was promised and looked at: states, criteria, fingerprints, seen holdouts."""
