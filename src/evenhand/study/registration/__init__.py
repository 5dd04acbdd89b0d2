"""Register, amend, open the holdout once, package."""
