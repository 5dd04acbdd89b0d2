"""Two systems on the same questions."""
