"""A system taken out of a study, to run elsewhere."""
