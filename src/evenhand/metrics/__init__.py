"""From a ranking to a number, and from numbers to comparisons. Core: no I/O."""
