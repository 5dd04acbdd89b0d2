"""The plan of a study: what will be done, before any of it is done."""
