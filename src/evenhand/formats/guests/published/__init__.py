"""Published sets of labels by people and machines."""
