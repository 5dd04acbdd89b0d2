"""Words that all capabilities share: plurals and amounts."""
