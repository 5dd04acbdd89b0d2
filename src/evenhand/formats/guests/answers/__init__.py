"""Generated answers of other tools, in and out."""
