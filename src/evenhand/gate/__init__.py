"""When to answer and when to defer: rules applied to rankings. Formulas of risk lie in `evenhand.stats`."""
