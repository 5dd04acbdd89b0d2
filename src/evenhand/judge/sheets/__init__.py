"""The sheets that come with evenhand: instructions and scales."""
