"""How many questions a study needs, and what a published figure supports."""
