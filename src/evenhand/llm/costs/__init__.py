"""What asking will cost and did cost: tokens, prices, estimates, budgets."""
