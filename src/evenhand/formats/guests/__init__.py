"""Files of other tools: told apart by what is in them, read into our nouns, losses counted."""
