"""Systems compared: contrasts, verdicts, slices, stability, and what biases them."""
