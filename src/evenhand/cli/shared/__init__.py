"""What several commands need: groups, limits of arguments, progress, hints, the refusal to run code."""
