"""What other tools write, read into our nouns."""
