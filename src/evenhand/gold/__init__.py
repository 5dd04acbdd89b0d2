"""Gold sets: quotes verified, evidence aligned with units, splits, lint, judgements merged. Core: no I/O."""
