"""A panel held against people: samples, agreement, corrected rates, lines of trust."""
