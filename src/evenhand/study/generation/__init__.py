"""Generated answers of a study."""
