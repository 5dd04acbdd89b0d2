"""How many questions, items or labels are needed."""
