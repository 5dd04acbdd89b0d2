"""``evenhand gold``: check, split, write, draft, import and export gold sets."""
