"""The page on which generated items are rated."""
