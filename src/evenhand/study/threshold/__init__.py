"""The threshold study: arms, pairs, rates, headline."""
