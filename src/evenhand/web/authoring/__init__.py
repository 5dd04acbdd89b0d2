"""Pages on which owners write and review questions."""
