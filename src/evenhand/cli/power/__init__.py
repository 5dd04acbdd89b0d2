"""``evenhand power`` and ``audit``: how many questions, and what a published figure supports."""
