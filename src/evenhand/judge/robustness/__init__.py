"""The stress suite: perturbed items, and what fooled each judge."""
