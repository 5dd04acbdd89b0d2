"""Claims of an answer, each put to a panel or to a model of entailment."""
