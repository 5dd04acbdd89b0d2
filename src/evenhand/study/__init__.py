"""A study carried out: steps, capabilities, registration, verification."""
