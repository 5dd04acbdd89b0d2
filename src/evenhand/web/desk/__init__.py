"""The labelling page: items, answers, progress."""
