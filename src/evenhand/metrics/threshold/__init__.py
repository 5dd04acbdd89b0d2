"""What passes a similarity threshold: pairs, false discovery, areas."""
